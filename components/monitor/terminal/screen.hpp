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

/// A full-screen terminal, drawn with ncurses. Use it from one thread.
class Screen {
public:
    /// Opens a screen; returns null for a terminal that ncurses does not know. The caller keeps the descriptors.
    static std::unique_ptr<Screen> open(int input, int output);
    Screen(const Screen&) = delete;
    Screen& operator=(const Screen&) = delete;
    /// Leaves the screen if it is up.
    ~Screen();

    bool up() const { return up_; }
    /// Opens the screen, also again after `leave`.
    void enter();
    void leave();
    /// Notes that another process has used the terminal with its own settings.
    void lose();

    /// Returns columns and rows, which may have changed.
    std::pair<std::size_t, std::size_t> size();
    void show(const Grid& grid);
    /// Draws everything again, after other output on the terminal.
    void redraw();
    /// Returns a key that was pressed, without waiting.
    Key key();

    /// Returns the previous modes of the terminal, and the bytes that leave the screen.
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
