// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/error.hpp>
#include <sigma/core/terminal.hpp>
#include <sigma/storage/error.hpp>

#include "terminal/model.hpp"
#include "terminal/screen.hpp"
#include "terminal/signals.hpp"
#include "terminal/view.hpp"

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace sigma::monitor {

inline std::atomic<bool> session_is_there{false};  // signals and exit() can handle one session

/// Opens the source of keys: standard input, or the terminal of the process if standard input is not one.
inline int keys_descriptor() {
    return ::isatty(STDIN_FILENO) == 1 ? ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
                                       : ::open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC);
}

/// An event for which one thread waits with poll() (eventfd of Linux).
class WakeUp {
public:
    WakeUp() : descriptor_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
        if (descriptor_ < 0)
            throw Error(sentence("a full screen: cannot create an event: ", storage::system_text(errno)));
    }
    ~WakeUp() { ::close(descriptor_); }
    WakeUp(const WakeUp&) = delete;
    WakeUp& operator=(const WakeUp&) = delete;
    void wake() const {
        const std::uint64_t one = 1;
        [[maybe_unused]] const auto written = ::write(descriptor_, &one, sizeof one);
    }
    void forget() const {
        std::uint64_t count = 0;
        [[maybe_unused]] const auto taken = ::read(descriptor_, &count, sizeof count);
    }
    int descriptor() const { return descriptor_; }

private:
    int descriptor_;
};

/// A full screen on standard output, and keys, handled by one thread. While the process is in the background there is
/// no screen, and lines are printed as usual.
class Session {
public:
    /// Returns whether a screen is possible: standard output is a terminal, and keys can be read.
    static bool possible() {
        if (!sigma::terminal::is_interactive(stdout)) return false;
        const int keys = keys_descriptor();
        if (keys >= 0) ::close(keys);
        return keys >= 0;
    }

    /// Returns when the screen is up or has failed. Throws Error if there is another one.
    Session(Model& model, WakeUp& wake) : model_(model), wake_(wake) {
        if (session_is_there.exchange(true)) throw Error("a full screen: the process already has one");
        input_ = keys_descriptor();
        output_ = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
        end_screen_by([this] {
            if (std::this_thread::get_id() == thread_.get_id()) return;
            ending_ = true;
            wake_.wake();
            std::unique_lock lock(mutex_);  // bounded wait: the thread itself may have failed
            changed_.wait_for(lock, std::chrono::seconds(2), [&] { return over_ && !up_; });
        });
        thread_ = std::thread([this] { run(); });
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return tried_; });
        if (!failed_) return;
        lock.unlock();
        end();
        std::rethrow_exception(failed_);
    }
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;
    ~Session() { end(); }

    bool up() const { return up_; }
    /// Returns whether the screen has failed or its terminal was closed.
    bool over() const { return ending_; }
    /// Waits until the user has left the screen.
    void wait() const {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return over_; });
    }
    /// Leaves the screen until `open`, or until the process is stopped and continues in the foreground by a shell's fg.
    void leave() {
        left_ = true;
        wake_.wake();
    }
    void open() {
        {
            const std::scoped_lock lock(mutex_);  // later calls of wait() wait for this screen
            left_ = false;
            if (!ending_) over_ = false;
        }
        wake_.wake();
    }

