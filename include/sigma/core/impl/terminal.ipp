// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/error.hpp>
#include <sigma/core/terminal.hpp>
#include <sigma/core/utf8_length.hpp>

#include <semaphore.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <iterator>
#include <mutex>
#include <utility>
#include <vector>

namespace sigma::detail {

/// The identity of the file behind a stream: standard output and standard error may be the same terminal.
struct TerminalPlace {
    std::uint64_t device = 0, number = 0;
    friend bool operator==(const TerminalPlace&, const TerminalPlace&) = default;
};
inline TerminalPlace terminal_of(std::FILE* file) {
    struct stat found{};
    const int descriptor = ::fileno(file);
    if (descriptor < 0 || ::fstat(descriptor, &found) != 0) return {0, reinterpret_cast<std::uintptr_t>(file)};
    return {static_cast<std::uint64_t>(found.st_dev), static_cast<std::uint64_t>(found.st_ino)};
}

/// The last mebibyte of lines, in a ring that a crash handler can also read, without locks and allocations. The handler
/// does not see lines that are being added.
class HeldLines {
public:
    static constexpr std::size_t most = 1 << 20;  // bytes

    void begin() {
        if (ring_ == nullptr) ring_ = new char[most];
    }
    void add(std::FILE* file, std::string_view lines) {
        if (begin_ == end_) parts_.clear();  // a signal handler may have written them
        const auto bytes_of = [](std::string_view all) { return all.size() + (all.ends_with('\n') ? 0 : 1); };
        if (bytes_of(lines) > most) {
            while (!parts_.empty()) leave_out(static_cast<std::size_t>(end_ - begin_));
            const std::size_t cut = std::min(lines.find('\n', bytes_of(lines) - most - 1), lines.size() - 1) + 1;
            left_out_ += static_cast<std::size_t>(
                             std::count(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(cut - 1), '\n')) +
                         1;
            left_out_of_ = file;
            lines.remove_prefix(cut);
            if (lines.empty()) return;
        }
        const std::size_t size = bytes_of(lines);
        while (end_ - begin_ + size > most) leave_out(static_cast<std::size_t>(end_ - begin_) + size - most);
        // Lines are stored in parts, so that take() makes strings of limited length.
        if (parts_.empty() || parts_.back().file != file || parts_.back().bytes >= most_of_a_part)
            parts_.push_back({file, 0});
        parts_.back().bytes += size;
        put(end_, lines);
        if (size > lines.size()) put(end_ + lines.size(), "\n");
        end_ += size;
    }
    /// Calls f(file, lines) for all held lines, in order, and removes them.
    template <class F>
    void take(F f) {
        if (const std::size_t lines = left_out_.exchange(0); lines > 0)
            f(left_out_of_, sentence("earlier lines left out: ", lines));
        if (begin_ == end_) parts_.clear();
        while (!parts_.empty()) {
            const Part part = parts_.front();
            std::string text(part.bytes, '\0');
            for (std::size_t i = 0; i < part.bytes; ++i) text[i] = ring_[(begin_ + i) % most];
            f(part.file, text);
            begin_ += part.bytes;
            parts_.pop_front();
        }
    }
    /// Writes the held lines from a signal handler, when the process cannot continue.
    void write_to(int descriptor) noexcept {
        constexpr std::string_view gap = "earlier lines left out\n";
        if (left_out_ > 0 && ::write(descriptor, gap.data(), gap.size()) < 0) return;
        const std::uint64_t end = end_;
        for (std::uint64_t at = begin_.exchange(end); at < end;) {
            const std::size_t place = at % most;
            const auto written = ::write(descriptor, ring_ + place, std::min<std::uint64_t>(end - at, most - place));
            if (written > 0) at += static_cast<std::uint64_t>(written);
            else if (written == 0 || errno != EINTR) return;
        }
    }

private:
    struct Part {
        std::FILE* file;
        std::size_t bytes;
    };
    static constexpr std::size_t most_of_a_part = 1 << 16;

    void put(std::uint64_t at, std::string_view bytes) {
        for (const char c : bytes) ring_[at++ % most] = c;
    }
    /// Removes the first lines: at least so many bytes, or all of the first part.
    void leave_out(std::size_t bytes) {
        Part& first = parts_.front();
        std::uint64_t end = begin_;
        std::size_t lines = 0;
        for (const std::uint64_t last = begin_ + first.bytes; end < last; ++end) {
            if (ring_[end % most] != '\n') continue;
            ++lines;
            if (end + 1 - begin_ >= bytes) {
                ++end;
                break;
            }
        }
        left_out_ += lines;
        left_out_of_ = first.file;
        first.bytes -= static_cast<std::size_t>(end - begin_);
        begin_ = end;
        if (first.bytes == 0) parts_.pop_front();
    }

