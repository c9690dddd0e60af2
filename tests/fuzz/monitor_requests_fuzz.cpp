// SPDX-License-Identifier: BSL-1.0
// Any bytes as requests to a monitor, through the parser, are answered or refused, never with what is no JSON, and who
// does not know the token learns nothing.
#include "web/request.hpp"
#include "web/server.hpp"

#include "support/point_trainer.hpp"
#include "target.hpp"

#include <boost/beast/http/parser.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

namespace {

using fuzz::require;
using namespace sigma;
namespace beast = boost::beast;
namespace http = beast::http;

constexpr std::string_view token = "0123456789abcdef";

struct Stage {
    test::PointTrainer trainer;
    monitor::Board board{{}};
    monitor::Api open{board, {{"a"}, ""}}, closed{board, {{"a"}, std::string(token)}};

    Stage() {
        trainer.registry().set("mine.word", "");
        trainer.registry().set("mine.count", 1);
        board.quiet();
        board.enter(monitor::watch(trainer));
        trainer.run(cpu(), 3);
        board.turn();
        monitor::Panel matrix = monitor::confusion(test::points());
        board.show(matrix);
        board.show(monitor::table(test::points(), 3));
        board.show(monitor::ranked(test::points(), 1));
        board.show(monitor::maximised(2, {.steps = 2}));
        board.add_log("info", "fuzz", "a line", 1);
        board.command("points", "stop", "");
    }
};
Stage& stage() {
    static Stage one;
    return one;
}

/// What a connection does with what it reads: nothing for bytes that are no request, or not a whole one.
std::optional<monitor::Request> request_in(std::string_view bytes) {
    http::request_parser<http::string_body> parser;
    parser.eager(true);
    parser.header_limit(monitor::Server::Limits::header);
    parser.body_limit(monitor::Server::Limits::body);
    while (!parser.is_done()) {
        beast::error_code failed;
        const std::size_t taken = parser.put(boost::asio::buffer(bytes.data(), bytes.size()), failed);
        bytes.remove_prefix(taken);
        if (failed || (taken == 0 && !parser.is_done())) return std::nullopt;
    }
    require(parser.get().body().size() <= monitor::Server::Limits::body);
    static int clients = 0;  // each is one that has not asked before, or most would be refused
    return monitor::request_of(parser.get(), sentence(++clients % 5000));
}

}  // namespace

bool fuzz_accepts(const std::uint8_t* data, std::size_t size) {
    const auto request = request_in({reinterpret_cast<const char*>(data), size});
    if (!request) return false;

    const auto refused = stage().closed.answer(*request);
    const bool knows = (request->protocols + request->authorization + request->body).find(token) != std::string::npos;
    const bool page =
        request->target == "/" || request->target.starts_with("/?") || request->target.starts_with("/page/");
    require(knows || (refused.status == 200 ? page : refused.status >= 400 && refused.status < 500));
    require(knows || stage().closed.refuse_stream(*request).has_value());

    const auto answer = stage().open.answer(*request);
    require(answer.status == 200 || answer.status == 202 || (answer.status >= 400 && answer.status < 500));
    if (answer.type.starts_with("application/json")) require(monitor::parsed(answer.body).has_value());
    if (answer.status >= 400) require(monitor::parsed(answer.body)->contains("error"));
    for (const auto& [name, value] : answer.headers) require(value.find_first_of("\r\n") == value.npos);
    return answer.status < 400;
}

/// The length that is said is that of the body.
void fuzz_repair(std::string& bytes) {
    constexpr std::string_view field = "Content-Length: ";
    const std::size_t at = bytes.find(field), end = bytes.find("\r\n\r\n");
    if (at == bytes.npos || end == bytes.npos || at > end) return;
    const std::size_t digits = std::min(bytes.find("\r\n", at), end);
    bytes.replace(at + field.size(), digits - at - field.size(), sentence(bytes.size() - end - 4));
}
