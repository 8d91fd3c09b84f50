// Phenomenon: std::shared_mutex and shared_timed_mutex: readers, writers, tries, time limits.
// Nondeterministic: what the readers see, and which tries succeed.
#include "history.h"
#include <chrono>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <vector>

static std::shared_mutex lock;
static std::shared_timed_mutex timed;
static history written;
static uint32_t seen[MOST_THREADS];

static void work(int who)
{
    using namespace std::chrono_literals;
    for (int i = 0; i < rounds() / 2; i++) {
        if (who % 3 == 0) {
            std::unique_lock writer(lock);
            add(&written, who);
        } else if (std::shared_lock reader(lock, std::try_to_lock); reader) {
            seen[who] = seen[who] * 31 + written.sum;
        } else {
            seen[who]++;
        }
        if (i % 16 == 0) {
            if (std::unique_lock writer(timed, 20us); writer)
                idle();
            else
                seen[who] += 3;
            std::shared_lock reader(timed);
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
    show("written", &written);
    for (int i = 0; i < team_size; i++)
        printf("%08x ", seen[i]);
    printf("\n");
}
