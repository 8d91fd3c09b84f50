// Phenomenon: std::call_once and objects made at first use, by code that throws: the next to come tries again.
// Nondeterministic: who tries, and who succeeds.
#include "history.h"
#include <mutex>
#include <thread>
#include <vector>

constexpr int ROUNDS = 12;

static std::once_flag flags[ROUNDS], outer[ROUNDS];
static std::mutex mutex;
static history tried, made;
static int attempts[ROUNDS], failed[MOST_THREADS];

// Each kind has an object of its own, which takes four attempts.
template <int Kind> struct Thing {
    int maker;
    explicit Thing(int who) : maker(who)
    {
        static int begun;
        idle();
        std::lock_guard lock(mutex);
        add(&made, who);
        if (begun++ < 3)
            throw who;
    }
    static int of(int who)
    {
        for (;;)
            try {
                static Thing thing(who);
                return thing.maker;
            } catch (int) {
                failed[who]++;
            }
    }
};

static void attempt(int round, int who)
{
    std::call_once(outer[round], [&] {
        std::call_once(flags[round], [&] {
            idle();
            std::unique_lock lock(mutex);
            add(&tried, who);
            if (attempts[round]++ < 3)
                throw who;
        });
    });
}

static void work(int who)
{
    for (int round = 0; round < ROUNDS; round++) {
        for (bool again = true; again;)
            try {
                idle();
                attempt(round, who);
                again = false;
            } catch (int) {
                failed[who]++;
            }
    }
    failed[who] += 100 * (Thing<0>::of(who) + Thing<1>::of(who) + Thing<2>::of(who) + Thing<3>::of(who));
}

int main(int count, char **words)
{
    read_team_size(count, words);
    std::vector<std::thread> threads;
    for (int i = 0; i < team_size; i++)
        threads.emplace_back(work, i);
    for (auto &thread : threads)
        thread.join();
    show("tried", &tried);
    show("made", &made);
    for (int i = 0; i < team_size; i++)
        printf("%d ", failed[i]);
    printf("\n");
}
