// SPDX-License-Identifier: BSL-1.0
// Children that train get SIGINT, as from Ctrl-C: runs that shall stop on it end after a step, hooks and checkpoint
// included; others are killed, and so is a process that gets a second one.
//   interrupt_test DIRECTORY
#include <sigma/hook/save.hpp>
#include <sigma/hook/words.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/optimizer/adam.hpp>
#include <sigma/optimizer/gradient_descent.hpp>
#include <sigma/trainer/fit.hpp>
#include <sigma/trainer/trainer.hpp>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>

#include <sys/wait.h>
#include <unistd.h>

namespace {

using namespace sigma;

struct Small : Network<Input(2) + Dense(3, tanh) + Dense(1) + SquaredDiff()> {};

std::string directory;
int told[2];  // a pipe: the child writes to it when it wants the signal

Dataset amounts() {
    return {Numbers{{20, 2}, std::vector<float>(40, 0.5f)}, Numbers{{20, 1}, std::vector<float>(20, 2)}, "amounts"};
}
auto small(const char* name) {
    return Trainer<Small, GradientDescent>(name, Small{}, GradientDescent{.learning_rate = 0.01},
                                           minibatches(amounts(), 5));
}
void tell() {
    if (::write(told[1], "x", 1) != 1) ::_exit(90);
}
/// Requests the signal after some steps.
void tell_after(auto& trainer, std::uint64_t steps) {
    trainer.on_iteration([steps](auto& t) {
        if (t.iteration() == steps) tell();
    });
}
int examine(bool good, int which) { return good ? 0 : which; }
const RunOptions until_interrupted{.epochs = RunOptions::forever, .stop_on_interrupt = true};

void own_handler(int) {}
bool own_is_there() {
    struct sigaction now{};
    ::sigaction(SIGINT, nullptr, &now);
    return now.sa_handler == own_handler;
}

// ---- children: each returns 0, or the number of what is wrong ----

int run_is_interrupted() {
    std::signal(SIGINT, own_handler);
    auto trainer = small("one");
    bool stop_hook = false;
    trainer.add(at(stop).then(save(directory + "/one.sigma"), [&] { stop_hook = true; }));
    tell_after(trainer, 7);
    if (!trainer.run(until_interrupted).interrupted) return 1;
    if (!stop_hook || trainer.state() != RunState::idle || !own_is_there()) return 2;
    auto resumed = small("one");
    resumed.load(directory + "/one.sigma", HooksFromFile::ignore);
    if (resumed.iteration() != trainer.iteration() || resumed.iteration() < 7) return 3;
    return examine(!trainer.run({.epochs = 1, .stop_on_interrupt = true}).interrupted && own_is_there(), 4);
}
int all_trainers_are_interrupted() {
    auto first = small("first"), second = small("second"), paused = small("paused");
    paused.start(until_interrupted);
    paused.pause().wait();
    std::atomic<bool> began = false;  // a run that begins after the signal is not interrupted by it
    first.on_iteration([&](auto&) { began = true; });
    first.start(until_interrupted);
    while (!began) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    tell_after(second, 7);
    second.start(until_interrupted);
    for (auto* each : {&first, &second, &paused}) {
        each->wait();
        if (!each->history().interrupted) return 1;
    }
    return 0;
}
int others_go_on() {
    auto bystander = small("bystander"), trainer = small("trainer");
    bystander.start(cpu());
    tell_after(trainer, 7);
    trainer.run(until_interrupted);
    if (bystander.state() != RunState::running) return 1;
    bystander.stop().wait();
    return examine(!bystander.history().interrupted, 2);
}
int fit_is_interrupted() {
    std::thread later([] {
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
        tell();
    });
    const auto fitted =
        fit(Small{}, amounts(),
            FitOptions{
                .epochs = RunOptions::forever, .patience = 0, .plateau = 0, .quiet = true, .stop_on_interrupt = true});
    later.join();
    return examine(fitted.history().interrupted && fitted.stopped_early(), 1);
}
/// Trains in a process that ignores the signal; the run must end by itself.
int ignored_stays_ignored() {
    std::signal(SIGINT, SIG_IGN);
    auto trainer = small("ignoring");
    trainer.on_iteration([](auto& t) {
        if (t.iteration() == 2) std::raise(SIGINT);
    });
    tell();
    return examine(!trainer.run({.epochs = 3, .stop_on_interrupt = true}).interrupted && trainer.epoch() == 3, 1);
}
int hangs_when_stopped() {
    auto trainer = small("hanging");
    trainer.add(at(stop).then([] {
        tell();
        for (;;) ::pause();
    }));
    tell_after(trainer, 7);
    trainer.run(until_interrupted);
    return 1;
}
int is_killed_after_its_run() {
    auto trainer = small("over");
    trainer.run({.epochs = 2, .stop_on_interrupt = true});
    tell();
    for (;;) ::pause();
}
int is_killed_without_the_option() {
    auto trainer = small("plain");
    tell_after(trainer, 7);
    trainer.run(cpu());
    return 1;
}

/// Runs a child, sends it a signal at each request, and returns whether it ended as expected.
bool ends(const char* name, const std::function<int()>& body, int signals, bool killed = false) {
    if (::pipe(told) != 0) return false;
    std::fflush(stdout);
    const pid_t child = ::fork();
    if (child == 0) {
        ::close(told[0]);
        std::signal(SIGINT, SIG_DFL);
        ::alarm(60);
        int code = 91;
        try {
            code = body();
        } catch (const std::exception& e) { std::printf("%s\n", e.what()); }
        std::fflush(stdout);
        ::_exit(code);
    }
    ::close(told[1]);
    char byte = 0;
    bool asked = true;
    for (int i = 0; i < signals && asked; ++i) {
        asked = ::read(told[0], &byte, 1) == 1;
        if (asked) ::kill(child, SIGINT);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    ::close(told[0]);
    const bool good = asked && (killed ? WIFSIGNALED(status) && WTERMSIG(status) == SIGINT
                                       : WIFEXITED(status) && WEXITSTATUS(status) == 0);
    std::printf("%-32s %s\n", name, good ? "as it should" : "WRONG");
    if (!good && WIFEXITED(status)) std::printf("  it returned %d\n", WEXITSTATUS(status));
    if (!good && WIFSIGNALED(status)) std::printf("  signal %d killed it\n", WTERMSIG(status));
    return good;
}

}  // namespace

int main(int, char** argv) {
    directory = std::string(argv[1]) + "/" + std::to_string(::getpid());
    std::filesystem::create_directories(directory);
    bool good = ends("a run is interrupted", run_is_interrupted, 1);
    good &= ends("all trainers are", all_trainers_are_interrupted, 1);
    good &= ends("others go on", others_go_on, 1);
    good &= ends("a fit is", fit_is_interrupted, 1);
    good &= ends("an ignored signal is ignored", ignored_stays_ignored, 1);
    good &= ends("a second signal kills", hangs_when_stopped, 2, true);
    good &= ends("a signal after the run kills", is_killed_after_its_run, 1, true);
    good &= ends("so it does without the option", is_killed_without_the_option, 1, true);
    std::filesystem::remove_all(directory);
    return good ? 0 : 1;
}
