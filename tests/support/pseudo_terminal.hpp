// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/terminal.hpp>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <pty.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace sigma {

/// The lines that a person sees of a terminal without scrolling: carriage returns, line breaks, "erase to the end of
/// the line", and lines that are too long go on in the next one. Characters are columns.
inline std::vector<std::string> screen_of(std::string_view written, std::size_t columns) {
    std::vector<std::u32string> rows(1);
    std::size_t row = 0, column = 0;
    for (std::size_t i = 0; i < written.size();) {
        const auto c = static_cast<unsigned char>(written[i]);
        if (c == '\r') {
            column = 0, ++i;
        } else if (c == '\n') {
            if (++row == rows.size()) rows.emplace_back();
            ++i;
        } else if (written.substr(i, 3) == "\033[K") {
            rows[row].resize(std::min(rows[row].size(), column)), i += 3;
        } else if (c < 0x20) {
            ++i;
        } else {
            const std::size_t length = c < 0x80 ? 1u : c < 0xe0 ? 2u : c < 0xf0 ? 3u : 4u;
            char32_t character = length == 1 ? c : c & (0x7fu >> length);
            for (std::size_t k = 1; k < length; ++k)
                character = character << 6 | (static_cast<unsigned char>(written[i + k]) & 0x3fu);
            if (column == columns) {
                column = 0;
                if (++row == rows.size()) rows.emplace_back();
            }
            if (rows[row].size() <= column) rows[row].resize(column + 1, U' ');
            rows[row][column++] = character;
            i += length;
        }
    }
    std::vector<std::string> lines;
    for (const std::u32string& r : rows) {
        std::string line;
        for (const char32_t x : r) {
            if (x < 0x80) line += static_cast<char>(x);
            else if (x < 0x800) (line += static_cast<char>(0xc0 | x >> 6)) += static_cast<char>(0x80 | (x & 0x3f));
            else if (x < 0x10000)
                ((line += static_cast<char>(0xe0 | x >> 12)) += static_cast<char>(0x80 | (x >> 6 & 0x3f))) +=
                    static_cast<char>(0x80 | (x & 0x3f));
        }
        lines.push_back(line);
    }
    while (!lines.empty() && lines.back().empty()) lines.pop_back();
    return lines;
}

/// A terminal that nobody sits at.
class PseudoTerminal {
public:
    explicit PseudoTerminal(unsigned short columns = 60) : columns_(columns) {
        ::winsize size{24, columns, 0, 0};
        if (::openpty(&master_, &slave_, nullptr, nullptr, &size) != 0) throw std::runtime_error("openpty");
        reader_ = std::thread([this] {
            char bytes[4096];
            for (;;) {
                const auto n = ::read(master_, bytes, sizeof bytes);
                if (n <= 0) return;
                const std::scoped_lock lock(mutex_);
                for (const char c : std::string_view(bytes, static_cast<std::size_t>(n)))
                    if (c == mark) ++marks_;
                    else if (c == '\a') ++bells_;
                    else written_ += c;
            }
        });
    }
    ~PseudoTerminal() {
        ::close(slave_);
        reader_.join();
        ::close(master_);
    }
    PseudoTerminal(const PseudoTerminal&) = delete;
    PseudoTerminal& operator=(const PseudoTerminal&) = delete;

    int descriptor() const { return slave_; }
    /// Another stream to it.
    std::FILE* open() const { return ::fdopen(::dup(slave_), "w"); }
    void resize(unsigned short columns, unsigned short rows = 24) {
        ::winsize size{rows, columns, 0, 0};
        ::ioctl(master_, TIOCSWINSZ, &size);
        columns_ = columns;
    }
    /// As somebody at its keys.
    void type(std::string_view keys) {
        if (::write(master_, keys.data(), keys.size()) != static_cast<ssize_t>(keys.size()))
            throw std::runtime_error("write");
    }
    /// All that has been written to it up to now.
    std::string written() {
        const int before = marks_;
        if (::write(slave_, &mark, 1) != 1) throw std::runtime_error("write");
        while (marks_ == before) std::this_thread::yield();
        const std::scoped_lock lock(mutex_);
        return written_;
    }
    std::vector<std::string> screen() { return screen_of(written(), columns_); }
    /// How often it has rung up to now.
    int bells() {
        written();
        return bells_;
    }

private:
    int master_ = -1, slave_ = -1;
    std::size_t columns_;
    std::mutex mutex_;
    std::string written_;
    static constexpr char mark = '\x06';  // ends what was written before
    std::atomic<int> marks_{0}, bells_{0};
    std::thread reader_;
};

/// Standard output or standard error (1, 2) goes elsewhere, standard input (0) comes from there, while it lives.
class Redirected {
public:
    Redirected(int standard, int to) : standard_(standard) {
        std::fflush(nullptr);
        kept_ = ::dup(standard);
        ::dup2(to, standard);
    }
    ~Redirected() {
        std::fflush(nullptr);
        ::dup2(kept_, standard_);
        ::close(kept_);
    }
    Redirected(const Redirected&) = delete;
    Redirected& operator=(const Redirected&) = delete;

private:
    int standard_, kept_;
};

}  // namespace sigma
