"""Phenomenon: threading with locks, conditions, a thread pool and a switch interval that forces switches.
Nondeterministic: the order in which threads get the lock."""
import concurrent.futures
import os
import sys
import threading
import time

sys.setswitchinterval(0.0001)
lock = threading.Lock()
order = []


def compete(number):
    for step in range(50):
        with lock:
            order.append(number)
        if step % 10 == 0:
            time.sleep(0)
    return threading.get_native_id()


with concurrent.futures.ThreadPoolExecutor(4) as pool:
    futures = [pool.submit(compete, number) for number in range(4)]
    for future in concurrent.futures.as_completed(futures):
        print("thread", future.result())
print("".join(map(str, order)), os.getpid())
