# gstreamer/pipeline.sh WORK
# A pipeline of three threads whose locks are futexes by hand, in libraries.
. "$(dirname "$0")/../common.sh"
gst-launch-1.0 -q fakesrc num-buffers=300 sizetype=fixed sizemax=1000 filltype=random ! \
    queue max-size-buffers=3 ! identity ! queue max-size-buffers=3 ! filesink location="$1/buffers" ||
    fail "gst-launch-1.0"
expect "bytes" 300000 "$(stat -c %s "$1/buffers")"
