// Phenomenon: std::latch, barrier, counting_semaphore, jthread and atomic waits: futexes by hand, which
// no lock of pthread's shows.
// Nondeterministic: the order in which the threads pass.
#include "history.h"
#include <atomic>
#include <barrier>
#include <latch>
#include <semaphore>
#include <thread>
#include <vector>

int main(int count, char **words)
{
    read_team_size(count, words);
    std::latch start(team_size);
    std::counting_semaphore<64> places(2);
    std::binary_semaphore baton(1);
    std::atomic<int> phases = 0;
    std::barrier meeting(team_size, [&]() noexcept { phases++; });
    history order = {};
    {
        std::vector<std::jthread> threads;
        for (int who = 0; who < team_size; who++)
            threads.emplace_back([&, who] {
                start.arrive_and_wait();
                for (int i = 0; i < rounds() / 16; i++) {
                    places.acquire();
                    baton.acquire();
                    add(&order, who);
                    baton.release();
                    places.release();
                    idle();
                    if (i % 4 == 0)
                        meeting.arrive_and_wait();
                }
            });
    }
    show("passed", &order);
    printf("%d phases\n", phases.load());
}
