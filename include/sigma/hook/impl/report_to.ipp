// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/error.hpp>
#include <sigma/hook/report_to.hpp>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

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

inline void ReportFile::Close::operator()(void* file) const { std::fclose(static_cast<std::FILE*>(file)); }

inline ReportFile& ReportFile::operator=(const ReportFile& other) {
    name_ = other.name_;
    file_.reset();
    return *this;
}

inline void ReportFile::open(const char* mode) {
    file_.reset(std::fopen(name_.c_str(), mode));
    if (!file_) refuse();
}

inline void ReportFile::write(std::string_view line) {
    std::FILE* const file = static_cast<std::FILE*>(file_.get());
    if (std::fwrite(line.data(), 1, line.size(), file) != line.size() || std::fputc('\n', file) == EOF ||
        std::fflush(file) != 0)
        refuse();
}

inline void ReportFile::refuse() const {
    throw DataError(name_, "", "a file that can be written", std::strerror(errno));
}

class LineFile final : public ReportPlace {
public:
    explicit LineFile(std::string name) : file_(std::move(name)) {}
    detail::Owned<ReportPlace> clone() const override { return std::make_unique<LineFile>(*this); }
    void write(std::string_view line) override {
        if (!file_.is_open()) file_.open("a");
        file_.write(line);
    }
    std::string text() const override { return sentence(".to(file(\"", file_.name(), "\"))"); }

private:
    ReportFile file_;
};

class TableFile final : public ReportPlace {
public:
    explicit TableFile(std::string name) : file_(std::move(name)) {}
    detail::Owned<ReportPlace> clone() const override { return std::make_unique<TableFile>(*this); }
    bool rows() const override { return true; }
    void start(std::string_view header) override {
        if (file_.is_open()) return;
        file_.open(begun_ ? "a" : "w");
        if (!begun_) file_.write(header);
        begun_ = true;
    }
    void write(std::string_view line) override { file_.write(line); }
    void restart() override {
        file_.close();
        begun_ = false;
    }
    void archive(Archive& a) override { a(begun_); }
    std::string text() const override { return sentence(".to(csv(\"", file_.name(), "\"))"); }

private:
    ReportFile file_;
    bool begun_ = false;
};

class LineCall final : public ReportPlace {
public:
    explicit LineCall(AnyFunction<void(std::string_view)> f) : function_(std::move(f)) {}
    detail::Owned<ReportPlace> clone() const override { return std::make_unique<LineCall>(*this); }
    void write(std::string_view line) override { function_(line); }
    std::string text() const override { return ".to(a function)"; }

private:
    AnyFunction<void(std::string_view)> function_;
};

SIGMA_IMPL detail::Owned<ReportPlace> to_csv(const ReportToCsv& table) {
    return std::make_unique<TableFile>(table.name);
}
SIGMA_IMPL detail::Owned<ReportPlace> to_file(std::string name) { return std::make_unique<LineFile>(std::move(name)); }
SIGMA_IMPL detail::Owned<ReportPlace> to_call(AnyFunction<void(std::string_view)> f) {
    return std::make_unique<LineCall>(std::move(f));
}

}  // namespace detail

SIGMA_IMPL ReportToCsv csv(std::string name) { return {std::move(name)}; }

}  // namespace sigma
