// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/error.hpp>
#include <sigma/hook/archive.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <utility>

/// Where reports go. Each has `rows`, whether it wants rows of a table in place of lines; `write(context, line)`;
/// `start(header)` before the first row; and what hooks have.
namespace sigma {

namespace detail {

/// A file that is opened when it is first written to. A copy opens it anew.
class ReportFile {
public:
    explicit ReportFile(std::string name) : name_(std::move(name)) {}
    ReportFile(const ReportFile& other) : name_(other.name_) {}
    ReportFile& operator=(const ReportFile& other);
    ReportFile(ReportFile&&) = default;
    ReportFile& operator=(ReportFile&&) = default;
    ~ReportFile() = default;

    const std::string& name() const { return name_; }
    bool is_open() const { return file_ != nullptr; }
    void close() { file_.reset(); }
    /// Throws DataError where it cannot be written.
    void open(const char* mode);
    /// A line, which others can read at once.
    void write(std::string_view line);

private:
    struct Close {
        void operator()(void* file) const;
    };
    std::string name_;
    std::unique_ptr<void, Close> file_;  ///< a std::FILE

    [[noreturn]] void refuse() const;
};

}  // namespace detail

/// The trainer's `print`.
struct ReportToPrint {
    static constexpr bool rows = false;
    static void write(auto& context, std::string_view line) { context.print(line); }
    static void restart() {}
    static void archive(Archive&) {}
    static std::string text() { return ""; }
};

/// A function that takes a line.
template <class F>
struct ReportToCall {
    static constexpr bool rows = false;
    F function;
    void write(auto&, std::string_view line) { function(line); }
    static void restart() {}
    static void archive(Archive&) {}
    static std::string text() { return ".to(a function)"; }
};

/// The end of a file: `report(…).to(file("log.txt"))`.
class ReportToFile {
public:
    static constexpr bool rows = false;
    explicit ReportToFile(std::string name) : file_(std::move(name)) {}
    void write(auto&, std::string_view line) {
        if (!file_.is_open()) file_.open("a");
        file_.write(line);
    }
    static void restart() {}
    static void archive(Archive&) {}
    std::string text() const { return sentence(".to(file(\"", file_.name(), "\"))"); }

private:
    detail::ReportFile file_;
};

/// A table: a file of names and then rows, which begins anew with its hook and after a reset of the trainer, and goes on
/// where the trainer goes on from a checkpoint.
class ReportToCsv {
public:
    static constexpr bool rows = true;
    explicit ReportToCsv(std::string name) : file_(std::move(name)) {}
    void start(std::string_view header);
    void write(auto&, std::string_view line) { file_.write(line); }
    void restart();
    void archive(Archive& a) { a(begun_); }
    std::string text() const { return sentence(".to(csv(\"", file_.name(), "\"))"); }

private:
    detail::ReportFile file_;
    bool begun_ = false;
};

/// `report(…).to(csv("curve.csv"))` writes the names of values, then their numbers with all digits.
ReportToCsv csv(std::string name);

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/hook/impl/report_to.ipp>
#endif
