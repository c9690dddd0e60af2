// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/arguments.hpp>
#include <sigma/core/error.hpp>
#include <sigma/core/version.hpp>
#include <sigma/data/source/source.hpp>
#include <sigma/storage/error.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace sigma::data {

/// A download that failed, of an address without its password. `status` is HTTP's, 0 where no reply has come.
/// "address 'https://example.org/a.csv': expected status 200, found 404"
struct DownloadError : DataError {
    std::string address;
    long status;

    DownloadError(std::string address_, std::string expected_, std::string found_, long status_ = 0);
};

/// Whole milliseconds; std::chrono's durations become them where none is lost.
class Milliseconds {
public:
    constexpr explicit Milliseconds(std::int64_t count) : count_(count) {}
    template <AnyDuration D>
        requires(std::integral<decltype(std::declval<const D&>().count())> &&
                 1000 * D::period::num % D::period::den == 0)
    constexpr Milliseconds(const D& d)
        : count_(static_cast<std::int64_t>(d.count()) * (1000 * D::period::num / D::period::den)) {}

    constexpr std::int64_t count() const { return count_; }

private:
    std::int64_t count_;
};

/// How url() downloads.
struct UrlOptions {
    /// The SHA-256 digest of the bytes, 64 hexadecimal digits: other bytes are refused. "": any bytes.
    std::string sha256;
    /// The directory that keeps what was downloaded. "": cache_directory().
    std::string cache;
    /// "http://host:port", "socks5h://host:port", "": none. Nothing: that of the environment (http_proxy, https_proxy,
    /// all_proxy, no_proxy).
    std::optional<std::string> proxy;
    std::string user_agent = sentence("sigma/", library_version);
    /// A file with the certificates to trust. "": those of the system.
    std::string certificates;
    /// Only what the cache has; the environment variable SIGMA_OFFLINE=1 says the same.
    bool offline = false;
    /// More bytes are refused.
    std::size_t limit = default_limit;
    int redirects = 10;
    /// After failures that may pass: broken connections, timeouts, and the states 408, 429, 500, 502, 503, 504.
    int retries = 4;
    /// Before the first retry; twice as long before each further one, and as long as the server asks for, up to a
    /// minute.
    Milliseconds backoff{500};
    Milliseconds connect_timeout{15'000};
    /// A transfer has stalled when it brought fewer than `slowest` bytes a second for so long.
    Milliseconds stall_timeout{30'000};
    std::size_t slowest = 16;
    /// For all of it, with retries; 0: none.
    Milliseconds total_timeout{0};
};

/// Whether the environment variable SIGMA_OFFLINE forbids downloads: it is set, and not to 0.
bool downloads_are_off();

/// The bytes that an address of http, https or file stands for, the former downloaded into a cache when they are first
/// opened, and taken from there ever after. Mirrors are url(a) | url(b). Throws ArgumentError where the address is
/// none; opening throws DownloadError, CanceledError, and StorageError where the cache cannot be written.
Source url(const std::string& address, UrlOptions options = {});

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/source/impl/url.ipp>
#endif
