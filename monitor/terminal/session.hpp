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

/// A number that one thread waits for with poll() (Linux' eventfd).
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

/// Standard output as a full screen, and keys: a thread that alone knows the screen. While the process is in the
/// background it has none, and lines are printed as ever.
class Session {
public:
    /// Whether there can be one: standard output is a terminal, and there is something to read keys from.
    static bool possible();

    /// Returns when the screen is up, or cannot be. Throws Error where there is another.
    Session(Model& model, WakeUp& wake);
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;
    ~Session();

    bool up() const { return up_; }
    /// Whether it could not be, or nobody sits there any more.
    bool over() const { return ending_; }
    /// Until somebody has left it.
    void wait() const;
    /// The screen is given back, and comes again by `open`, or when the process is stopped and goes on in front: a
    /// shell's fg.
    void leave();
    void open();

private:
    void end();
    void run();
    void turn(std::unique_ptr<Screen>& screen, Signals& signals);
    void enter(std::unique_ptr<Screen>& screen, Signals& signals);
    void give_back(std::unique_ptr<Screen>& screen, Signals& signals);
    void obey_signals(std::unique_ptr<Screen>& screen, Signals& signals);
    void press(Key key, Screen& screen, Signals& signals);
    void paint(Screen& screen);
    bool in_background() const;
    bool wait_for_something(bool keys);

    struct Hidden;  // the lines of the library
    Model& model_;
    WakeUp& wake_;
    int input_ = -1, output_ = -1;
    std::unique_ptr<Hidden> hidden_;
    Seen seen_;
    Choice choice_;

    std::atomic<bool> up_{false}, ending_{false}, left_{false};
    mutable std::mutex mutex_;
    mutable std::condition_variable told_;
    bool tried_ = false, over_ = false;  // over_: it is left, or has ended
    std::exception_ptr failed_;
    std::thread thread_;  // last: it uses all of it
};

}  // namespace sigma::monitor
