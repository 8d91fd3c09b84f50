"""Phenomenon: several subprocesses, their output gathered by a selector.
Nondeterministic: the order in which the outputs arrive, pids."""
import selectors
import subprocess
import sys

SCRIPT = "for i in 1 2 3; do echo $1.$i $$; sleep 0.00$((($$ + i) % 4)); done; exit $1"

selector = selectors.DefaultSelector()
children = []
for number in range(3):
    child = subprocess.Popen(["sh", "-c", SCRIPT, "sh", str(number)], stdout=subprocess.PIPE)
    selector.register(child.stdout, selectors.EVENT_READ, number)
    children.append(child)
while selector.get_map():
    for key, _ in selector.select():
        data = key.fileobj.read1(100)
        if data:
            print(key.data, data)
        else:
            selector.unregister(key.fileobj)
print([child.wait() for child in children])
done = subprocess.run(["tr", "a-z", "A-Z"], input=f"{sys.version_info.major}: {children[0].pid} text", text=True, capture_output=True, check=True)
print(done.stdout)
