"""Phenomenon: multiprocessing.Pool with results in the order of completion.
Nondeterministic: that order, the workers' pids."""
import multiprocessing
import os


def work(number):
    return number, sum(i * number for i in range(1000)) % 97, os.getpid()


if __name__ == "__main__":
    with multiprocessing.Pool(3) as pool:
        for number, value, pid in pool.imap_unordered(work, range(12)):
            print(number, value, pid)
