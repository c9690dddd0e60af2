// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>

/// @cond internal
// Lines for people: lines that stay, and below them a status line that is overwritten. Everything that this library
// prints goes through here, so that no line interrupts another.
namespace sigma::terminal {

/// Returns whether the file is a terminal that can overwrite a line ($TERM is not "dumb").
bool is_interactive(std::FILE* file);
/// Returns whether the user's locale encodes texts as UTF-8.
bool has_utf8();
/// Returns the current number of columns of the terminal; 80 if it is unknown.
std::size_t columns(std::FILE* file);

/// Returns how many columns a text in UTF-8 takes: two for East Asian characters, none for combining ones (by the
/// blocks of Unicode Standard Annex 11).
std::size_t width(std::string_view text);
/// Returns the text on one line, cut to the given number of columns. Characters that move the cursor and bytes that are
/// not UTF-8 become "?". Without UTF-8 so do all characters that are not ASCII.
std::string shortened(std::string_view text, std::size_t columns, bool utf8 = has_utf8());

/// Prints whole lines at once, above the status line, and adds a missing line break at the end. You can call it from
/// any thread. Returns false if the file cannot be written.
bool print(std::FILE* file, std::string_view lines);

/// The progress of one thing in the last line of a terminal. Standard output and standard error of one terminal share
/// that line, whichever thread writes. If several status lines exist, the one that began last is shown, until it ends.
/// Nothing is written if the file is not a terminal.
///
///     terminal::StatusLine status;
///     for (…) status.show(sentence("file ", i));
class StatusLine {
public:
    explicit StatusLine(std::FILE* file = stderr) : StatusLine(file, is_interactive(file)) {}
    StatusLine(std::FILE* file, bool interactive) : file_(file), interactive_(interactive) {}
    /// Constructs a status line for the same file, which shows nothing yet.
    StatusLine(const StatusLine& other) : StatusLine(other.file_, other.interactive_) {}
    /// Sets the subject, such as a trainer. A line about a subject replaces other lines about the same subject.
    void set_subject(const void* subject) { subject_ = subject; }
    StatusLine& operator=(const StatusLine&) = delete;
    ~StatusLine() { hide(); }

    bool interactive() const { return interactive_; }
    std::FILE* file() const { return file_; }
    /// Shows a line, cut to the width of the terminal, in place of the previous one.
    void show(std::string_view line);
    void hide();
    /// Hides the line and prints lines that stay, whether the file is a terminal or not.
    void keep(std::string_view lines);

private:
    std::FILE* file_;
    bool interactive_;
    const void* subject_ = this;
};

/// Turns the status line about a subject into a line that stays, if it is still visible.
void keep_line(const void* subject);

/// A lock of the whole terminal of a file, for a display that fills the screen. Until it ends, lines are passed to a
/// function instead of being written, and the status line is hidden. At the end the lines (their last mebibyte) are
/// printed in order, each to its stream.
class FullScreen {
public:
    using Tell = void (*)(void* context, std::string_view lines);
    /// Locks the terminal. Threads that print call `tell`, one at a time; it must not print itself. Throws Error if
    /// another full screen exists.
    FullScreen(std::FILE* file, Tell tell, void* context);
    FullScreen(const FullScreen&) = delete;
    FullScreen& operator=(const FullScreen&) = delete;
    ~FullScreen();

    /// Writes the held lines to a descriptor, and then discards them, without locks and allocations. A signal handler
    /// calls it if the process cannot continue. A full screen must have existed.
    static void write_held(int descriptor) noexcept;
};

}  // namespace sigma::terminal

namespace sigma::detail {

/// Ctrl-C of the terminal (SIGINT): counts it and wakes a waiting thread. A signal handler may do no more, because
/// locks and conditions belong to threads.
class TerminalInterrupt {
public:
    /// Returns how many interrupts this process has received so far.
    static unsigned count() noexcept;
    /// Counts the next interrupt; the one after it ends the process as usual. Does nothing if the process ignores the
    /// signal (nohup, a job in the background). Two threads must not call listen or restore at the same time.
    static void listen();
    /// Restores the previous handler, unless the program has set another one since.
    static void restore();
    /// Waits for an interrupt or a call of wake.
    static void wait();
    static void wake() noexcept;
    /// Raises the signal again, for the handler of the program.
    static void pass_on();
};

}  // namespace sigma::detail
/// @endcond

#ifndef SIGMA_COMPILED
#include <sigma/core/impl/terminal.ipp>
#endif
