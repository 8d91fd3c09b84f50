// Phenomenon: std::async, packaged_task, promise and future, an exception passed through one.
// Nondeterministic: the order in which the tasks run.
#include "history.h"
#include <future>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

static std::mutex mutex;
static history history_of_tasks;

static int task(int who)
{
    for (int i = 0; i < rounds() / 16; i++) {
        std::lock_guard lock(mutex);
        add(&history_of_tasks, who);
    }
    idle();
    if (who == 1)
        throw std::runtime_error("task 1 fails");
    return who * who;
}

int main(int count, char **words)
{
    read_team_size(count, words);
    std::vector<std::future<int>> results;
    std::vector<std::thread> threads;
    for (int i = 0; i < team_size; i++) {
        if (i % 2) {
            results.push_back(std::async(std::launch::async, task, i));
        } else {
            std::packaged_task<int(int)> packaged(task);
            results.push_back(packaged.get_future());
            threads.emplace_back(std::move(packaged), i);
        }
    }
    int total = 0;
    for (auto &result : results) {
        try {
            total += result.get();
        } catch (const std::runtime_error &error) {
            printf("%s\n", error.what());
        }
    }
    for (auto &thread : threads)
        thread.join();
    std::promise<int> promise;
    auto answer = promise.get_future().share();
    std::thread waiter([answer] { printf("promised %d\n", answer.get()); });
    promise.set_value(total);
    waiter.join();
    show("tasks", &history_of_tasks);
}
