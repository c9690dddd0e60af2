// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/error.hpp>
#include <sigma/core/task.hpp>
#include <sigma/data/source/digest.hpp>
#include <sigma/data/source/file.hpp>
#include <sigma/data/source/request.hpp>
#include <sigma/data/source/url_options.hpp>
#include <sigma/storage/cache_entry.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace sigma::data::http {

/// "bytes 100-199/1000" says 100 and 1000; "*" in place of the latter, nothing.
struct ContentRange {
    std::uint64_t begin = 0;
    std::optional<std::uint64_t> total;

    static std::optional<ContentRange> parse(const std::string& text);
};

/// Brings the bytes of an address into a part of a cache: with retries, which go on where the last one has ended if the
/// server can do that and the bytes are still the same.
class Download {
public:
    using Clock = std::chrono::steady_clock;

    /// `shown` is the address as errors may show it, `digest` what sha256_digits() gives, or "".
    Download(const std::string& address, const std::string& shown, const std::string& digest, const UrlOptions& options,
             storage::CacheEntry::Part& part, Task& task);

    /// Returns when the part is whole and has the digest. Throws DownloadError, CanceledError and StorageError.
    void run();

private:
    static constexpr std::chrono::milliseconds longest_wait{60'000};

    struct Failure {
        std::string expected, found;
        bool passing = false;
        long status = 0;
        std::chrono::milliseconds retry_after{0};
    };

    void attempt_once();

    /// Looks at status and headers before the first byte: sets failure_, or returns how many bytes there are in all.
    std::optional<std::uint64_t> accept_reply(const Request& request, std::uint64_t offset);

    void verify();

    std::string digest_of_part() const;

    void watch() const;

    const std::string &address_, &shown_, &digest_;
    const UrlOptions& options_;
    storage::CacheEntry::Part& part_;
    Task& task_;
    Clock::time_point begun_ = Clock::now();
    std::optional<Failure> failure_;
    std::string validator_, content_type_;
    bool joined_ = false;  // the part holds bytes of more than one reply
};

}  // namespace sigma::data::http

#ifndef SIGMA_COMPILED
#include <sigma/data/source/impl/download.ipp>
#endif
