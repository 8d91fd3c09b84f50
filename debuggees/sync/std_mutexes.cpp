// Phenomenon: std::mutex, recursive_mutex, timed_mutex, scoped_lock over two, try_lock, call_once.
// Nondeterministic: the order at each of them, and which tries succeed.
#include "history.h"
#include <chrono>
#include <mutex>
#include <thread>
#include <vector>

static std::mutex left, right;
static std::recursive_mutex recursive;
static std::timed_mutex timed;
static std::once_flag once;
static history both, deep;
static int runner;
static int refused[MOST_THREADS];

static void work(int who)
{
    using namespace std::chrono_literals;
    std::call_once(once, [who] { runner = who; });
    for (int i = 0; i < rounds() / 4; i++) {
        {
            std::scoped_lock locks(left, right);
            add(&both, who);
        }
        {
            std::lock_guard outer(recursive);
            std::lock_guard inner(recursive);
            add(&deep, who);
        }
        if (std::unique_lock lock(left, std::try_to_lock); lock)
            add(&both, who);
        else
            refused[who]++;
        if (i % 8 == 0) {
            if (timed.try_lock_for(30us)) {
                idle();
                timed.unlock();
            } else {
                refused[who] += 1000;
            }
        }
        idle();
    }
}

int main(int count, char **words)
{
    read_team_size(count, words);
    std::vector<std::thread> threads;
    for (int i = 0; i < team_size; i++)
        threads.emplace_back(work, i);
    for (auto &thread : threads)
        thread.join();
    show("deep", &deep);
    show("both", &both);
    printf("once by %d\n", runner);
    for (int i = 0; i < team_size; i++)
        printf("%d ", refused[i]);
    printf("\n");
}
