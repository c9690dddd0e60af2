// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "support.hpp"

#include <support/http_server.hpp>

#include <sigma/data/source/digest.hpp>
#include <sigma/data/source/url.hpp>

#include <catch2/catch.hpp>

#include <chrono>
#include <string>

namespace sources_test {

using namespace std::chrono_literals;
using sigma::test::HttpServer;
using Client = HttpServer::Client;

/// A cache of its own, no variables of the environment that change something, and no patience.
struct Workplace {
    Directory cache;
    Environment offline{"SIGMA_OFFLINE", nullptr}, http{"http_proxy", nullptr}, all{"all_proxy", nullptr},
        upper{"ALL_PROXY", nullptr}, none{"no_proxy", nullptr}, no{"NO_PROXY", nullptr};

    sigma::data::UrlOptions options(const std::string& digest = "") const {
        sigma::data::UrlOptions options;
        options.cache = cache.path();
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

inline sigma::data::DownloadError failure(const sigma::data::Source& source) {
    try {
        source.open();
    } catch (const sigma::data::DownloadError& failed) {
        return failed;
    }
    throw std::runtime_error("nothing was thrown");
}

}  // namespace sources_test
