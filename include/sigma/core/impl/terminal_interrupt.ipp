// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/terminal_interrupt.hpp>

#include <atomic>

#include <semaphore.h>
#include <signal.h>

namespace sigma::detail {

struct InterruptState {
    std::atomic<unsigned> signals{0};
    static_assert(std::atomic<unsigned>::is_always_lock_free);
    ::sem_t wake;
    bool listens = false;       // was the handler set since restore?
    struct sigaction before{};  // what the program did on the signal

    InterruptState() { ::sem_init(&wake, 0, 0); }
};
/// Never destroyed: a process may exit while a run goes on.
SIGMA_IMPL InterruptState& interrupt_state() {
    static InterruptState& only = *new InterruptState;
    return only;
}

using InterruptHandler = void (*)(int);
SIGMA_IMPL void count_interrupt(int) {
    ++interrupt_state().signals;
    ::sem_post(&interrupt_state().wake);
}
SIGMA_IMPL InterruptHandler handler_now() {
    struct sigaction now{};
    ::sigaction(SIGINT, nullptr, &now);
    return now.sa_handler;
}

SIGMA_IMPL unsigned TerminalInterrupt::count() noexcept { return interrupt_state().signals; }

SIGMA_IMPL void TerminalInterrupt::listen() {
    InterruptState& state = interrupt_state();
    const InterruptHandler now = handler_now();
    if (now == &count_interrupt || now == SIG_IGN) return;
    // After a signal the default is in force: it is set again for runs that begin later.
    if (!state.listens || now != SIG_DFL) ::sigaction(SIGINT, nullptr, &state.before);
    state.listens = true;
    struct sigaction ours{};
    ours.sa_handler = &count_interrupt;
    ours.sa_flags = SA_RESTART | static_cast<int>(SA_RESETHAND);
    ::sigemptyset(&ours.sa_mask);
    ::sigaction(SIGINT, &ours, nullptr);
}

SIGMA_IMPL void TerminalInterrupt::restore() {
    InterruptState& state = interrupt_state();
    const InterruptHandler now = handler_now();
    if (state.listens && (now == &count_interrupt || now == SIG_DFL)) ::sigaction(SIGINT, &state.before, nullptr);
    state.listens = false;
}

SIGMA_IMPL void TerminalInterrupt::wait() {
    while (::sem_wait(&interrupt_state().wake) != 0) {}  // another signal came to this thread
}

SIGMA_IMPL void TerminalInterrupt::wake() noexcept { ::sem_post(&interrupt_state().wake); }

SIGMA_IMPL void TerminalInterrupt::pass_on() { ::raise(SIGINT); }

}  // namespace sigma::detail
