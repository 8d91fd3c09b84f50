// Phenomenon: std::condition_variable and condition_variable_any with and without a time limit.
// Nondeterministic: who takes what, and which waits run out of time.
#include "history.h"
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

static std::mutex mutex;
static std::condition_variable filled;
static std::condition_variable_any any;
static std::deque<int> queue;
static history taken, late;

static void work(int who)
{
    using namespace std::chrono_literals;
    for (int i = 0; i < rounds() / 4; i++) {
        std::unique_lock lock(mutex);
        if (who % 2 == 0) {
            queue.push_back(who);
            filled.notify_one();
            any.notify_all();
        } else if (i % 3 == 0) {
            if (!filled.wait_for(lock, 200us, [] { return !queue.empty(); }))
                add(&late, who);
        } else if (i % 3 == 1) {
            if (any.wait_for(lock, 100us) == std::cv_status::timeout)
                add(&late, who);
        } else if (!queue.empty()) {
            add(&taken, who ^ queue.front());
            queue.pop_front();
        }
        lock.unlock();
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
    show("taken", &taken);
    show("late", &late);
    printf("%zu left\n", queue.size());
}
