// std::string, short and long, references to it, string views.
#include <string>
#include <string_view>

volatile int sink;
extern "C" __attribute__((noinline)) void stop_here(int number) { sink = number; }

__attribute__((noinline)) static std::size_t measure(const std::string &text, std::string_view view, const char *plain) {
    std::string copy = text + "!";
    std::size_t length = copy.size() + view.size();
    stop_here(static_cast<int>(length));
    return length + static_cast<std::size_t>(plain[0]);
}

int main() {
    std::string brief = "short";
    std::string lengthy(40, 'z');
    std::string empty;
    std::size_t result = measure(brief, std::string_view(lengthy).substr(0, 3), "plain");
    stop_here(static_cast<int>(result + empty.size()));
    return 0;
}
