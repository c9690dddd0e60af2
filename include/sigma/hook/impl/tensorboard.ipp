// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/error.hpp>
#include <sigma/core/number_text.hpp>
#include <sigma/hook/tensorboard.hpp>
#include <sigma/storage/hash.hpp>
#include <sigma/storage/process.hpp>

#include <atomic>
#include <bit>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

namespace sigma {

namespace detail {

/// The fields of a message of Protocol Buffers (protobuf.dev/programming-guides/encoding).
class Message {
public:
    void clear() { bytes_.clear(); }
    const std::string& bytes() const { return bytes_; }

    void number(unsigned field, std::uint64_t x) {
        varint(field << 3);
        varint(x);
    }
    void real(unsigned field, double x) { fixed(field << 3 | 1, std::bit_cast<std::uint64_t>(x)); }
    void real(unsigned field, float x) { fixed(field << 3 | 5, std::bit_cast<std::uint32_t>(x)); }
    void text(unsigned field, std::string_view x) {
        varint(field << 3 | 2);
        varint(x.size());
        bytes_ += x;
    }

private:
    std::string bytes_;

    void varint(std::uint64_t x) {
        for (; x >= 0x80; x >>= 7) bytes_ += static_cast<char>((x & 0x7f) | 0x80);
        bytes_ += static_cast<char>(x);
    }
    template <class N>
    void fixed(unsigned tag, N x) {
        varint(tag);
        for (std::size_t i = 0; i < sizeof x; ++i) bytes_ += static_cast<char>(x >> 8 * i & 0xff);
    }
};

class EventFile final : public ReportPlace {
public:
    explicit EventFile(std::string folder) : folder_(std::move(folder)) {}
    EventFile(const EventFile& other) : ReportPlace(other), folder_(other.folder_), worker_(other.worker_) {}
    EventFile& operator=(const EventFile&) = delete;

    Owned<ReportPlace> clone() const override { return std::make_unique<EventFile>(*this); }
    bool numbers() const override { return true; }
    void of_worker(int number) override { worker_ = number > 0 ? sentence("worker-", number) : ""; }
    void write(std::string_view) override {}
    void write(std::uint64_t iteration, std::span<const ReportedNumber> numbers) override {
        if (!file_) open();
        summary_.clear();
        for (const ReportedNumber& n : numbers) {
            if (std::isnan(n.number)) continue;
            value_.clear();
            value_.text(1, n.name);                        // tag
            value_.real(2, static_cast<float>(n.number));  // simple_value
            summary_.text(1, value_.bytes());
        }
        if (summary_.bytes().empty()) return;
        begin_event();
        event_.number(2, iteration);  // step
        event_.text(5, summary_.bytes());
        end_event();
    }
    void restart() override { file_.reset(); }
    std::string text() const override { return sentence(".to(tensorboard(\"", folder_, "\"))"); }

private:
    struct Close {
        void operator()(std::FILE* file) const { std::fclose(file); }
    };
    std::string folder_, worker_, name_;  // each worker has a subfolder, which TensorBoard shows as a run of its own
    std::unique_ptr<std::FILE, Close> file_;
    Message event_, summary_, value_;

    [[noreturn]] void refuse(int code) const {
        throw DataError(name_, "", "a file that can be written", std::strerror(code));
    }
    void open() {
        static std::atomic<unsigned> files{0};
        const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(now()).count();
        // TensorBoard reads files with "tfevents" in their names, in the order of the names.
        const std::filesystem::path folder =
            worker_.empty() ? std::filesystem::path(folder_) : std::filesystem::path(folder_) / worker_;
        name_ = (folder /
                 sentence("events.out.tfevents.", seconds, ".sigma.", storage::process_id(), ".", files.fetch_add(1)))
                    .string();
        std::error_code failed;
        std::filesystem::create_directories(folder, failed);
        if (failed) refuse(failed.value());
        file_.reset(std::fopen(name_.c_str(), "wbx"));
        if (!file_) refuse(errno);
        begin_event();
        event_.text(3, "brain.Event:2");  // file_version
        end_event();
    }
    static std::chrono::duration<double> now() { return std::chrono::system_clock::now().time_since_epoch(); }
    void begin_event() {
        event_.clear();
        event_.real(1, now().count());  // wall_time
    }
    void end_event() {
        const std::string& data = event_.bytes();
        put(little_endian(static_cast<std::uint64_t>(data.size())));
        put(data);
        if (std::fflush(file_.get()) != 0) refuse(errno);
    }
    void put(std::string_view bytes) {
        const std::uint32_t crc = storage::crc32c(std::as_bytes(std::span(bytes)));
        const std::string masked = little_endian((crc >> 15 | crc << 17) + 0xa282ead8u);
        if (std::fwrite(bytes.data(), 1, bytes.size(), file_.get()) != bytes.size() ||
            std::fwrite(masked.data(), 1, masked.size(), file_.get()) != masked.size())
            refuse(errno);
    }
    template <class N>
    static std::string little_endian(N x) {
        std::string bytes;
        for (std::size_t i = 0; i < sizeof x; ++i) bytes += static_cast<char>(x >> 8 * i & 0xff);
        return bytes;
    }
};

}  // namespace detail

SIGMA_IMPL detail::Owned<detail::ReportPlace> ReportToTensorboard::report_place() const {
    return std::make_unique<detail::EventFile>(folder);
}
SIGMA_IMPL ReportToTensorboard tensorboard(std::string folder) { return {std::move(folder)}; }

}  // namespace sigma
