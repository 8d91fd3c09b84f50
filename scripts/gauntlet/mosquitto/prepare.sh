# mosquitto/prepare.sh WORK PORT
# The broker's configuration: one local listener, nothing kept on disk, no change of user.
cat >"$1/mosquitto.conf" <<END
listener $2 127.0.0.1
allow_anonymous true
persistence false
log_dest stderr
log_type error
log_type warning
user root
END
