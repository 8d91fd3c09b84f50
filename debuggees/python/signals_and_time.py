"""Phenomenon: signal handlers in Python, an interval timer, sleeping with interruptions.
Nondeterministic: where the handler interrupts, all times."""
import os
import signal
import time

hits = []
position = 0


def on_alarm(_number, _frame):
    hits.append(position)


signal.signal(signal.SIGALRM, on_alarm)
signal.setitimer(signal.ITIMER_REAL, 0.002, 0.002)
while len(hits) < 5:
    position += 1
    os.getppid()
signal.setitimer(signal.ITIMER_REAL, 0)
print(hits)
start = time.monotonic_ns()
time.sleep(0.001)
print(time.monotonic_ns() - start, time.time(), time.process_time_ns(), time.perf_counter())
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
child = os.fork()
if child == 0:
    time.sleep(0.001)
    os.kill(os.getppid(), signal.SIGUSR1)
    os._exit(3)
print("received", signal.sigwait([signal.SIGUSR1]))
print("child", child, os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
