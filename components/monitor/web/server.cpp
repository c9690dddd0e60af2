// SPDX-License-Identifier: BSL-1.0
#include <sigma/core/error.hpp>
#include <sigma/storage/error.hpp>

#include "allowance.hpp"
#include "web/lanes.hpp"
#include "web/request.hpp"
#include "web/server.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ip/v6_only.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/websocket.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <deque>
#include <future>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <arpa/inet.h>
#include <fcntl.h>

namespace sigma::monitor {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace websocket = beast::websocket;
using asio::ip::tcp;
using Clock = std::chrono::steady_clock;

namespace {

constexpr std::string_view policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri "
    "'none'; "
    "form-action 'none'; frame-ancestors 'none'";

/// Returns the address for the limits of a client: for IPv6 its network, since a machine can use any address in
/// it.
asio::ip::address owner_of(const asio::ip::address& client) {
    if (!client.is_v6() || client.is_loopback()) return client;
    const asio::ip::address_v6 six = client.to_v6();
    if (six.is_v4_mapped()) return asio::ip::make_address_v4(asio::ip::v4_mapped, six);
    auto bytes = six.to_bytes();
    std::fill(bytes.begin() + 8, bytes.end(), static_cast<unsigned char>(0));
    return asio::ip::address_v6(bytes);
}

/// Returns the name of a client for its limits, and for the marks of its changes: "127.0.0.1".
std::string key_of(const asio::ip::address& client) {
    std::array<char, INET6_ADDRSTRLEN> text{};
    const auto written = [&](int family, const auto& bytes) {
        return std::string(::inet_ntop(family, bytes.data(), text.data(), text.size()));
    };
    return client.is_v4() ? written(AF_INET, client.to_v4().to_bytes()) : written(AF_INET6, client.to_v6().to_bytes());
}

/// Closes a socket in programs that this one starts.
template <class Socket>
void keep_from_children(Socket& socket) {
    ::fcntl(socket.native_handle(), F_SETFD, FD_CLOEXEC);
}

beast::string_view viewed(std::string_view text) { return {text.data(), text.size()}; }

}  // namespace

struct Connection;

struct Server::Core {
    Options options;
    Api* api = nullptr;
    std::uint16_t port = 0;
    asio::ip::address address;
    // Used by the thread of all connections. Declared before the context, which destroys the remaining connections.
    std::map<Connection*, std::weak_ptr<Connection>> connections;
    std::map<asio::ip::address, Allowance> allowances;
    bool closing = false;

    asio::io_context io{1};
    std::list<tcp::acceptor> acceptors;
    asio::steady_timer again{io};
    std::optional<asio::thread_pool> workers;  // for answers that never wait
    Lanes lanes;                               // for answers that may wait
    std::thread thread;

    void listen(const asio::ip::address& at, std::uint16_t number) {
        tcp::acceptor acceptor(io);
        const tcp::endpoint end(at, number);
        acceptor.open(end.protocol());
        keep_from_children(acceptor);
        acceptor.set_option(asio::socket_base::reuse_address(true));
        if (at.is_v6()) acceptor.set_option(asio::ip::v6_only(true));
        acceptor.bind(end);
        acceptor.listen();
        if (port == 0) port = acceptor.local_endpoint().port();
        acceptors.push_back(std::move(acceptor));
    }
    bool allow(const asio::ip::address& who) {
        if (allowances.size() > 1000) std::erase_if(allowances, [](const auto& one) { return one.second.whole(); });
        return allowances.try_emplace(who, Limits::per_address, 2 * Limits::per_address).first->second.take();
    }
    bool make_room();
    void accept(tcp::acceptor& acceptor);
};

/// A client, used on the server's thread. It keeps itself alive during an operation.
struct Connection : std::enable_shared_from_this<Connection> {
    using Stream = websocket::stream<beast::tcp_stream>;

    Server::Core* core;
    std::optional<beast::tcp_stream> tcp_stream;
    std::optional<Stream> stream;  // replaces tcp_stream after the upgrade
    asio::ip::address who;
    beast::flat_buffer buffer{Server::Limits::header + Server::Limits::body + 1024};
    std::optional<http::request_parser<http::string_body>> parser;
    http::request<http::string_body> upgrade;
    http::response<http::string_body> response;
    Allowance allowance{Server::Limits::per_connection, 2 * Server::Limits::per_connection};
    // State of the stream.
    Subscriptions subscriptions;
    std::deque<std::shared_ptr<const std::string>> waiting;
    std::size_t waiting_bytes = 0;
    bool missed = false, writing = false, open = false;
    bool reading = false, abandoned = false;
    Clock::time_point began{};  ///< start of the current request

