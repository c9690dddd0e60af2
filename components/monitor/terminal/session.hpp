// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "terminal/model.hpp"
#include "terminal/view.hpp"

#include <atomic>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>

namespace sigma::monitor {

class Screen;
class Signals;

/// An event for which one thread waits with poll() (eventfd of Linux).
class WakeUp {
public:
    WakeUp();
    ~WakeUp();
    WakeUp(const WakeUp&) = delete;
    WakeUp& operator=(const WakeUp&) = delete;
    void wake() const;
    void forget() const;
    int descriptor() const { return descriptor_; }

private:
    int descriptor_;
};

/// A full screen on standard output, and keys, handled by one thread. While the process is in the background there is
/// no screen, and lines are printed as usual.
class Session {
public:
    /// Returns whether a screen is possible: standard output is a terminal, and keys can be read.
    static bool possible();

    /// Returns when the screen is up or has failed. Throws Error if there is another one.
    Session(Model& model, WakeUp& wake);
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;
    ~Session();

    bool up() const { return up_; }
    /// Returns whether the screen has failed or its terminal was closed.
    bool over() const { return ending_; }
    /// Waits until the user has left the screen.
    void wait() const;
    /// Leaves the screen until `open`, or until the process is stopped and continues in the foreground by a shell's fg.
    void leave();
    void open();

private:
    void end();
    void run();
    void turn(std::unique_ptr<Screen>& screen, Signals& signals);
    void enter(std::unique_ptr<Screen>& screen, Signals& signals);
    void give_back(std::unique_ptr<Screen>& screen, Signals& signals);
    void handle_signals(std::unique_ptr<Screen>& screen, Signals& signals);
    void press(Key key, Screen& screen, Signals& signals);
    void paint(Screen& screen);
    bool in_background() const;
    bool wait_for_something(bool keys);

    struct Hidden;  // the library's lines while the screen is up
    Model& model_;
    WakeUp& wake_;
    int input_ = -1, output_ = -1;
    std::unique_ptr<Hidden> hidden_;
    Seen seen_;
    Choice choice_;

    std::atomic<bool> up_{false}, ending_{false}, left_{false};
    mutable std::mutex mutex_;
    mutable std::condition_variable changed_;
    bool tried_ = false, over_ = false;  // over_: the screen was left or has ended
    std::exception_ptr failed_;
    std::thread thread_;  // last: it uses all other members
};

}  // namespace sigma::monitor
