// SPDX-License-Identifier: BSL-1.0
#include <sigma/core/terminal.hpp>
#include <sigma/monitor/web.hpp>

#include "parts.hpp"
#include "web/api.hpp"
#include "web/people.hpp"
#include "web/server.hpp"

#include <algorithm>
#include <cstdio>

namespace sigma::monitor {

namespace {

WebOptions checked(WebOptions options) {
    const auto fine = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
    };
    if (!options.token.empty() && (options.token.size() < 16 || !std::ranges::all_of(options.token, fine)))
        throw ArgumentError(
            "token of a monitor", "at least 16 letters, digits, '-' and '_'",
            options.token.size() < 16 ? sentence(options.token.size(), " characters") : "other characters");
    if (!(options.idle_seconds > 0) || options.idle_seconds > 1e6)
        throw ArgumentError("idle_seconds of a monitor", "a time up to a million seconds",
                            sentence(options.idle_seconds));
    if (options.clients == 0) throw ArgumentError("clients of a monitor", "1 or more", "0");
    return options;
}

}  // namespace

struct Web::Parts : Monitor::Parts {
    WebOptions options;
    std::optional<RunLibrary> runs;
    std::optional<Api> api;
    Server server;  // after all members that its workers use: its destructor waits for them
    std::string token;

    explicit Parts(const WebOptions& given)
        : Monitor::Parts({given.runs, given.read_only, given.provenance}), options(given),
          server({options.address, options.port, options.idle_seconds, options.clients}), token(options.token) {
        const bool made = token.empty() && (!server.loopback() || options.shared.value_or(machine_is_shared()));
        if (made) token = random_text();
        Access access{.hosts = {}, .token = token};
        if (!token.empty()) access.session = random_text();
        if (server.everywhere()) access.any_address = sentence(":", server.port());
        std::vector<std::string> names = options.names;
        for (const char* name : {"localhost", "127.0.0.1", "[::1]"}) names.emplace_back(name);
        names.push_back(server.host());
        for (std::string& name : names) {
            for (char& c : name)
                if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
            access.hosts.push_back(name);
            access.hosts.push_back(sentence(name, ":", server.port()));
        }
        if (!options.runs.empty()) runs.emplace(options.runs);
        api.emplace(board, std::move(access), runs ? &*runs : nullptr);
        if (made)
            terminal::print(stderr, sentence("monitor: ", address(), " needs the token ", token, "; ", link(),
                                             " admits one browser once"));
        server.serve(*api);
        board.on_tick([this](std::shared_ptr<const Tick> tick) { server.send(std::move(tick)); });
    }
    ~Parts() override {
        follow_none();
        try {
            board.turn();  // the last messages, such as why a run has ended
        } catch (...) {    // the disk is full: clients do not get them
        }
        board.on_tick(nullptr);
        board.quiet();
    }
    void show(Panel panel) override { board.show(std::move(panel)); }
    std::function<void(const LogRecord&)> follower() override { return board.follower(); }
    std::string link() { return token.empty() ? address() : sentence(address(), "#ticket=", api->ticket()); }
    std::string address() const { return sentence("http://", server.host(), ":", server.port(), "/"); }
};

Web::Web(WebOptions options) : Monitor(std::make_unique<Parts>(checked(std::move(options)))) {}

Web::Web(sigma::detail::Environment& environment, WebOptions options) : Web(std::move(options)) { enter(environment); }

Web::Parts& Web::parts() const { return static_cast<Parts&>(*parts_); }

std::string Web::address() const { return parts().address(); }
std::string Web::link() const { return parts().link(); }
std::uint16_t Web::port() const { return parts().server.port(); }
const std::string& Web::token() const& { return parts().token; }

}  // namespace sigma::monitor
