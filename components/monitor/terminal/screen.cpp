// SPDX-License-Identifier: BSL-1.0
#include "terminal/screen.hpp"

#include <sigma/core/utf8_length.hpp>

#include <locale.h>
#include <array>
#include <clocale>
#include <cstdio>
#include <cstdlib>

#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define NCURSES_NOMACROS 1
#define NCURSES_WIDECHAR 1
#include <curses.h>
#include <term.h>
// Its macros have the names of terminal capabilities.
#undef columns
#undef back_tab

namespace sigma::monitor {

namespace {

/// Sets a UTF-8 locale for this thread, without changing the locale of the program.
class Locale {
public:
    Locale() {
        for (const char* name : {"", "C.UTF-8"}) {
            place_ = ::newlocale(LC_CTYPE_MASK, name, nullptr);
            if (place_ != nullptr) break;
        }
        if (place_ != nullptr) before_ = ::uselocale(place_);
    }
    ~Locale() {
        if (place_ == nullptr) return;
        ::uselocale(before_);
        ::freelocale(place_);
    }
    Locale(const Locale&) = delete;
    Locale& operator=(const Locale&) = delete;

private:
    ::locale_t place_{}, before_{};
};

/// Keeps ncurses from installing handlers for these signals, as it does once if the program has none. Signals handles
/// them.
class WithoutHandlersOfCurses {
public:
    WithoutHandlersOfCurses() {
        for (std::size_t i = 0; i < signals.size(); ++i) {
            ::sigaction(signals[i], nullptr, &before_[i]);
            struct sigaction ignored = before_[i];
            if (before_[i].sa_handler == SIG_DFL) ignored.sa_handler = [](int) {};
            ::sigaction(signals[i], &ignored, nullptr);
        }
    }
    ~WithoutHandlersOfCurses() {
        for (std::size_t i = 0; i < signals.size(); ++i) ::sigaction(signals[i], &before_[i], nullptr);
    }
    WithoutHandlersOfCurses(const WithoutHandlersOfCurses&) = delete;
    WithoutHandlersOfCurses& operator=(const WithoutHandlersOfCurses&) = delete;

private:
    static constexpr std::array signals = {SIGINT, SIGTERM, SIGTSTP, SIGWINCH};
    std::array<struct sigaction, signals.size()> before_{};
};

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;
File stream(int descriptor, const char* mode) {
    const int own = ::dup(descriptor);
    std::FILE* const opened = own < 0 ? nullptr : ::fdopen(own, mode);
    if (opened == nullptr && own >= 0) ::close(own);
    return {opened, &std::fclose};
}

std::string& collected() {
    static std::string bytes;
    return bytes;
}
int collect(int byte) {
    collected() += static_cast<char>(byte);
    return byte;
}

::chtype attributes_of(Style style, bool colours) {
    const auto coloured = [&](int pair, ::chtype more = 0) -> ::chtype {
        return colours ? static_cast<::chtype>(::COLOR_PAIR(pair)) | more : more;
    };
    switch (style) {
        case Style::plain: return 0;
        case Style::faint: return A_DIM;
        case Style::strong: return A_BOLD;
        case Style::key: return coloured(4, A_BOLD);
        case Style::good: return coloured(2);
        case Style::warning: return coloured(3);
        case Style::bad: return coloured(1, A_BOLD);
        case Style::first: return coloured(6);
        case Style::second: return coloured(3);
        case Style::third: return coloured(5);
        case Style::fourth: return coloured(2);
    }
    return 0;
}

/// Returns the characters of a cell, which are valid UTF-8, and a final 0.
std::array<wchar_t, CCHARW_MAX + 1> wide(std::string_view text) {
    std::array<wchar_t, CCHARW_MAX + 1> result{};
    for (std::size_t i = 0; i < CCHARW_MAX && !text.empty(); ++i) {
        const std::size_t length = sigma::detail::utf8_length(text);
        if (length == 0) break;
        constexpr std::array<unsigned, 5> lead = {0, 0x7f, 0x1f, 0x0f, 0x07};
        unsigned character = static_cast<unsigned char>(text[0]) & lead[length];
        for (std::size_t k = 1; k < length; ++k)
            character = character << 6 | (static_cast<unsigned char>(text[k]) & 0x3fu);
        result[i] = static_cast<wchar_t>(character);
        text.remove_prefix(length);
    }
    return result;
}

}  // namespace

struct Screen::Handle {
    Handle(int from, int to) : input(stream(from, "r")), output(stream(to, "w")) {}
    Locale locale{};
    File input, output;
    ::SCREEN* screen = nullptr;
};

std::unique_ptr<Screen> Screen::open(int input, int output) {
    auto handle = std::make_unique<Handle>(input, output);
    if (!handle->input || !handle->output) return nullptr;
    ::termios modes{};
    if (::tcgetattr(output, &modes) != 0) return nullptr;
    int known = 0;  // newterm() would report it, too, but leak memory
    if (::setupterm(nullptr, output, &known) != OK) return nullptr;
    ::del_curterm(::cur_term);
    {
        const WithoutHandlersOfCurses quiet;
        ::use_env(FALSE);
        ::use_tioctl(TRUE);
        handle->screen = ::newterm(nullptr, handle->output.get(), handle->input.get());
    }
    if (handle->screen == nullptr) return nullptr;
    std::unique_ptr<Screen> result(new Screen(std::move(handle)));
    result->modes_ = modes;
    result->output_ = output;
    return result;
}

Screen::Screen(std::unique_ptr<Handle> handle) : handle_(std::move(handle)), up_(true) {
    ::raw();  // Ctrl-C, Ctrl-Z and Ctrl-\ arrive as keys
    ::noecho();
    ::nonl();
    ::keypad(::stdscr, TRUE);
    ::nodelay(::stdscr, TRUE);
    ::set_escdelay(25);
    ::curs_set(0);
    const char* const none = std::getenv("NO_COLOR");
    if (::has_colors() && (none == nullptr || *none == '\0') && ::start_color() == OK) {
        ::use_default_colors();
        for (short i = 1; i < 8; ++i) ::init_pair(i, i, -1);
        colours_ = true;
    }
    for (const char* what : {"sgr0", "rmkx", "cnorm", "rmcup"})
        if (const char* bytes = ::tigetstr(what); bytes != nullptr && bytes != reinterpret_cast<char*>(-1))
            ::tputs(bytes, 1, &collect);
    bytes_ = std::exchange(collected(), {});
}

Screen::~Screen() {
    leave();
    ::delscreen(handle_->screen);
}

void Screen::enter() {
    if (up_) return;
    ::tcgetattr(output_, &modes_);
    if (std::exchange(lost_, false)) ::endwin();  // updates the state of ncurses
    ::tcsetattr(output_, TCSADRAIN, &modes_);
    ::def_shell_mode();
    ::reset_prog_mode();
    ::clearok(::curscr, TRUE);
    up_ = true;
}

void Screen::leave() {
    if (!up_) return;
    ::endwin();
    ::tcsetattr(output_, TCSADRAIN, &modes_);
    up_ = false;
}

void Screen::lose() { lost_ = std::exchange(up_, false) || lost_; }

std::pair<std::size_t, std::size_t> Screen::size() {
    ::winsize now{};
    if (::ioctl(output_, TIOCGWINSZ, &now) == 0 && now.ws_col > 0 && now.ws_row > 0 &&
        (now.ws_col != ::getmaxx(::stdscr) || now.ws_row != ::getmaxy(::stdscr)))
        ::resizeterm(now.ws_row, now.ws_col);
    return {static_cast<std::size_t>(::getmaxx(::stdscr)), static_cast<std::size_t>(::getmaxy(::stdscr))};
}

void Screen::show(const Grid& grid) {
    ::werase(::stdscr);
    for (std::size_t y = 0; y < grid.rows(); ++y)
        for (std::size_t x = 0; x < grid.columns(); ++x) {
            const GridCell& cell = grid.at(x, y);
            if (cell.text.empty() || (cell.text == " " && cell.style == Style::plain)) continue;
            const ::chtype attributes = attributes_of(cell.style, colours_);
            ::cchar_t character{};
            ::setcchar(&character, wide(cell.text).data(), attributes,
                       static_cast<short>(::PAIR_NUMBER(static_cast<int>(attributes))), nullptr);
            ::mvwadd_wch(::stdscr, static_cast<int>(y), static_cast<int>(x), &character);
        }
    ::wrefresh(::stdscr);
}

void Screen::redraw() { ::clearok(::curscr, TRUE); }

Key Screen::key() {
    ::wint_t found = 0;
    const int kind = ::wget_wch(::stdscr, &found);
    if (kind == ERR) return Key::none;
    if (kind == OK) return found == '\r' ? Key::enter : Key{static_cast<char32_t>(found)};
    switch (found) {
        case KEY_UP: return Key::up;
        case KEY_DOWN: return Key::down;
        case KEY_LEFT: return Key::left;
        case KEY_RIGHT: return Key::right;
        case KEY_PPAGE: return Key::page_up;
        case KEY_NPAGE: return Key::page_down;
        case KEY_BTAB: return Key::back_tab;
        case KEY_ENTER: return Key::enter;
        case KEY_RESIZE: return Key::redraw;
        default: return Key{0x10FFFF};  // no action
    }
}

}  // namespace sigma::monitor