    Connection(Server::Core* core_, tcp::socket socket, asio::ip::address who_)
        : core(core_), tcp_stream(std::move(socket)), who(std::move(who_)) {}
    ~Connection() { core->connections.erase(this); }

    auto idle() const {
        return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(core->options.idle_seconds));
    }

    // ---- HTTP ----

    void read() {
        reading = true;
        began = Clock::now();
        parser.emplace();
        parser->header_limit(Server::Limits::header);
        parser->body_limit(Server::Limits::body);
        tcp_stream->expires_after(
            idle());  // for the whole request, so that a client that sends single bytes is disconnected, too
        http::async_read(
            *tcp_stream, buffer, *parser,
            [self = shared_from_this()](beast::error_code failed, std::size_t) { self->was_read(failed); });
    }
    void was_read(beast::error_code failed) {
        reading = false;
        if (core->closing) return;
        if (failed == http::error::header_limit || failed == http::error::buffer_overflow)
            return write(refusal(431, "request: the header is larger than 8 KiB"), false);
        if (failed == http::error::body_limit)
            return write(refusal(413, "request: the body is larger than 64 KiB"), false);
        if (failed == http::error::end_of_stream || failed == http::error::partial_message ||
            failed == beast::error::timeout ||
            (failed && failed.category() != make_error_code(http::error::bad_method).category()))
            return close();
        if (failed) return write(refusal(400, "request: this is not valid HTTP/1.1"), false);
        const bool allowed = allowance.take() && core->allow(who);
        const bool keep = parser->get().keep_alive();
        if (!allowed) return write(refusal(429, "requests: more than 100 a second; try again later"), keep);
        const auto& from = parser->get();
        Request request = request_of(from, key_of(who));
        if (websocket::is_upgrade(from)) {
            if (const auto refused = core->api->refuse_stream(request)) return write(*refused, false);
            return begin_stream();
        }
        asio::post(*core->workers, [self = shared_from_this(), received = std::move(request), keep]() mutable {
            Server::Core& all = *self->core;
            const std::string lane = all.api->lane(received);
            if (lane.empty()) return answer(std::move(self), received, keep);
            const auto shared =
                std::make_shared<Connection::Question>(Question{std::move(self), std::move(received), keep});
            if (all.lanes.give(lane, [shared] { answer(std::move(shared->by), shared->request, shared->keep); }))
                return;
            auto refused = std::make_shared<Response>(
                refusal(429, sentence("requests: more than ", Lanes::waiting, " are waiting; try again later")));
            give_back(std::move(shared->by), std::move(refused), keep);
        });
    }
    struct Question {
        std::shared_ptr<Connection> by;
        Request request;
        bool keep = false;
    };
    static void answer(std::shared_ptr<Connection> by, const Request& request, bool keep) {
        auto found = std::make_shared<Response>(by->core->api->answer(request));
        give_back(std::move(by), std::move(found), keep);
    }
    /// Returns a connection to the thread of all connections, on which it must end.
    static void give_back(std::shared_ptr<Connection> to, std::shared_ptr<Response> found, bool keep) {
        auto& io = to->core->io;
        asio::post(io, [owner = std::move(to), found = std::move(found), keep] { owner->write(*found, keep); });
    }
    void write(const Response& answer, bool keep) {
        if (core->closing) return;
        response = {};
        response.version(11);
        response.result(answer.status);
        response.set(http::field::content_type, viewed(answer.type));
        response.set(http::field::cache_control, "no-store");
        response.set("Content-Security-Policy", viewed(policy));
        response.set("X-Content-Type-Options", "nosniff");
        response.set("Referrer-Policy", "no-referrer");
        response.set("Cross-Origin-Resource-Policy", "same-origin");
        for (const auto& [name, value] : answer.headers) response.insert(viewed(name), viewed(value));
        response.keep_alive(keep);
        response.body() = answer.body;
        response.prepare_payload();
        tcp_stream->expires_after(idle());
        http::async_write(*tcp_stream, response,
                          [self = shared_from_this(), keep](beast::error_code failed, std::size_t) {
                              self->response = {};
                              if (failed || !keep) return self->close();
                              self->read();
                          });
    }
    void close() {
        if (!tcp_stream) return;
        beast::error_code ignored;
        tcp_stream->socket().shutdown(tcp::socket::shutdown_send, ignored);
        // Reads the rest of the request for a moment; else the system would reset the connection before the answer
        // arrives.
        tcp_stream->expires_after(std::chrono::milliseconds(500));
        drain(0);
    }
    void drain(std::size_t taken) {
        buffer.consume(buffer.size());
        if (taken > (1 << 20)) return;
        tcp_stream->async_read_some(buffer.prepare(8192),
                                    [self = shared_from_this(), taken](beast::error_code failed, std::size_t n) {
                                        if (!failed && !self->core->closing) self->drain(taken + n);
                                    });
    }

