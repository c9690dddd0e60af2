// SPDX-License-Identifier: BSL-1.0
#include "terminal/signals.hpp"

#include <sigma/core/terminal.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <mutex>

#include <unistd.h>

namespace sigma::monitor {

namespace {

constexpr std::array polite = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT};
constexpr std::array crashes = {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL};

// Used by handlers, so without locks and without memory that could be freed.
std::atomic<unsigned> come{0};
std::atomic<int> wake_descriptor{-1};
std::atomic<bool> guarded{false};
int guarded_terminal = -1;
::termios modes_before{};
std::array<char, 256> last_bytes{};
std::size_t last_bytes_count = 0;
static_assert(std::atomic<unsigned>::is_always_lock_free && std::atomic<int>::is_always_lock_free);

using Handler = void (*)(int);
void set_handler(int signal, Handler handler, int flags) {
    struct sigaction action{};
    action.sa_handler = handler;
    action.sa_flags = flags;
    ::sigemptyset(&action.sa_mask);
    ::sigaction(signal, &action, nullptr);
}
Handler handler_of(int signal) {
    struct sigaction now{};
    ::sigaction(signal, nullptr, &now);
    return now.sa_handler;
}

void on_polite(int signal) {
    const int wake = wake_descriptor;
    if (wake < 0) {  // the handler was called after the screen had gone
        set_handler(signal, SIG_DFL, 0);
        ::raise(signal);
        return;
    }
    const int before = errno;
    come |= 1u << static_cast<unsigned>(signal);
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = ::write(wake, &one, sizeof one);
    errno = before;
}

void put_right() {
    if (!guarded.exchange(false)) return;
    [[maybe_unused]] const auto written = ::write(guarded_terminal, last_bytes.data(), last_bytes_count);
    ::tcsetattr(guarded_terminal, TCSANOW, &modes_before);
    sigma::terminal::FullScreen::write_held(guarded_terminal);  // no other code can do it now
}
void on_crash(int signal) {  // the default action is in force again
    put_right();
    ::raise(signal);
}

struct Ending {
    std::mutex mutex;
    std::function<void()> leave;
    std::terminate_handler before = nullptr;

    void run() {
        // A second ending thread, or the one that holds the lock, does not wait.
        const std::unique_lock lock(mutex, std::try_to_lock);
        if (lock && leave) leave();
        put_right();
    }
};
Ending& ending() {
    static Ending& only = *new Ending;  // outlives all destructors
    return only;
}

}  // namespace

Signals::Signals(int wake) {
    come = 0;
    wake_descriptor = wake;
}

Signals::~Signals() {
    unguard();
    wake_descriptor = -1;
}

void Signals::listen(int signal) {
    if (handler_of(signal) == SIG_DFL) set_handler(signal, &on_polite, SA_RESTART);
}

void Signals::guard(int terminal, const ::termios& modes, const std::string& bytes) {
    guarded_terminal = terminal;
    modes_before = modes;
    last_bytes_count = std::min(bytes.size(), last_bytes.size());
    std::copy_n(bytes.begin(), last_bytes_count, last_bytes.begin());
    guarded = true;
    for (const int signal : polite) listen(signal);
    for (const int signal : crashes)
        if (handler_of(signal) == SIG_DFL)
            set_handler(signal, &on_crash, SA_ONSTACK | static_cast<int>(SA_RESETHAND) | SA_NODEFER);
}

void Signals::unguard(int kept) {
    guarded = false;
    for (const int signal : polite)
        if (signal != kept && handler_of(signal) == &on_polite) set_handler(signal, SIG_DFL, 0);
    for (const int signal : crashes)
        if (handler_of(signal) == &on_crash) set_handler(signal, SIG_DFL, 0);
}

int Signals::take() {
    for (const int signal : polite) {
        const unsigned bit = 1u << static_cast<unsigned>(signal);
        if ((come & bit) == 0) continue;
        come &= ~bit;
        return signal;
    }
    return 0;
}

void Signals::apply_default(int signal) {
    set_handler(signal, SIG_DFL, 0);
    ::raise(signal);
}

void Signals::send(int signal, int terminal) {
    // A run with stop_on_interrupt restores the default action after an interrupt.
    if (guarded) listen(signal);
    const ::pid_t group = ::tcgetpgrp(terminal);
    ::kill(group > 0 && group == ::getpgrp() ? 0 : ::getpid(), signal);
}

void end_screen_by(std::function<void()> leave) {
    Ending& end = ending();
    const std::scoped_lock lock(end.mutex);
    end.leave = std::move(leave);
    if (end.before != nullptr) return;
    end.before = std::set_terminate([] {
        ending().run();
        ending().before();
    });
    std::atexit([] { ending().run(); });
}

}  // namespace sigma::monitor
