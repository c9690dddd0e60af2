// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "web/api.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace sigma::monitor {

/// A server for HTTP and WebSocket with the answers of an Api. One thread handles all connections, a few others give
/// answers that never wait, and those of Lanes the others. The memory of a client is bounded: at most 8 KiB for a
/// header, 64 KiB for a body, 16 KiB for a message, and 1 MiB for data that waits to be sent.
class Server {
public:
    struct Options {
        std::string address;
        std::uint16_t port = 0;
        double idle_seconds = 30;
        std::size_t clients = 200;
    };
    struct Limits {
        static constexpr unsigned header = 8192, body = 65536, message = 16384;
        static constexpr std::size_t queue = 1 << 20;
        static constexpr double per_connection = 100, per_address = 1000;  ///< requests a second; twice that at once
    };
    /// Binds to an address without answering yet. Throws ArgumentError on failure.
    explicit Server(Options options);
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;
    /// Closes all connections and waits for answers in progress.
    ~Server();

    std::uint16_t port() const;
    bool loopback() const;
    /// Returns whether the server is bound to all addresses of the machine.
    bool everywhere() const;
    /// Returns the host as in a URL: "127.0.0.1", "[::1]".
    std::string host() const;
    void serve(Api& api);
    /// Sends changes to the clients of the stream; from any thread.
    void send(std::shared_ptr<const Tick> tick);

    struct Core;

private:
    void finish_writing();

    std::unique_ptr<Core> core_;
};

}  // namespace sigma::monitor
