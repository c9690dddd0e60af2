// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// `url`: sources that are downloaded once into a cache. Included by `<sigma/data/data.hpp>`.

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

/// The error of a failed download: "address 'https://example.org/a.csv': expected status 200, found 404".
///
/// @see url, docs/sources.md
struct DownloadError : DataError {
    std::string address;  ///< address, without user and password
    long status;          ///< status of HTTP; 0: no reply

    /// Constructs the error.
    /// @param address_   address, without user and password
    /// @param expected_  what was expected
    /// @param found_     what was found
    /// @param status_    status of HTTP; 0: no reply
    DownloadError(std::string address_, std::string expected_, std::string found_, long status_ = 0);
};

/// A duration in whole milliseconds. Durations of `std::chrono` convert to it if no precision is lost.
///
/// @see UrlOptions
class Milliseconds {
public:
    /// Constructs a duration.
    /// @param count  milliseconds
    constexpr explicit Milliseconds(std::int64_t count) : count_(count) {}
    /// Converts a duration of `std::chrono`, such as `30s`.
    /// @param duration  a duration in whole milliseconds
    template <AnyDuration D>
        requires(std::integral<decltype(std::declval<const D&>().count())> &&
                 1000 * D::period::num % D::period::den == 0)
    constexpr Milliseconds(const D& duration)
        : count_(static_cast<std::int64_t>(duration.count()) * (1000 * D::period::num / D::period::den)) {}

    /// Returns the milliseconds.
    constexpr std::int64_t count() const { return count_; }

private:
    std::int64_t count_;
};

/// Options of `url`.
///
/// @code
/// const auto source = data::url("https://example.org/a.csv", {.retries = 1, .limit = 1 << 20});
/// @endcode
///
/// @see url, docs/sources.md
struct UrlOptions {
    std::string sha256;  ///< SHA-256 digest, 64 hexadecimal digits: rejects other bytes. "": no check.
    std::string cache;   ///< Directory that keeps downloads. "": cache_directory().
    /// The proxy: "http://host:port", "socks5h://host:port", or "" for none. Default: the proxy of the environment
    /// (http_proxy, https_proxy, all_proxy, no_proxy).
    std::optional<std::string> proxy;
    std::string user_agent = sentence("sigma/", version());  ///< User-Agent header of the requests.
    std::string certificates;                                ///< File of certificates to trust. "": the system's.
    bool offline = false;                                    ///< Uses only the cache if true, as SIGMA_OFFLINE=1 does.
    /// Largest number of bytes, default 4 GiB. A larger download throws DataError.
    std::size_t limit = default_limit;
    int redirects = 10;  ///< Largest number of redirects.
    /// How often to retry after failures that may pass: broken connections, timeouts, and the states 408, 429, 500,
    /// 502, 503, 504.
    int retries = 4;
    /// Time before the first retry. Doubles for each further retry. A longer wait that the server
    /// requests is kept, up to a minute.
    Milliseconds backoff{500};
    Milliseconds connect_timeout{15'000};  ///< Limit of the time to connect.
    Milliseconds stall_timeout{30'000};    ///< Period in which a transfer must bring `slowest` bytes a second.
    std::size_t slowest = 16;              ///< Bytes a second below which a transfer has stalled.
    Milliseconds total_timeout{0};         ///< Limit of everything, with retries; 0: no limit.
};

/// Returns whether the environment variable SIGMA_OFFLINE forbids downloads: it is set, not empty, and not 0.
///
/// @see UrlOptions::offline
bool downloads_are_off();

/// Makes a source of an address: http, https or file.
///
/// The bytes are downloaded into a cache when they are first opened, and read from the cache after that. Mirrors are
/// `url(a) | url(b)`. Opening throws DownloadError if the download fails, CanceledError if it is canceled, and
/// StorageError if the cache cannot be written.
///
/// @param address  the address
/// @param options  digest, cache, proxy, retries, limits; see UrlOptions
/// @return a source
/// @throws ArgumentError  if the address is invalid
///
/// @par Example
/// @code
/// using namespace sigma::data;
/// const Source table = url("https://archive.ics.uci.edu/ml/machine-learning-databases/iris/iris.data",
///                          {.sha256 = "6f608b71a7317216319b4d27b4d9bc84e6abd734eda7872b71a458569e2656c0"});
/// @endcode
///
/// @see file, unpacked, docs/sources.md
Source url(const std::string& address, UrlOptions options = {});

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/source/impl/url.ipp>
#endif
