// SPDX-License-Identifier: BSL-1.0
#include <sigma/core/error.hpp>
#include <sigma/core/run_main.hpp>

#include <catch2/catch.hpp>
#include <support/pseudo_terminal.hpp>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

using namespace sigma;
using Lines = std::vector<std::string>;

namespace {

int three() { return 3; }

/// Returns the lines that a person sees on the terminal of a program.
Lines seen(int& ended, auto program) {
    ::setenv("TERM", "xterm", 1);
    PseudoTerminal pty;
    {
        const Redirected out(1, pty.descriptor()), err(2, pty.descriptor());
        ended = run_main(program);
    }
    return pty.screen();
}

}  // namespace

TEST_CASE("A program ends as its function says") {
    CHECK(run_main(three) == 3);
    CHECK(run_main([] {}) == 0);
    CHECK(run_main([n = 4]() mutable { return ++n; }) == 5);
}

TEST_CASE("What a program throws is said behind what it has printed, and above nothing") {
    int ended = 0;
    CHECK(seen(ended, [] {
              std::printf("half a line");
              throw ArgumentError("rate", "more than 0", "-1");
          }) == Lines{"half a linerate: expected more than 0, found -1"});
    CHECK(ended == 2);
    CHECK(seen(ended, [] {
              terminal::StatusLine status(stderr);
              status.show("epoch 1, and more");
              throw ShapeError("flowers", "3 columns", "2");
          }) == Lines{"flowers: expected 3 columns, found 2"});
    CHECK(ended == 2);
    CHECK(seen(ended, [] { throw 3; }) == Lines{"unknown exception, not derived from std::exception"});
    CHECK(ended == 2);
}
