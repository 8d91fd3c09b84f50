// A pool of threads: a queue of tasks under a mutex and a condition variable, results as futures; the order in which
// the workers took their tasks is printed.
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

class Pool {
public:
    explicit Pool(int size)
    {
        for (int number = 0; number < size; number++)
            workers.emplace_back([this, number] { work(number); });
    }

    ~Pool()
    {
        {
            std::lock_guard lock(mutex);
            closed = true;
        }
        changed.notify_all();
        for (auto &worker : workers)
            worker.join();
        for (size_t number = 0; number < workers.size(); number++)
            std::printf("worker %zu took %d\n", number, taken[number]);
        std::printf("order %08x\n", order);
    }

    template <typename Function> auto submit(Function function) -> std::future<decltype(function())>
    {
        auto task = std::make_shared<std::packaged_task<decltype(function())()>>(std::move(function));
        {
            std::lock_guard lock(mutex);
            tasks.emplace_back([task] { (*task)(); });
        }
        changed.notify_one();
        return task->get_future();
    }

private:
    void work(int number)
    {
        for (;;) {
            std::function<void()> task;
            {
                std::unique_lock lock(mutex);
                changed.wait(lock, [this] { return closed || !tasks.empty(); });
                if (tasks.empty())
                    return;
                task = std::move(tasks.front());
                tasks.pop_front();
                order = (order ^ static_cast<uint32_t>(number + 1)) * 16777619u;
                taken[number]++;
            }
            task();
        }
    }

    std::mutex mutex;
    std::condition_variable changed;
    std::deque<std::function<void()>> tasks;
    std::vector<std::thread> workers;
    int taken[64] = {};
    uint32_t order = 0;
    bool closed = false;
};

static uint64_t collatz(uint64_t number)
{
    uint64_t steps = 0;
    for (; number != 1; steps++)
        number = number % 2 ? 3 * number + 1 : number / 2;
    return steps;
}

int main(int count, char **words)
{
    int size = count > 1 ? std::atoi(words[1]) : 4, tasks = count > 2 ? std::atoi(words[2]) : 5000;
    uint64_t total = 0;
    {
        Pool pool(size);
        std::vector<std::future<uint64_t>> results;
        for (int task = 1; task <= tasks; task++)
            results.push_back(pool.submit([task] {
                uint64_t sum = 0;
                for (int number = 0; number < task % 50; number++)
                    sum += collatz(static_cast<uint64_t>(task + number));
                return sum;
            }));
        for (auto &result : results)
            total += result.get();
    }
    std::printf("total %llu\n", static_cast<unsigned long long>(total));
}
