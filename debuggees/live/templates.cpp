// Templates of functions and classes, with types and numbers as parameters.
volatile int sink;
extern "C" __attribute__((noinline)) void stop_here(int number) { sink = number; }

template <typename Item, int Size> class Ring {
  public:
    __attribute__((noinline)) void push(Item item) {
        items_[next_ % Size] = item;
        next_++;
        stop_here(next_);
    }
    Item last() const { return items_[(next_ - 1) % Size]; }

  private:
    Item items_[Size] = {};
    int next_ = 0;
};

template <typename Left, typename Right> __attribute__((noinline)) Left combine(Left left, Right right) {
    Left result = left + static_cast<Left>(right);
    stop_here(static_cast<int>(result));
    return result;
}

int main() {
    Ring<int, 3> numbers;
    Ring<double, 2> parts;
    numbers.push(11);
    parts.push(2.5);
    int whole = combine<int, double>(4, 3.75);
    long wide = combine<long, char>(100L, 'a');
    stop_here(whole + static_cast<int>(wide) + numbers.last());
    return 0;
}