    // ---- the stream ----

    void begin_stream() {
        upgrade = parser->release();
        parser.reset();
        stream.emplace(std::move(*tcp_stream));
        tcp_stream.reset();
        beast::get_lowest_layer(*stream).expires_never();
        websocket::stream_base::timeout times{};
        times.handshake_timeout = idle();
        times.idle_timeout = idle();
        times.keep_alive_pings = true;
        stream->set_option(times);
        stream->read_message_max(Server::Limits::message);
        if (!upgrade[http::field::sec_websocket_protocol].empty())
            stream->set_option(websocket::stream_base::decorator([](websocket::response_type& accepted) {
                accepted.set(http::field::sec_websocket_protocol, viewed(stream_protocol));
            }));
        stream->control_callback([this](websocket::frame_type, beast::string_view) {
            if (!allowance.take() || !core->allow(who)) abandon();  // a ping costs as much as a message
        });
        stream->async_accept(upgrade, [self = shared_from_this()](beast::error_code failed) {
            self->upgrade = {};
            if (failed || self->core->closing) return;
            self->open = true;
            // A worker takes the board's locks, not the thread of all connections.
            asio::post(*self->core->workers, [self]() mutable {
                auto hello = std::make_shared<const std::string>(
                    text_of({{"type", "hello"}, {"state", self->core->api->board().state()}}));
                auto& io = self->core->io;
                asio::post(io, [owner = std::move(self), hello] { owner->send(hello); });
            });
            self->buffer.consume(self->buffer.size());
            self->listen();
        });
    }
    void listen() {
        stream->async_read(buffer, [self = shared_from_this()](beast::error_code failed, std::size_t) {
            if (failed || self->core->closing) {
                self->open = false;
                return;
            }
            const auto bytes = self->buffer.cdata();
            const std::string_view message(static_cast<const char*>(bytes.data()), bytes.size());
            const bool fine = self->stream->got_text() && self->allowance.take() && self->core->allow(self->who) &&
                              self->subscriptions.take(message);
            self->buffer.consume(self->buffer.size());
            if (!fine) return self->leave();
            self->listen();
        });
    }
    /// Closes the stream with the code 1008 after the current write.
    void leave() {
        open = false;
        waiting.clear();
        waiting_bytes = 0;
        if (!writing) say_goodbye();
    }
    void say_goodbye() {
        websocket::stream_base::timeout times{};
        times.handshake_timeout = std::chrono::seconds(1);  // then the client is disconnected
        times.idle_timeout = idle();
        times.keep_alive_pings = false;
        stream->set_option(times);
        stream->async_close(websocket::close_code::policy_error, [self = shared_from_this()](beast::error_code) {});
    }
    void send(const std::shared_ptr<const std::string>& message) {
        if (!open || core->closing) return;
        if (waiting_bytes + message->size() > Server::Limits::queue) {
            missed = true;
            return;
        }
        waiting_bytes += message->size();
        waiting.push_back(message);
        if (!writing) write_next();
    }
    void write_next() {
        if (waiting.empty() && missed) {
            missed = false;
            waiting.push_back(std::make_shared<const std::string>("{\"type\":\"missed\"}"));
            waiting_bytes += waiting.back()->size();
        }
        if (waiting.empty()) return;
        writing = true;
        stream->text(true);
        stream->async_write(asio::buffer(*waiting.front()),
                            [self = shared_from_this(), sent = waiting.front()](beast::error_code failed, std::size_t) {
                                self->writing = false;
                                if (failed || self->core->closing) {
                                    self->open = false;
                                    return;
                                }
                                if (!self->open) return self->say_goodbye();
                                self->waiting_bytes -= sent->size();
                                self->waiting.pop_front();
                                self->write_next();
                            });
    }
    void abandon() {
        abandoned = true;
        open = false;
        beast::error_code ignored;
        if (stream) beast::get_lowest_layer(*stream).socket().close(ignored);
        if (tcp_stream) tcp_stream->socket().close(ignored);
    }
};

/// Returns whether there is room for one more client. If not, disconnects the one with the oldest incomplete request,
/// from the address with the most of them, so that half a request takes no other client's place.
bool Server::Core::make_room() {
    std::map<asio::ip::address, std::vector<std::shared_ptr<Connection>>> by_address;
    std::size_t all = 0;
    for (const auto& [_, weak] : connections) {
        auto one = weak.lock();
        if (!one || one->abandoned) continue;
        ++all;
        if (one->reading) by_address[one->who].push_back(std::move(one));
    }
    if (all < options.clients) return true;
    if (by_address.empty()) return false;
    const auto& most =
        std::ranges::max_element(by_address, {}, [](const auto& each) { return each.second.size(); })->second;
    (*std::ranges::min_element(most, {}, [](const auto& one) { return one->began; }))->abandon();
    return true;
}

