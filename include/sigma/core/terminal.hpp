// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>

/// Lines for a person: those that stay, and below them one that says how far things are and is written over. All that
/// this library prints goes through here, so that none tears another apart.
namespace sigma::terminal {

/// Is the file a terminal that a person looks at, and that can write over a line ($TERM is not "dumb")?
bool is_interactive(std::FILE* file);
/// Does the user's locale say that texts are UTF-8?
bool has_utf8();
/// Of the terminal, at present; 80 where nobody knows.
std::size_t columns(std::FILE* file);

/// How many columns a text of UTF-8 takes: East Asian characters two, combining ones none (by the blocks of Unicode
/// Standard Annex 11).
std::size_t width(std::string_view text);
/// The text on one line, cut to so many columns. What would move the cursor, and bytes that are no UTF-8, are "?", as
/// is all but ASCII where the terminal does not know UTF-8.
std::string shortened(std::string_view text, std::size_t columns, bool utf8 = has_utf8());

/// Prints whole lines, with a line break behind them if there is none, at once, above a status line. From any thread;
/// false where the file does not take them.
bool print(std::FILE* file, std::string_view lines);

/// What one thing says of itself in the last line of a terminal: how far it is. Standard output and standard error of
/// one terminal share that line, whichever thread writes. Where several say something the last one that began is seen,
/// until it is through. Nothing is written where the file is no terminal.
///
///     terminal::StatusLine status;
///     for (…) status.show(sentence("file ", i));
class StatusLine {
public:
    explicit StatusLine(std::FILE* file = stderr) : StatusLine(file, is_interactive(file)) {}
    StatusLine(std::FILE* file, bool interactive) : file_(file), interactive_(interactive) {}
    /// A copy has said nothing yet.
    StatusLine(const StatusLine& other) : StatusLine(other.file_, other.interactive_) {}
    /// Several may speak of one subject, a trainer say: what one says is in place of what another said.
    void speak_of(const void* subject) { subject_ = subject; }
    StatusLine& operator=(const StatusLine&) = delete;
    ~StatusLine() { hide(); }

    bool interactive() const { return interactive_; }
    std::FILE* file() const { return file_; }
    /// In place of what it said before; cut to the width of the terminal.
    void show(std::string_view line);
    void hide();
    /// Hides what it said, and prints lines that stay, on a terminal or not.
    void keep(std::string_view lines);

private:
    std::FILE* file_;
    bool interactive_;
    const void* subject_ = this;
};

/// What was last said of a subject stays as a line, if it is still to be seen.
void settle(const void* subject);

/// While it lives somebody draws on the whole terminal of the file. Lines for it are told, not written, and printed
/// when it ends, each to its stream, in order, the last mebibyte of them; what is said in the last line is not seen
/// until then.
class FullScreen {
public:
    using Tell = void (*)(void* context, std::string_view lines);
    /// `tell` is called by whoever prints, one at a time, and must not print itself. Throws Error where there is
    /// another full screen.
    FullScreen(std::FILE* file, Tell tell, void* context);
    FullScreen(const FullScreen&) = delete;
    FullScreen& operator=(const FullScreen&) = delete;
    ~FullScreen();

    /// For a handler of signals, when the process cannot go on: what is held is written there, and nowhere any more,
    /// without a lock and without memory. There must have been a full screen.
    static void write_held(int descriptor) noexcept;
};

}  // namespace sigma::terminal

namespace sigma::detail {

/// Ctrl-C of the terminal (SIGINT) while somebody listens: counted, and told to a thread that waits. The handler may do
/// no more: locks and conditions belong to threads.
class TerminalInterrupt {
public:
    /// Those of this process so far.
    static unsigned count() noexcept;
    /// The next one is counted, and the one after it ends the process as it does without. Nothing changes where the
    /// process ignores it (nohup, a job in the background). Not to be called by two threads at once, nor restore.
    static void listen();
    /// What the program did on it before, unless it has set another handler meanwhile.
    static void restore();
    /// Until there was one, or a call of wake.
    static void wait();
    static void wake() noexcept;
    /// One more, for the program.
    static void pass_on();
};

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/core/impl/terminal.ipp>
#endif
