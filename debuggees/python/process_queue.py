"""Phenomenon: multiprocessing queues, events, shared values and locks.
Nondeterministic: who takes which item, how the workers interleave."""
import multiprocessing
import os


def work(name, tasks, results, total):
    while (item := tasks.get()) is not None:
        with total.get_lock():
            total.value += item
        results.put((name, item, os.getpid()))


if __name__ == "__main__":
    context = multiprocessing.get_context("fork")
    tasks, results, total = context.Queue(), context.Queue(), context.Value("i", 0)
    workers = [context.Process(target=work, args=(name, tasks, results, total)) for name in "abc"]
    for worker in workers:
        worker.start()
    for item in range(15):
        tasks.put(item)
    for _ in workers:
        tasks.put(None)
    for _ in range(15):
        print(*results.get())
    for worker in workers:
        worker.join()
    print("total", total.value)