    char* ring_ = nullptr;                          // never freed: a signal may arrive at any time
    std::atomic<std::uint64_t> begin_{0}, end_{0};  // positions among all bytes ever held
    std::atomic<std::size_t> left_out_{0};          // lines removed before those that are held
    std::FILE* left_out_of_ = nullptr;
    std::deque<Part> parts_;
};

/// The status lines of all terminals.
struct StatusBoard {
    struct Status {
        const void* subject;
        TerminalPlace place;
        std::FILE* file;
        std::string line;
    };
    std::mutex mutex;
    std::vector<Status> statuses;  // in the order in which they began; the last one of a terminal is visible
    std::string text;              // a member, so that its memory is reused

    /// The full screen that hides the lines of one terminal, and the lines to print after it.
    bool hidden = false;
    TerminalPlace hidden_place;
    terminal::FullScreen::Tell tell = nullptr;
    void* context = nullptr;
    HeldLines held;

    bool is_hidden(const TerminalPlace& place) const { return hidden && place == hidden_place; }
    const Status* visible(const TerminalPlace& place) const {
        const auto last =
            std::find_if(statuses.rbegin(), statuses.rend(), [&](const Status& s) { return s.place == place; });
        return last == statuses.rend() ? nullptr : &*last;
    }
    /// Appends the visible status line of the terminal, if any.
    void append_line(std::FILE* file, const TerminalPlace& place) {
        if (const Status* now = visible(place)) text += terminal::shortened(now->line, terminal::columns(file) - 1);
    }
    bool write(std::FILE* file) const {
        const bool taken = std::fwrite(text.data(), 1, text.size(), file) == text.size();
        return std::fflush(file) == 0 && taken;
    }
    bool print(std::FILE* file, const TerminalPlace& place, bool over, std::string_view lines) {
        if (is_hidden(place)) {
            held.add(file, lines);
            tell(context, lines);
            return true;
        }
        text = over ? "\r\033[K" : "";
        text += lines;
        if (lines.empty() || lines.back() != '\n') text += '\n';
        append_line(file, place);
        return write(file);
    }
    std::vector<Status>::iterator find(const void* subject) {
        return std::find_if(statuses.begin(), statuses.end(), [&](const Status& s) { return s.subject == subject; });
    }
    bool erase(const void* subject) {
        return std::erase_if(statuses, [&](const Status& s) { return s.subject == subject; }) != 0;
    }
};

/// Returns the board of the process. It is never destroyed, because threads may outlive main().
inline StatusBoard& status_board() {
    static StatusBoard& board = *new StatusBoard;
    return board;
}

inline bool is_within(std::uint32_t character, const std::uint32_t (&blocks)[][2], std::size_t count) {
    return std::any_of(blocks, blocks + count, [&](const auto& b) { return b[0] <= character && character <= b[1]; });
}

/// Returns the number of columns of a character; -1 if it is not shown, because it would move the cursor or change the
/// direction.
inline int columns_of_character(std::uint32_t c) {
    static constexpr std::uint32_t control[][2] = {
        {0, 0x1f}, {0x7f, 0x9f}, {0x200e, 0x200f}, {0x2028, 0x202e}, {0x2066, 0x2069}};
    static constexpr std::uint32_t none[][2] = {
        {0x300, 0x36f},   {0x483, 0x489},   {0x591, 0x5bd},   {0x610, 0x61a},    {0x64b, 0x65f},   {0x1ab0, 0x1aff},
        {0x1dc0, 0x1dff}, {0x200b, 0x200d}, {0x2060, 0x2064}, {0x20d0, 0x20f0},  {0x302a, 0x302d}, {0x3099, 0x309a},
        {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f}, {0xfeff, 0xfeff}, {0xe0100, 0xe01ef}};
    static constexpr std::uint32_t two[][2] = {
        {0x1100, 0x115f},   {0x231a, 0x231b},   {0x2e80, 0x303e},   {0x3041, 0x4dbf},   {0x4e00, 0xa4cf},
        {0xa960, 0xa97c},   {0xac00, 0xd7a3},   {0xf900, 0xfaff},   {0xfe30, 0xfe6b},   {0xff01, 0xff60},
        {0xffe0, 0xffe6},   {0x1f300, 0x1f320}, {0x1f32d, 0x1f335}, {0x1f337, 0x1f37c}, {0x1f3a0, 0x1f3ca},
        {0x1f400, 0x1f43e}, {0x1f442, 0x1f4fc}, {0x1f600, 0x1f64f}, {0x1f680, 0x1f6c5}, {0x1f900, 0x1f9ff},
        {0x20000, 0x3fffd}};
    if (is_within(c, control, std::size(control))) return -1;
    if (c < 0x300) return 1;
    if (is_within(c, none, std::size(none))) return 0;
    return is_within(c, two, std::size(two)) ? 2 : 1;
}

/// Calls f(bytes, columns) for each character, with -1 columns if it is not shown.
template <class F>
void for_each_character(std::string_view text, F f) {
    while (!text.empty()) {
        const std::size_t length = utf8_length(text);
        int size = -1;
        if (length > 0) {
            static constexpr unsigned lead[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
            std::uint32_t c = static_cast<unsigned char>(text[0]) & lead[length];
            for (std::size_t i = 1; i < length; ++i) c = c << 6 | (static_cast<unsigned char>(text[i]) & 0x3fu);
            size = columns_of_character(c);
        }
        const std::size_t taken = length == 0 ? 1 : length;
        if (!f(text.substr(0, taken), size)) return;
        text.remove_prefix(taken);
    }
}

}  // namespace sigma::detail

namespace sigma::terminal {

SIGMA_IMPL bool is_interactive(std::FILE* file) {
    const char* const kind = std::getenv("TERM");
    return ::isatty(::fileno(file)) == 1 && (kind == nullptr || std::string_view(kind) != "dumb");
}

SIGMA_IMPL bool has_utf8() {
    for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"})
        if (const char* value = std::getenv(name); value != nullptr && *value != '\0') {
            const std::string_view locale = value;
            return locale.find("UTF-8") != locale.npos || locale.find("utf-8") != locale.npos ||
                   locale.find("utf8") != locale.npos;
        }
    return false;
}

SIGMA_IMPL std::size_t columns(std::FILE* file) {
    ::winsize size{};
    return ::ioctl(::fileno(file), TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col : 80;
}

SIGMA_IMPL std::size_t width(std::string_view text) {
    std::size_t columns = 0;
    detail::for_each_character(text, [&](std::string_view, int size) {
        columns += size < 0 ? 1 : static_cast<std::size_t>(size);
        return true;
    });
    return columns;
}

SIGMA_IMPL std::string shortened(std::string_view text, std::size_t columns, bool utf8) {
    std::string line;
    std::size_t left = columns;
    detail::for_each_character(text, [&](std::string_view character, int size) {
        const bool shown = size >= 0 && (utf8 || character.size() == 1);
        const std::size_t taken = shown ? static_cast<std::size_t>(size) : 1;
        if (taken > left) return false;
        left -= taken;
        line += shown ? character : "?";
        return true;
    });
    return line;
}

SIGMA_IMPL bool print(std::FILE* file, std::string_view lines) {
    detail::StatusBoard& board = detail::status_board();
    const std::scoped_lock lock(board.mutex);
    const detail::TerminalPlace place = detail::terminal_of(file);
    return board.print(file, place, board.visible(place) != nullptr, lines);
}

SIGMA_IMPL void StatusLine::show(std::string_view line) {
    if (!interactive_) return;
    detail::StatusBoard& board = detail::status_board();
    const std::scoped_lock lock(board.mutex);
    const detail::TerminalPlace place = detail::terminal_of(file_);
    const auto own = board.find(subject_);
    if (own == board.statuses.end()) board.statuses.push_back({subject_, place, file_, std::string(line)});
    else own->line = line, own->place = place, own->file = file_;
    if (board.visible(place)->subject != subject_ || board.is_hidden(place)) return;
    board.text = '\r';
    board.append_line(file_, place);
    board.text += "\033[K";
    board.write(file_);
}

SIGMA_IMPL void StatusLine::hide() {
    if (!interactive_) return;
    detail::StatusBoard& board = detail::status_board();
    const std::scoped_lock lock(board.mutex);
    const detail::TerminalPlace place = detail::terminal_of(file_);
    if (!board.erase(subject_) || board.is_hidden(place)) return;
    board.text = "\r\033[K";
    board.append_line(file_, place);
    board.write(file_);
}

SIGMA_IMPL void StatusLine::keep(std::string_view lines) {
    detail::StatusBoard& board = detail::status_board();
    const std::scoped_lock lock(board.mutex);
    const detail::TerminalPlace place = detail::terminal_of(file_);
    const bool over = board.visible(place) != nullptr;
    board.erase(subject_);
    board.print(file_, place, over, lines);
}

SIGMA_IMPL void keep_line(const void* subject) {
    detail::StatusBoard& board = detail::status_board();
    const std::scoped_lock lock(board.mutex);
    const auto found = board.find(subject);
    if (found == board.statuses.end()) return;
    const detail::StatusBoard::Status last = std::move(*found);
    board.statuses.erase(found);
    board.print(last.file, last.place, true, last.line);
}

SIGMA_IMPL FullScreen::FullScreen(std::FILE* file, Tell tell, void* context) {
    detail::StatusBoard& board = detail::status_board();
    const std::scoped_lock lock(board.mutex);
    if (board.hidden) throw Error("a full screen: the process already has one");
    const detail::TerminalPlace place = detail::terminal_of(file);
    if (const auto* seen = board.visible(place)) {
        board.text = "\r\033[K";
        board.write(seen->file);
    }
    board.hidden_place = place;
    board.tell = tell;
    board.context = context;
    board.held.begin();
    board.hidden = true;
}

SIGMA_IMPL FullScreen::~FullScreen() {
    detail::StatusBoard& board = detail::status_board();
    const std::scoped_lock lock(board.mutex);
    board.hidden = false;
    bool over = false;
    board.held.take([&](std::FILE* file, std::string_view lines) {
        board.print(file, board.hidden_place, over, lines);
        over = board.visible(board.hidden_place) != nullptr;
    });
    const auto* seen = board.visible(board.hidden_place);
    if (seen == nullptr || over) return;
    board.text = '\r';
    board.append_line(seen->file, board.hidden_place);
    board.write(seen->file);
}

SIGMA_IMPL void FullScreen::write_held(int descriptor) noexcept { detail::status_board().held.write_to(descriptor); }

}  // namespace sigma::terminal

namespace sigma::detail {

struct InterruptState {
    std::atomic<unsigned> signals_seen{0};
    static_assert(std::atomic<unsigned>::is_always_lock_free);
    ::sem_t wake;
    bool listens = false;       // whether the handler was set since restore
    struct sigaction before{};  // the previous handler of the program

