// SPDX-License-Identifier: BSL-1.0
// Any bytes behind the handshake of a monitor's stream are messages of the protocol, or end it; nothing that is no
// message is taken, and what is wanted stays bounded.
#include "web/server.hpp"

#include "target.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/beast/_experimental/test/stream.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/websocket.hpp>

#include <string_view>

namespace {

using fuzz::require;
using namespace sigma;
namespace beast = boost::beast;
namespace websocket = beast::websocket;

constexpr std::string_view handshake =
    "GET /api/stream HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";

}  // namespace

bool fuzz_accepts(const std::uint8_t* data, std::size_t size) {
    static boost::asio::io_context io;
    beast::test::stream client(io);
    websocket::stream<beast::test::stream> stream(io);
    stream.next_layer().connect(client);
    stream.next_layer().append({handshake.data(), handshake.size()});
    stream.read_message_max(monitor::Server::Limits::message);
    beast::error_code failed;
    stream.accept(failed);
    require(!failed);
    stream.next_layer().append({reinterpret_cast<const char*>(data), size});
    stream.next_layer().close_remote();

    monitor::Subscriptions wanted;
    beast::flat_buffer buffer(monitor::Server::Limits::message);
    bool fine = true;
    int messages = 0;
    while (fine) {
        stream.read(buffer, failed);
        if (failed) break;
        ++messages;
        const auto bytes = buffer.cdata();
        const std::string_view message(static_cast<const char*>(bytes.data()), bytes.size());
        require(message.size() <= monitor::Server::Limits::message);
        fine = stream.got_text() && wanted.take(message);
        require(!fine || (monitor::parsed(message).has_value() && monitor::parsed(message)->size() == 1));
        require(wanted.size() <= monitor::Subscriptions::most);
        buffer.consume(buffer.size());
    }
    monitor::Tick tick;
    tick.points["points"]["loss"] = {{1, 2, 3}};
    for (const std::string& text : wanted.messages(tick)) require(monitor::parsed(text).has_value());
    return fine && messages > 0 && (failed == boost::asio::error::eof || failed == websocket::error::closed);
}

/// The length of the first piece, in the byte that says it, is that of what is there.
void fuzz_repair(std::string& bytes) {
    if (bytes.size() < 6) return;
    const std::size_t rest = bytes.size() - 6;
    bytes[0] = static_cast<char>(0x81);
    if (rest < 126) bytes[1] = static_cast<char>(0x80 | rest);
    for (std::size_t i = 2; i < 6; ++i) bytes[i] = 0;  // the mask: what was changed is what is read
}
