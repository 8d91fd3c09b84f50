"""processes.py: multiprocessing's pool, queues, pipes, shared memory and locks between forked processes."""

import multiprocessing
import os
import random
import signal
import time


def square(number):
    time.sleep(random.random() / 500)
    return number * number, os.getpid()


def produce(queue, name):
    for number in range(50):
        queue.put((name, number))
    queue.put(None)


def count(lock, total, rounds):
    for _ in range(rounds):
        with lock:
            total.value += 1


def answer(connection):
    while (question := connection.recv()) is not None:
        connection.send((question, len(question), os.getpid()))


def main():
    signal.alarm(60)  # a deadlock ends the program instead of hanging it
    context = multiprocessing.get_context("fork")

    with context.Pool(3) as pool:
        results = pool.map(square, range(60), chunksize=1)
        workers = [worker for _, worker in results]
        print("pool:", sum(value for value, _ in results), sorted(workers.count(w) for w in set(workers)))

    queue = context.Queue()
    producers = [context.Process(target=produce, args=(queue, name)) for name in "abc"]
    for process in producers:
        process.start()
    arrivals, ended = [], 0
    while ended < len(producers):
        item = queue.get(timeout=30)
        if item is None:
            ended += 1
        else:
            arrivals.append(item[0])
    for process in producers:
        process.join()
    print("queue:", len(arrivals), "".join(arrivals[:40]))

    lock, total = context.Lock(), context.Value("q", 0, lock=False)
    counters = [context.Process(target=count, args=(lock, total, 500)) for _ in range(3)]
    for process in counters:
        process.start()
    for process in counters:
        process.join()
    print("shared counter:", total.value)
    assert total.value == 1500

    here, there = context.Pipe()
    responder = context.Process(target=answer, args=(there,))
    responder.start()
    for question in ("one", "three", "x" * 100_000):
        here.send(question)
        assert here.recv()[1] == len(question)
    here.send(None)
    responder.join()
    print("pipe: exit code", responder.exitcode)

    sleeper = context.Process(target=time.sleep, args=(30,))
    sleeper.start()
    sleeper.terminate()
    sleeper.join()
    print("terminated: exit code", sleeper.exitcode)


main()
