// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/error.hpp>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

namespace sigma::test {

/// A client of HTTP and WebSocket that sends any bytes, right or wrong.
class RawClient {
public:
    explicit RawClient(std::uint16_t port, int receive_buffer = 0)
        : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)), port_(port) {
        if (receive_buffer > 0) ::setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
        ::timeval limit{20, 0};
        ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
        ::sockaddr_in to{};
        to.sin_family = AF_INET;
        to.sin_port = htons(port);
        to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        if (::connect(socket_, reinterpret_cast<const ::sockaddr*>(&to), sizeof to) != 0) {
            ::close(socket_);
            throw std::runtime_error("no connection");
        }
    }
    RawClient(const RawClient&) = delete;
    RawClient& operator=(const RawClient&) = delete;
    ~RawClient() { ::close(socket_); }

    /// False where the other end has closed.
    bool send(std::string_view bytes) {
        while (!bytes.empty()) {
            const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
            if (sent <= 0) return false;
            bytes.remove_prefix(static_cast<std::size_t>(sent));
        }
        return true;
    }
    /// The next answer whole, with its header; what is there where the other end closes.
    std::string answer() {
        std::size_t end;
        while ((end = bytes_.find("\r\n\r\n")) == bytes_.npos)
            if (!more()) return take(bytes_.size());
        std::size_t length = 0;
        const std::size_t field = bytes_.find("Content-Length: ");
        if (field < end)
            for (std::size_t i = field + 16; bytes_[i] >= '0' && bytes_[i] <= '9'; ++i)
                length = 10 * length + static_cast<std::size_t>(bytes_[i] - '0');
        while (bytes_.size() < end + 4 + length)
            if (!more()) break;
        return take(end + 4 + length);
    }
    std::string ask(std::string_view bytes) {
        send(bytes);
        return answer();
    }
    std::string host() const { return sentence("127.0.0.1:", port_); }
    std::string get(std::string_view target, std::string_view fields = "") {
        return ask(sentence("GET ", target, " HTTP/1.1\r\nHost: ", host(), "\r\n", fields, "\r\n"));
    }
    std::string post(std::string_view target, std::string_view body,
                     std::string_view fields = "Content-Type: application/json\r\n") {
        return ask(sentence("POST ", target, " HTTP/1.1\r\nHost: ", host(), "\r\n", fields,
                            "Content-Length: ", body.size(), "\r\n\r\n", body));
    }
    /// Has the other end closed within this time?
    bool closed(double seconds) {
        const auto until = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
        while (std::chrono::steady_clock::now() < until) {
            ::pollfd one{socket_, POLLIN, 0};
            if (::poll(&one, 1, 50) > 0 && !more()) return true;
        }
        return false;
    }

    // ---- the stream ----

    std::string upgrade(std::string_view fields = "", std::string_view target = "/api/stream") {
        return get(target, sentence("Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
                                    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n",
                                    fields));
    }
    bool send_message(std::string_view text, unsigned char first = 0x81) {
        std::string frame{static_cast<char>(first)};
        if (text.size() < 126) {
            frame += static_cast<char>(0x80 | text.size());
        } else if (text.size() < 65536) {
            frame += static_cast<char>(0x80 | 126);
            frame += static_cast<char>(text.size() >> 8);
            frame += static_cast<char>(text.size() & 255);
        } else {
            frame += static_cast<char>(0x80 | 127);
            for (int i = 7; i >= 0; --i) frame += static_cast<char>(text.size() >> 8 * i & 255);
        }
        frame.append(4, '\0');  // the mask
        return send(frame += text);
    }
    /// The next message of text; "closed 1008" for a closing frame, "gone" without one.
    std::string message() {
        std::string whole;  // a long one comes in parts
        while (true) {
            if (!need(2)) return "gone";
            const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes_[i]); };
            const unsigned kind = byte(0) & 15u;
            const bool last = (byte(0) & 128u) != 0;
            std::size_t size = byte(1) & 127u, header = 2;
            if (size == 126) {
                if (!need(4)) return "gone";
                size = byte(2) * 256u + byte(3), header = 4;
            } else if (size == 127) {
                if (!need(10)) return "gone";
                size = 0, header = 10;
                for (std::size_t i = 2; i < 10; ++i) size = size << 8 | byte(i);
            }
            if (!need(header + size)) return "gone";
            take(header);
            const std::string text = take(size);
            if (kind <= 1) whole += text;
            if (kind <= 1 && last) return whole;
            if (kind == 8)
                return text.size() < 2 ? "closed"
                                       : sentence("closed ", static_cast<unsigned char>(text[0]) * 256 +
                                                                 static_cast<unsigned char>(text[1]));
        }
    }
    /// The next message with this in it.
    std::string message_with(std::string_view part) {
        while (true) {
            std::string next = message();
            if (next.find(part) != next.npos || next == "gone" || next.starts_with("closed")) return next;
        }
    }

private:
    bool more() {
        char part[65536];
        ssize_t n = 0;
        do n = ::recv(socket_, part, sizeof part, 0);
        while (n < 0 && errno == EINTR);  // it is not continued by itself after a signal if it has a time limit
        if (n <= 0) return false;
        bytes_.append(part, static_cast<std::size_t>(n));
        return true;
    }
    bool need(std::size_t size) {
        while (bytes_.size() < size)
            if (!more()) return false;
        return true;
    }
    std::string take(std::size_t size) {
        std::string result = bytes_.substr(0, size);
        bytes_.erase(0, size);
        return result;
    }

    int socket_;
    std::uint16_t port_;
    std::string bytes_;
};

/// 200 of "HTTP/1.1 200 OK…"; 0 for no answer.
inline int status_of(std::string_view text) {
    int status = 0;
    for (std::size_t i = 9; i < 12 && text.size() > 12; ++i) status = 10 * status + (text[i] - '0');
    return status;
}
inline std::string body_of(const std::string& text) {
    const std::size_t end = text.find("\r\n\r\n");
    return end == text.npos ? std::string() : text.substr(end + 4);
}

}  // namespace sigma::test
