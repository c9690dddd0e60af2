// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <functional>
#include <string>

#include <signal.h>
#include <termios.h>

namespace sigma::monitor {

/// What ends or stops the process while a full screen is up, where the program does nothing about it itself: SIGINT,
/// SIGTERM, SIGHUP, SIGQUIT and SIGTSTP wait for whoever has the screen to leave it; SIGCONT is told; a crash puts the
/// terminal right and goes on. One at a time, of one thread.
class Signals {
public:
    /// A descriptor (eventfd) that is written to when one has come.
    explicit Signals(int wake);
    Signals(const Signals&) = delete;
    Signals& operator=(const Signals&) = delete;
    ~Signals();

    /// The screen is up, and this puts the terminal right if nobody else can any more.
    void guard(int terminal, const ::termios& modes, const std::string& bytes);
    /// `kept` is told still, if it was.
    void unguard(int kept = 0);
    /// While there is no screen, one of those is told, too; until `guard` or `unguard`.
    void expect(int signal) { listen(signal); }
    /// One that has come since the last call, 0 where none has.
    int take();
    /// Does to this process what the signal does by default.
    void obey(int signal);
    /// As if the terminal had sent it: to all of the process' group where that has the terminal.
    void send(int signal, int terminal);

private:
    void listen(int signal);
};

/// exit() and std::terminate end a screen by calling this, on their thread; an empty one where there is none.
void end_screen_by(std::function<void()> leave);

}  // namespace sigma::monitor
