// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "terminal/grid.hpp"
#include "terminal/view.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include <termios.h>

namespace sigma::monitor {

/// A terminal of which the whole screen is drawn, by ncurses. All calls are from one thread.
class Screen {
public:
    /// Nothing where the terminal is of no kind that ncurses knows. The descriptors stay the caller's.
    static std::unique_ptr<Screen> open(int input, int output);
    Screen(const Screen&) = delete;
    Screen& operator=(const Screen&) = delete;
    /// Leaves it, if it is up.
    ~Screen();

    bool up() const { return up_; }
    /// Takes the screen, again after `leave`.
    void enter();
    void leave();
    /// Somebody has taken it from us, and has set it up for himself.
    void lose();

    /// Columns and rows, which may be others than before.
    std::pair<std::size_t, std::size_t> size();
    void show(const Grid& grid);
    /// All anew: somebody else has written there.
    void redraw();
    /// A key that was pressed, without waiting.
    Key key();

    /// How the terminal was before, and what brings it back.
    const ::termios& modes() const { return modes_; }
    const std::string& bytes_that_leave() const { return bytes_; }

private:
    struct Handle;
    explicit Screen(std::unique_ptr<Handle> handle);

    std::unique_ptr<Handle> handle_;
    ::termios modes_{};
    std::string bytes_;
    bool up_ = false, lost_ = false, colours_ = false;
    int output_ = -1;
};

}  // namespace sigma::monitor