private:
    void end() {
        ending_ = true;
        wake_.wake();
        thread_.join();
        end_screen_by({});
        ::close(input_);
        ::close(output_);
        session_is_there = false;
    }
    void run() {
        // If another process group has the terminal, these signals would stop the process; the calls fail instead.
        ::sigset_t blocked;
        ::sigemptyset(&blocked);
        ::sigaddset(&blocked, SIGTTOU);
        ::sigaddset(&blocked, SIGTTIN);
        ::pthread_sigmask(SIG_BLOCK, &blocked, nullptr);
        {
            std::unique_ptr<Screen> screen;
            Signals signals(wake_.descriptor());
            try {
                if (!in_background()) enter(screen, signals);
                {
                    const std::scoped_lock lock(mutex_);
                    tried_ = true;
                }
                changed_.notify_all();
                while (!ending_) turn(screen, signals);
            } catch (...) {
                const std::scoped_lock lock(mutex_);
                failed_ = std::current_exception();
                tried_ = true;
            }
            give_back(screen, signals);
        }
        {
            const std::scoped_lock lock(mutex_);
            over_ = true;
        }
        changed_.notify_all();
    }
    void turn(std::unique_ptr<Screen>& screen, Signals& signals) {
        if (left_ && !ending_) {
            give_back(screen, signals);
            signals.expect(SIGCONT);
            {
                const std::scoped_lock lock(mutex_);
                over_ = left_;
            }
            changed_.notify_all();
        }
        wait_for_something(up_);
        handle_signals(screen, signals);
        if (ending_ || left_) return;
        if (in_background()) return give_back(screen, signals);
        if (!up_) return enter(screen, signals);
        for (Key key = screen->key(); key != Key::none && !ending_ && !left_; key = screen->key())
            press(key, *screen, signals);
        if (!ending_ && !left_) paint(*screen);
    }
    void enter(std::unique_ptr<Screen>& screen, Signals& signals) {
        hidden_ = std::make_unique<Hidden>(model_);
        if (screen) screen->enter();
        else screen = Screen::open(input_, output_);
        if (!screen) {  // an unknown kind of terminal
            hidden_.reset();
            ending_ = true;
            return;
        }
        signals.guard(output_, screen->modes(), screen->bytes_that_leave());
        up_ = true;
        paint(*screen);
    }
    void give_back(std::unique_ptr<Screen>& screen, Signals& signals) {
        if (!up_) return;
        if (in_background()) screen->lose();
        else screen->leave();
        signals.unguard(left_ ? SIGCONT : 0);  // the user may stop and continue the process at once
        hidden_.reset();
        up_ = false;
    }
    void handle_signals(std::unique_ptr<Screen>& screen, Signals& signals) {
        while (const int signal = signals.take()) {
            give_back(screen, signals);  // also after SIGCONT: another process has changed the terminal meanwhile
            if (signal == SIGCONT) open();
            else signals.apply_default(signal);
        }
    }
    void press(Key key, Screen& screen, Signals& signals) {
        if (look(key, seen_, choice_)) return;
        const Wish wish = wish_of(key, seen_, choice_);
        switch (wish) {
            case Wish::nothing: return;
            case Wish::leave: left_ = true; return;
            case Wish::redraw: screen.redraw(); return;
            case Wish::interrupt: signals.send(SIGINT, output_); return;
            case Wish::suspend: signals.send(SIGTSTP, output_); return;
            case Wish::quit: signals.send(SIGQUIT, output_); return;
            default: model_.command(wish, choice_); return;
        }
    }
    void paint(Screen& screen) {
        const auto [columns, rows] = screen.size();
        seen_ = model_.look(choice_, columns);
        Grid grid(columns, rows, sigma::terminal::has_utf8());
        draw(grid, seen_, choice_);
        screen.show(grid);
    }
    bool in_background() const {
        const ::pid_t group = ::tcgetpgrp(output_);
        return group > 0 && group != ::getpgrp();
    }
    /// Waits for an event or, unless the screen was left, for the next drawing. Returns whether there was an event.
    bool wait_for_something(bool keys) {
        std::array<::pollfd, 2> from = {::pollfd{wake_.descriptor(), POLLIN, 0}, ::pollfd{input_, POLLIN, 0}};
        const int found = ::poll(from.data(), keys ? 2 : 1, left_ ? -1 : between_paintings);
        wake_.forget();
        if (keys && (from[1].revents & (POLLHUP | POLLERR | POLLNVAL)) != 0) ending_ = true;  // the terminal was closed
        return found > 0;
    }

    static constexpr int between_paintings = 200;  // ms

    /// The library's lines while the screen is up.
    struct Hidden {
        explicit Hidden(Model& model)
            : screen(stdout, [](void* to, std::string_view lines) { static_cast<Model*>(to)->add(lines); }, &model) {}
        sigma::terminal::FullScreen screen;
    };
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
