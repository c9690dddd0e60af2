// SPDX-License-Identifier: BSL-1.0
// A program with a full screen, which ends as its argument says: full_screen.py.
#include <sigma/core/terminal.hpp>
#include <sigma/monitor/terminal.hpp>
#include <sigma/sigma.hpp>

#include "support/point_trainer.hpp"

#include <cstdlib>
#include <cstring>
#include <stdexcept>

int main(int count, char** arguments) {
    const char* const end = count > 1 ? arguments[1] : "";
    sigma::test::PointTrainer trainer;
    sigma::monitor::Terminal view(trainer);
    sigma::terminal::print(stdout, "held");
    if (std::strcmp(end, "exit") == 0) std::exit(3);
    if (std::strcmp(end, "throw") == 0) throw std::runtime_error("nobody catches this");
    trainer.run({.epochs = sigma::RunOptions::forever, .stop_on_interrupt = std::strcmp(end, "stop") == 0});
    sigma::terminal::print(stdout, "stopped in order");
    return 0;
}
