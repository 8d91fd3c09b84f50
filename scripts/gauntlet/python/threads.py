"""threads.py: Python's threads with locks, queues, conditions, timers and an executor."""

import concurrent.futures
import hashlib
import queue
import random
import threading
import time


def consume(tasks, results):
    while (item := tasks.get()) is not None:
        if random.random() < 0.05:
            time.sleep(random.random() / 2000)
        results.put((threading.current_thread().name, item))


def main():
    tasks, results = queue.Queue(maxsize=16), queue.Queue()
    workers = [threading.Thread(target=consume, args=(tasks, results), name=f"w{n}") for n in range(6)]
    for worker in workers:
        worker.start()
    for number in range(600):
        tasks.put(number)
    for _ in workers:
        tasks.put(None)
    for worker in workers:
        worker.join()
    order = hashlib.sha256()
    while not results.empty():
        name, item = results.get()
        order.update(f"{name}{item}".encode())
    print("queue:", order.hexdigest()[:16])

    lock, history = threading.Lock(), []

    def compete(name):
        for _ in range(200):
            if lock.acquire(timeout=0.0001):
                history.append(name)
                lock.release()
            else:
                history.append(name.upper())

    competitors = [threading.Thread(target=compete, args=(name,)) for name in "abcd"]
    for thread in competitors:
        thread.start()
    for thread in competitors:
        thread.join()
    print("lock:", hashlib.sha256("".join(history).encode()).hexdigest()[:16], len(history))

    condition, turns = threading.Condition(), []

    def alternate(me):
        for _ in range(50):
            with condition:
                condition.wait_for(lambda: len(turns) % 2 == me, timeout=30)
                turns.append(me)
                condition.notify_all()

    pair = [threading.Thread(target=alternate, args=(me,)) for me in (0, 1)]
    for thread in pair:
        thread.start()
    for thread in pair:
        thread.join()
    print("condition:", len(turns))

    with concurrent.futures.ThreadPoolExecutor(4) as executor:
        futures = {executor.submit(pow, number, 2): number for number in range(100)}
        done = [futures[future] for future in concurrent.futures.as_completed(futures)]
    print("executor:", sum(done), hashlib.sha256(repr(done).encode()).hexdigest()[:16])

    fired = threading.Event()
    threading.Timer(0.01, fired.set).start()
    print("timer:", fired.wait(10))


main()
