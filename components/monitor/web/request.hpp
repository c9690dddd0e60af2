// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "web/api.hpp"

#include <boost/beast/http/message.hpp>
#include <boost/beast/http/string_body.hpp>

#include <string>
#include <utility>

namespace sigma::monitor {

/// Converts a parsed request. A field that occurs twice counts as missing; two origins count as foreign.
inline Request request_of(const boost::beast::http::request<boost::beast::http::string_body>& from,
                          std::string client) {
    namespace http = boost::beast::http;
    const auto field = [&](http::field name) {
        return from.count(name) == 1 ? std::string(from[name].data(), from[name].size()) : std::string();
    };
    Request request{std::string(from.method_string()),
                    std::string(from.target()),
                    field(http::field::host),
                    field(http::field::origin),
                    field(http::field::content_type),
                    field(http::field::authorization),
                    from.body(),
                    field(http::field::sec_websocket_protocol),
                    std::move(client)};
    if (from.count(http::field::origin) > 1) request.origin = "null";
    return request;
}

}  // namespace sigma::monitor
