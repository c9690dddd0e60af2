// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/source/url.hpp>
#include <sigma/data/source/url_source.hpp>

#include <cstdlib>
#include <string_view>
#include <utility>

namespace sigma::data {

SIGMA_IMPL bool downloads_are_off() {
    const char* variable = std::getenv("SIGMA_OFFLINE");
    return variable != nullptr && *variable != '\0' && std::string_view(variable) != "0";
}

SIGMA_IMPL Source url(const std::string& address, UrlOptions options) {
    http::Address parsed(address);
    if (!parsed.is_file()) return Source(std::make_shared<UrlSource>(address, std::move(parsed), std::move(options)));
    return options.sha256.empty() ? file(parsed.path()) : verified(file(parsed.path()), options.sha256);
}

}  // namespace sigma::data