void Server::Core::accept(tcp::acceptor& acceptor) {
    acceptor.async_accept([self = this, &acceptor](beast::error_code failed, tcp::socket socket) {
        if (self->closing) return;
        if (failed) {  // for example no descriptors are left: tries again later
            self->again.expires_after(std::chrono::milliseconds(100));
            self->again.async_wait([self, &acceptor](beast::error_code ended) {
                if (!ended && !self->closing) self->accept(acceptor);
            });
            return;
        }
        beast::error_code gone;
        const auto end = socket.remote_endpoint(gone);
        if (!gone && self->make_room()) {
            keep_from_children(socket);
            socket.set_option(tcp::no_delay(true), gone);
            auto next = std::make_shared<Connection>(self, std::move(socket), owner_of(end.address()));
            self->connections.emplace(next.get(), next);
            next->read();
        }  // else closes the socket
        self->accept(acceptor);
    });
}

Server::Server(Options options) : core_(std::make_unique<Core>()) {
    core_->options = std::move(options);
    boost::system::error_code failed;
    core_->address = asio::ip::make_address(core_->options.address, failed);
    if (failed)
        throw ArgumentError("address of a monitor", "an IPv4 or IPv6 address",
                            sentence("'", core_->options.address, "'"));
    try {
        core_->listen(core_->address, core_->options.port);
        if (core_->options.address == "127.0.0.1") try {  // "localhost" may be IPv4 or IPv6
                core_->listen(asio::ip::address_v6::loopback(), core_->port);
            } catch (const boost::system::system_error&) {  // a machine without IPv6
            }
    } catch (const boost::system::system_error& error) {
        throw ArgumentError(sentence("monitor at ", core_->options.address, ", port ", core_->options.port),
                            "a free port, or 0 for any free port", storage::system_text(error.code().value()));
    }
}

/// Writes the last messages, such as why a run has ended, for at most a fifth of a second.
void Server::finish_writing() {
    for (int i = 0; i < 40; ++i) {
        std::promise<bool> answer;
        asio::post(core_->io, [core = core_.get(), &answer] {
            bool busy = false;
            for (const auto& [_, weak] : core->connections)
                if (const auto one = weak.lock()) busy = busy || (one->open && one->writing);
            answer.set_value(busy);
        });
        if (!answer.get_future().get()) return;
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
}

Server::~Server() {
    if (!core_->workers) return;
    finish_writing();
    std::promise<void> closed;
    asio::post(core_->io, [core = core_.get(), &closed] {
        core->closing = true;
        beast::error_code ignored;
        for (auto& acceptor : core->acceptors) acceptor.close(ignored);
        core->again.cancel();
        std::vector<std::shared_ptr<Connection>> all;
        for (const auto& [_, weak] : core->connections)
            if (auto one = weak.lock()) all.push_back(std::move(one));
        for (const auto& one : all) one->abandon();
        closed.set_value();
    });
    closed.get_future().wait();
    core_->workers->join();
    core_->lanes.join();
    core_->io.stop();
    core_->thread.join();
}

std::uint16_t Server::port() const { return core_->port; }
bool Server::loopback() const { return core_->address.is_loopback(); }
bool Server::everywhere() const { return core_->address.is_unspecified(); }
std::string Server::host() const {
    return core_->address.is_v6() ? sentence("[", core_->options.address, "]") : core_->options.address;
}

void Server::serve(Api& api) {
    core_->api = &api;
    core_->workers.emplace(4);
    for (auto& acceptor : core_->acceptors) core_->accept(acceptor);
    core_->thread = std::thread([core = core_.get()] {
        const auto work = asio::make_work_guard(core->io);
        core->io.run();
    });
}

void Server::send(std::shared_ptr<const Tick> tick) {
    asio::post(core_->io, [core = core_.get(), tick = std::move(tick)] {
        if (core->closing) return;
        std::vector<std::shared_ptr<const std::string>> common;
        if (!tick->state.empty()) common.push_back(std::make_shared<const std::string>(tick->state));
        for (const std::string& message : tick->messages)
            common.push_back(std::make_shared<const std::string>(message));
        for (const auto& [_, weak] : core->connections) {
            const auto one = weak.lock();
            if (!one || !one->open) continue;
            for (const auto& message : common) one->send(message);
            for (std::string& message : one->subscriptions.messages(*tick))
                one->send(std::make_shared<const std::string>(std::move(message)));
        }
    });
}

}  // namespace sigma::monitor
