// SPDX-License-Identifier: BSL-1.0
#include <sigma/core/any_function.hpp>

#include <catch2/catch.hpp>

#include <array>
#include <functional>
#include <memory>
#include <string>

using sigma::detail::AnyFunction;
using Number = AnyFunction<int(int)>;

namespace {
int twice(int x) { return 2 * x; }

/// Counts the existing copies.
struct Counted {
    static inline int alive = 0;
    std::array<int, 8> much{};
    explicit Counted(int x) : much{x} { ++alive; }
    Counted(const Counted& other) : much(other.much) { ++alive; }
    ~Counted() { --alive; }
    int operator()(int x) { return much[0] += x; }
};
}  // namespace

TEST_CASE("Any function is called with its arguments; an empty one says so") {
    int calls = 0;
    const Number f = [&calls](int x) { return ++calls, x + 1; };
    CHECK(f(4) == 5);
    CHECK(calls == 1);
    CHECK(Number(twice)(21) == 42);
    CHECK(Number(std::function<int(int)>(twice))(21) == 42);

    AnyFunction<std::string(std::unique_ptr<int>, std::string&)> takes = [](std::unique_ptr<int> p, std::string& s) {
        return s += std::to_string(*p);
    };
    std::string text = "a";
    CHECK(takes(std::make_unique<int>(7), text) == "a7");
    CHECK(text == "a7");
    AnyFunction<void(int)> drops = twice;  // its result is ignored
    drops(1);

    for (const Number& empty :
         {Number(), Number(nullptr), Number(std::function<int(int)>()), Number(static_cast<int (*)(int)>(nullptr))}) {
        CHECK(!empty);
        CHECK_THROWS_WITH(empty(1), "function: expected a function to call, found an empty one");
    }
}

TEST_CASE("Copies of a function have its state of their own, moved ones take it along, and all of it goes") {
    {
        Number a = Counted(10);
        CHECK(Counted::alive == 1);
        CHECK(a(1) == 11);
        Number b = a;
        CHECK(Counted::alive == 2);
        CHECK(b(1) == 12);
        CHECK(a(1) == 12);
        Number c = std::move(a);
        CHECK(!a);
        CHECK(c(1) == 13);
        CHECK(Counted::alive == 2);
        b = c;
        CHECK(b(1) == 14);
        CHECK(c(1) == 14);
        Number& same = b;
        b = same;
        CHECK(b(1) == 15);
        b = nullptr;
        CHECK(!b);
        CHECK(Counted::alive == 1);
        c = [](int x) { return x; };
        CHECK(Counted::alive == 0);
        CHECK(c(3) == 3);
    }
    CHECK(Counted::alive == 0);
}