    InterruptState() { ::sem_init(&wake, 0, 0); }
};
/// Returns the state of the process. It is never destroyed, because a process may exit during a run.
SIGMA_IMPL InterruptState& interrupt_state() {
    static InterruptState& only = *new InterruptState;
    return only;
}

using InterruptHandler = void (*)(int);
SIGMA_IMPL void count_interrupt(int) {
    ++interrupt_state().signals_seen;
    ::sem_post(&interrupt_state().wake);
}
SIGMA_IMPL InterruptHandler handler_now() {
    struct sigaction now{};
    ::sigaction(SIGINT, nullptr, &now);
    return now.sa_handler;
}

SIGMA_IMPL unsigned TerminalInterrupt::count() noexcept { return interrupt_state().signals_seen; }

SIGMA_IMPL void TerminalInterrupt::listen() {
    InterruptState& state = interrupt_state();
    const InterruptHandler now = handler_now();
    if (now == &count_interrupt || now == SIG_IGN) return;
    // After a signal the default handler is active, so that later runs must set theirs again.
    if (!state.listens || now != SIG_DFL) ::sigaction(SIGINT, nullptr, &state.before);
    state.listens = true;
    struct sigaction ours{};
    ours.sa_handler = &count_interrupt;
    ours.sa_flags = SA_RESTART | static_cast<int>(SA_RESETHAND);
    ::sigemptyset(&ours.sa_mask);
    ::sigaction(SIGINT, &ours, nullptr);
}

SIGMA_IMPL void TerminalInterrupt::restore() {
    InterruptState& state = interrupt_state();
    const InterruptHandler now = handler_now();
    if (state.listens && (now == &count_interrupt || now == SIG_DFL)) ::sigaction(SIGINT, &state.before, nullptr);
    state.listens = false;
}

SIGMA_IMPL void TerminalInterrupt::wait() {
    while (::sem_wait(&interrupt_state().wake) != 0) {}  // interrupted by another signal
}

SIGMA_IMPL void TerminalInterrupt::wake() noexcept { ::sem_post(&interrupt_state().wake); }

SIGMA_IMPL void TerminalInterrupt::pass_on() { ::raise(SIGINT); }

}  // namespace sigma::detail
