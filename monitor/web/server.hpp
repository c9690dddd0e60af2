// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "web/api.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace sigma::monitor {

/// HTTP and WebSocket for an Api. One thread has all connections, a few others answer
/// what takes no time, and those of Lanes what waits. What a client costs
/// is bounded: its header has 8 KiB at most, its body 64 KiB, a message 16 KiB, what waits to be sent to it 1 MiB.
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
    /// Binds, and does not answer yet. Throws ArgumentError where it cannot.
    explicit Server(Options options);
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;
    /// Closes all connections and waits for answers under way.
    ~Server();

    std::uint16_t port() const;
    bool loopback() const;
    /// Bound to all addresses of the machine?
    bool everywhere() const;
    /// As in an address: "127.0.0.1", "[::1]".
    std::string host() const;
    void serve(Api& api);
    /// To those who listen; from any thread.
    void tell(std::shared_ptr<const Tick> tick);

    struct Core;

private:
    void finish_writing();

    std::unique_ptr<Core> core_;
};

}  // namespace sigma::monitor
