// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <functional>
#include <string>

#include <signal.h>
#include <termios.h>

namespace sigma::monitor {

/// Handlers for signals that end or stop the process while a full screen is up, unless the program handles them.
/// SIGINT, SIGTERM, SIGHUP, SIGQUIT and SIGTSTP wait until the screen is left, and SIGCONT is reported. A crash
/// restores the terminal and proceeds. One object at a time, used by one thread.
class Signals {
public:
    /// Installs the handlers. They write to `wake` (an eventfd) when a signal arrives.
    explicit Signals(int wake);
    Signals(const Signals&) = delete;
    Signals& operator=(const Signals&) = delete;
    ~Signals();

    /// Begins to handle signals, with the data that restores the terminal.
    void guard(int terminal, const ::termios& modes, const std::string& bytes);
    /// Ends handling signals, except `kept`.
    void unguard(int kept = 0);
    /// Reports a signal also without a screen, until `guard` or `unguard`.
    void expect(int signal) { listen(signal); }
    /// Returns a signal that has arrived since the last call; 0 if there is none.
    int take();
    /// Performs the default action of a signal.
    void apply_default(int signal);
    /// Sends a signal like the terminal: to the whole process group if it has the terminal.
    void send(int signal, int terminal);

private:
    void listen(int signal);
};

/// Sets the function with which exit() and std::terminate end a screen on their thread; empty: no screen.
void end_screen_by(std::function<void()> leave);

}  // namespace sigma::monitor
