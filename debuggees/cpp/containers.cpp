// Phenomenon: hash containers keyed by addresses, shared pointers over threads, condition variables.
// Nondeterministic: iteration order, the interleaving of a queue, steady clock values.
#include <chrono>
#include <condition_variable>
#include <iostream>
#include <memory>
#include <mutex>
#include <queue>
#include <random>
#include <string>
#include <thread>
#include <unordered_set>

int main()
{
    std::random_device source;
    std::unordered_set<std::string> names;
    for (int i = 0; i < 12; i++)
        names.insert("name-" + std::to_string(source() % 100000));
    for (const auto &name : names)
        std::cout << name << ' ';
    std::cout << '\n';

    std::queue<std::shared_ptr<int>> queue;
    std::mutex mutex;
    std::condition_variable changed;
    std::string log;
    auto consume = [&](char letter) {
        for (;;) {
            std::unique_lock<std::mutex> lock(mutex);
            changed.wait(lock, [&] { return !queue.empty(); });
            auto item = queue.front();
            queue.pop();
            if (*item < 0)
                return;
            log += letter + std::to_string(*item) + ' ';
        }
    };
    std::thread first(consume, 'a'), second(consume, 'b');
    for (int i = 0; i < 42; i++) {
        std::lock_guard<std::mutex> lock(mutex);
        queue.push(std::make_shared<int>(i < 40 ? i : -1));
        changed.notify_one();
    }
    first.join();
    second.join();
    std::cout << log << '\n' << std::chrono::steady_clock::now().time_since_epoch().count() << '\n';
}
