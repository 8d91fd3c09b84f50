// Classes: inheritance, virtual calls, static members, methods as frames.
volatile int sink;
extern "C" __attribute__((noinline)) void stop_here(int number) { sink = number; }

namespace zoo {
struct Position {
    double x = 1.5, y = -2.5;
};
class Animal {
  public:
    explicit Animal(int legs) : legs_(legs) { count++; }
    virtual ~Animal() = default;
    virtual int speak(int volume) const = 0;
    static int count;

  protected:
    int legs_;
    Position position_;
};
int Animal::count = 0;

class Named {
  public:
    long tag = 42;
};

class Dog : public Animal, public Named {
  public:
    Dog() : Animal(4), bark_(7) {}
    __attribute__((noinline)) int speak(int volume) const override {
        int loudness = bark_ * volume;
        stop_here(loudness);
        return loudness + legs_;
    }

  private:
    int bark_;
};
} // namespace zoo

__attribute__((noinline)) static int hear(const zoo::Animal &animal, int volume) {
    int result = animal.speak(volume);
    return result + 1;
}

int main() {
    zoo::Dog dog;
    zoo::Animal *animal = &dog;
    int result = hear(*animal, 3);
    stop_here(result);
    return 0;
}
