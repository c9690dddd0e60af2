// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "support.hpp"

#include <support/http_server.hpp>

#include <sigma/core/task.hpp>
#include <sigma/data/source/digest.hpp>
#include <sigma/data/source/url.hpp>

#include <catch2/catch.hpp>

#include <chrono>
#include <cstddef>
#include <string>

namespace sources_test {

using namespace std::chrono_literals;
using sigma::test::HttpServer;
using Client = HttpServer::Client;

/// A cache of its own, no variables of the environment that change something, and no patience.
struct Workplace {
    Scratch cache;
    Environment offline{"SIGMA_OFFLINE", nullptr}, http{"http_proxy", nullptr}, all{"all_proxy", nullptr},
        upper{"ALL_PROXY", nullptr}, none{"no_proxy", nullptr}, no{"NO_PROXY", nullptr};

    sigma::data::UrlOptions options(const std::string& digest = "") const {
        sigma::data::UrlOptions options;
        options.cache = cache.path.string();
        options.sha256 = digest;
        options.retries = 2;
        options.backoff = 5ms;
        options.connect_timeout = 1000ms;
        options.stall_timeout = 150ms;
        return options;
    }
};

/// Not periodic, so that a part in the wrong place is noticed.
inline std::string some_text(std::size_t size) {
    std::string text;
    for (unsigned i = 0; text.size() < size; ++i) text += std::to_string(i * i) + ' ';
    text.resize(size);
    return text;
}

inline const std::string whole = some_text(100'000);

/// "bytes=500-" gives 500; none, 0.
inline std::size_t offset_of(const HttpServer::Request& request) {
    const auto range = request.headers.find("range");
    return range == request.headers.end() ? 0 : std::stoul(range->second.substr(6));
}

inline void reply_part(const Client& client, const std::string& text, std::size_t offset, const std::string& etag,
                       const std::string& total = "*") {
    client.reply(
        "206 Partial Content",
        sigma::sentence("ETag: ", etag, "\r\nContent-Range: bytes ", offset, '-', text.size() - 1, '/', total, "\r\n"),
        text.substr(offset));
}

inline std::string head(std::size_t length, const std::string& headers = "") {
    return sigma::sentence("HTTP/1.1 200 OK\r\n", headers, "Content-Length: ", length, "\r\n\r\n");
}

inline sigma::data::DownloadError failure(const sigma::data::Source& source) {
    return thrown<sigma::data::DownloadError>([&] { source.open(); });
}

}  // namespace sources_test
