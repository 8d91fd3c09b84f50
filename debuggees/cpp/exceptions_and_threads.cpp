// Phenomenon: C++ exceptions across frames with events, std::thread, std::async, exception_ptr.
// Nondeterministic: which thread throws first, thread ids, random values.
#include <atomic>
#include <chrono>
#include <future>
#include <iostream>
#include <mutex>
#include <random>
#include <sstream>
#include <stdexcept>
#include <thread>
#include <unistd.h>
#include <vector>

static std::mutex output;

struct Guard {
    int number;
    ~Guard()
    {
        std::lock_guard<std::mutex> lock(output);
        std::cout << "unwinding " << number << std::endl;
    }
};

static int risky(int number, std::atomic<int> &order)
{
    Guard guard{number};
    std::random_device source;
    std::this_thread::sleep_for(std::chrono::microseconds(source() % 500));
    int place = order++;
    if (place % 2 == 0)
        throw std::runtime_error("thread " + std::to_string(number) + " was number " + std::to_string(place));
    return place;
}

int main()
{
    std::atomic<int> order{0};
    std::vector<std::future<int>> results;
    for (int i = 0; i < 4; i++)
        results.push_back(std::async(std::launch::async, risky, i, std::ref(order)));
    for (auto &result : results) {
        try {
            std::ostringstream text;
            text << "returned " << result.get() << "\n";
            std::lock_guard<std::mutex> lock(output);
            std::cout << text.str();
        } catch (const std::exception &error) {
            std::lock_guard<std::mutex> lock(output);
            std::cout << "caught: " << error.what() << "\n";
        }
    }
    std::cout << "pid " << getpid() << std::endl;
}
