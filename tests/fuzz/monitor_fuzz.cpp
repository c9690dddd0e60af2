// SPDX-License-Identifier: BSL-1.0
// Any bytes as a request to a monitor, and as messages of its stream, are answered or refused, never with what is no
// JSON, and change nothing but what the protocol says.
#include "web/api.hpp"

#include "support/point_trainer.hpp"
#include "target.hpp"

#include <algorithm>

namespace {

using fuzz::require;
using namespace sigma;

struct Stage {
    test::PointTrainer trainer;
    monitor::Board board{{}};
    monitor::Api open{board, {{"a"}, ""}}, closed{board, {{"a"}, "0123456789abcdef"}};

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

/// The next line of the input.
std::string take(std::string_view& from) {
    const std::string_view line = from.substr(0, from.find('\n'));
    from.remove_prefix(std::min(from.size(), line.size() + 1));
    return std::string(line);
}

}  // namespace

/// Method, target, host, origin, type, cookie, a line each; the rest is the body, and a message of the stream.
bool fuzz_accepts(const std::uint8_t* data, std::size_t size) {
    std::string_view left(reinterpret_cast<const char*>(data), size);
    monitor::Request request;
    request.method = take(left);
    request.target = take(left);
    request.host = take(left);
    request.origin = take(left);
    request.content_type = take(left);
    request.cookie = take(left);
    request.body = left;

    const auto refused = stage().closed.answer(request);
    require(refused.status == 200 ? !request.target.starts_with("/api/") || request.target.starts_with("/api/login")
                                  : refused.status >= 400 && refused.status < 500);
    require(refused.status == 200 || stage().closed.refuse_stream(request).has_value());

    const auto answer = stage().open.answer(request);
    require(answer.status == 200 || answer.status == 202 || (answer.status >= 400 && answer.status < 500));
    if (answer.type.starts_with("application/json")) require(monitor::parsed(answer.body).has_value());
    if (answer.status >= 400) require(monitor::parsed(answer.body)->contains("error"));
    for (const auto& [name, value] : answer.headers) require(value.find_first_of("\r\n") == value.npos);

    monitor::Subscriptions wanted;
    const bool message = wanted.take(left);
    require(wanted.size() <= monitor::Subscriptions::most);
    monitor::Tick tick;
    tick.points["points"]["loss"] = {{1, 2, 3}};
    for (const std::string& text : wanted.messages(tick)) require(monitor::parsed(text).has_value());
    return message || answer.status < 400;
}
