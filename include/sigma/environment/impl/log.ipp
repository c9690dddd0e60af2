// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/terminal.hpp>
#include <sigma/environment/log.hpp>
#include <sigma/storage/process.hpp>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <system_error>

namespace sigma::detail {

// Returns local time as "2026-11-21 14:03:07.123".
SIGMA_IMPL std::string time_text(std::chrono::system_clock::time_point time) {
    const std::time_t seconds = std::chrono::system_clock::to_time_t(time);
    const auto since = std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch()).count();
    const std::tm parts = storage::local_time(seconds);
    std::array<char, 32> digits{};
    std::strftime(digits.data(), digits.size(), "%Y-%m-%d %H:%M:%S", &parts);
    std::string fraction = sentence(1000 + (since % 1000 + 1000) % 1000);
    fraction[0] = '.';
    return sentence(digits.data(), fraction);
}

SIGMA_IMPL std::string log_line(LogLevel level, std::chrono::system_clock::time_point time, std::string_view source,
                                std::string_view message) {
    std::string line = sentence(time_text(time), ' ', level_text(level));
    line.append(9 - level_text(level).size(), ' ');
    return sentence(line, source, source.empty() ? "" : ": ", message, '\n');
}

SIGMA_IMPL std::shared_ptr<TerminalSink> Log::to_terminal(LogLevel least, std::FILE* file) {
    return add(std::make_shared<TerminalSink>(least, file));
}

SIGMA_IMPL std::shared_ptr<FileSink> Log::to_file(std::filesystem::path path, LogLevel least, LogRotation rotation) {
    return add(std::make_shared<FileSink>(std::move(path), least, rotation));
}

SIGMA_IMPL std::shared_ptr<CallbackSink> Log::to(std::function<void(const LogRecord&)> function, LogLevel least) {
    return add(std::make_shared<CallbackSink>(std::move(function), least));
}

SIGMA_IMPL void Log::remove(const std::shared_ptr<LogSink>& sink) {
    change([&](Sinks& sinks) { std::erase(sinks, sink); });
}

SIGMA_IMPL bool Log::enabled(LogLevel level) const {
    if (!shared_->any.load(std::memory_order_relaxed)) return false;
    const auto sinks = present();
    return std::ranges::any_of(*sinks, [&](const auto& sink) { return level >= sink->level(); });
}

SIGMA_IMPL std::shared_ptr<const Log::Sinks> Log::present() const {
    std::lock_guard lock(shared_->mutex);
    return shared_->sinks;
}

}  // namespace sigma::detail

namespace sigma {

SIGMA_IMPL void LogSink::deliver(const LogRecord& record) noexcept {
    thread_local const LogSink* within = nullptr;
    if (record.level < level() || within == this) return;  // a callback that logs does not get its own messages
    const LogSink* const outer = std::exchange(within, this);
    try {
        std::lock_guard lock(mutex_);
        take(record);
    } catch (...) { ++failures_; }
    within = outer;
}

SIGMA_IMPL CallbackSink::CallbackSink(std::function<void(const LogRecord&)> function, LogLevel least)
    : LogSink(least), function_(std::move(function)) {}

SIGMA_IMPL TerminalSink::TerminalSink(LogLevel least, std::FILE* file)
    : TerminalSink(least, file, wants_colour(file)) {}

SIGMA_IMPL bool TerminalSink::wants_colour(std::FILE* file) {
    const char* const none = std::getenv("NO_COLOR");
    return terminal::is_interactive(file) && (none == nullptr || *none == '\0');
}

SIGMA_IMPL void TerminalSink::take(const LogRecord& record) {
    constexpr std::array<const char*, 6> colours = {"\033[2m",  "\033[36m", "\033[32m",
                                                    "\033[33m", "\033[31m", "\033[1;31m"};
    std::string text(record.line);
    if (coloured_) {
        const auto name = detail::level_text(record.level);
        const std::size_t at = text.find(name);  // the time before the level contains no letters
        text.insert(at + name.size(), "\033[0m");
        text.insert(at, colours[static_cast<std::size_t>(record.level)]);
    }
    if (!terminal::print(file_, text)) throw Error("cannot print to the terminal");
}

SIGMA_IMPL FileSink::FileSink(std::filesystem::path path, LogLevel least, LogRotation rotation)
    : LogSink(least), path_(std::move(path)), rotation_(rotation) {
    if (rotation.files < 1 || rotation.bytes < 1)
        throw ArgumentError(sentence("log '", path_.string(), "'"), "at least one file and one byte",
                            sentence(rotation.files, " files and ", rotation.bytes, " bytes"));
    std::error_code failure;
    if (path_.has_parent_path()) std::filesystem::create_directories(path_.parent_path(), failure);
    open();
}

SIGMA_IMPL FileSink::~FileSink() {
    if (file_ != nullptr) std::fclose(file_);
}

SIGMA_IMPL void FileSink::take(const LogRecord& record) {
    if (file_ == nullptr) open();  // after a failed write
    if (size_ > 0 && size_ + record.line.size() > rotation_.bytes) rotate();
    const std::size_t written = std::fwrite(record.line.data(), 1, record.line.size(), file_);
    size_ += written;
    if (std::fflush(file_) != 0 || written != record.line.size()) refuse("room for another line");
}

SIGMA_IMPL void FileSink::refuse(const char* expected) const {
    throw DataError(path_.string(), "", expected, std::strerror(errno));
}

SIGMA_IMPL void FileSink::open() {
    file_ = std::fopen(path_.c_str(), "ab");
    if (file_ == nullptr) refuse("a file that can be written");
    std::fseek(file_, 0, SEEK_END);
    size_ = static_cast<std::uint64_t>(std::max(std::ftell(file_), 0L));
}

SIGMA_IMPL std::filesystem::path FileSink::numbered(int number) const {
    return number == 0 ? path_ : std::filesystem::path(path_) += sentence('.', number);
}

SIGMA_IMPL void FileSink::rotate() {
    std::fclose(std::exchange(file_, nullptr));
    std::error_code missing;  // some files may not exist
    if (rotation_.files == 1) std::filesystem::remove(path_, missing);
    for (int i = rotation_.files - 1; i > 0; --i) std::filesystem::rename(numbered(i - 1), numbered(i), missing);
    open();
}

}  // namespace sigma
