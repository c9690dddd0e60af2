// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cctype>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace sigma::test {

/// A server of HTTP/1.1 on 127.0.0.1 that does what the test says, however wrong that is. Each connection has a thread
/// of its own and serves one request.
class HttpServer {
public:
    struct Request {
        std::string method, path;                    // "GET", "/a.csv", of a proxy "http://example.org/a.csv"
        std::map<std::string, std::string> headers;  // names in lower case
        int number = 0;                              // 1, 2, …
        std::string body{};                          // as long as "content-length" says
    };

    /// What a handler sends to.
    class Client {
    public:
        Client(HttpServer& server, int socket) : server_(server), socket_(socket) {}

        void send(const std::string& text) const {
            for (std::size_t sent = 0; sent < text.size();) {
                const ::ssize_t count = ::send(socket_, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
                if (count <= 0) return;  // the client has gone: its test looks at what it did
                sent += static_cast<std::size_t>(count);
            }
        }
        /// "HTTP/1.1 200 OK", its headers, and an own "Content-Length" unless `headers` has one.
        void reply(const std::string& status, const std::string& headers, const std::string& body) const {
            std::string text = "HTTP/1.1 " + status + "\r\nConnection: close\r\n" + headers;
            if (headers.find("Content-Length") == headers.npos)
                text += "Content-Length: " + std::to_string(body.size()) + "\r\n";
            send(text + "\r\n" + body);
        }
        /// False where the client or the server has ended before the time was over.
        bool wait(std::chrono::milliseconds time) const {
            const auto until = std::chrono::steady_clock::now() + time;
            while (std::chrono::steady_clock::now() < until) {
                ::pollfd gone{socket_, POLLRDHUP, 0};
                if (server_.ended_ || ::poll(&gone, 1, 5) != 0) return false;
            }
            return true;
        }

    private:
        HttpServer& server_;
        int socket_;
    };

    using Handler = std::function<void(const Request&, const Client&)>;

    explicit HttpServer(Handler handler)
        : handler_(std::move(handler)), socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        ::sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        ::socklen_t size = sizeof address;
        auto* const any = reinterpret_cast<::sockaddr*>(&address);
        if (::bind(socket_, any, size) != 0 || ::listen(socket_, 16) != 0 || ::getsockname(socket_, any, &size) != 0)
            throw std::runtime_error("no server on the loopback");
        port_ = ntohs(address.sin_port);
        thread_ = std::thread([this] { serve(); });
    }
    HttpServer(const HttpServer&) = delete;
    HttpServer& operator=(const HttpServer&) = delete;
    ~HttpServer() {
        ended_ = true;
        thread_.join();
        for (std::thread& thread : clients_) thread.join();
        ::close(socket_);
    }

    std::string address(const std::string& path = "/data.bin") const {
        return "http://127.0.0.1:" + std::to_string(port_) + path;
    }
    std::vector<Request> requests() const {
        const std::lock_guard lock(mutex_);
        return requests_;
    }

private:
    void serve() {
        while (!ended_) {
            ::pollfd waiting{socket_, POLLIN, 0};
            if (::poll(&waiting, 1, 5) <= 0) continue;
            const int client = ::accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC);
            if (client >= 0) clients_.emplace_back([this, client] { answer(client); });
        }
    }

    void answer(int client) {
        std::string head;
        char block[4096];
        // Receives until the text is complete. False where the client or the server has ended before.
        const auto receive = [&](const auto& complete) {
            while (!complete()) {
                if (ended_) return false;
                ::pollfd waiting{client, POLLIN, 0};
                if (::poll(&waiting, 1, 5) <= 0) continue;
                const ::ssize_t count = ::recv(client, block, sizeof block, 0);
                if (count <= 0) return false;
                head.append(block, static_cast<std::size_t>(count));
            }
            return true;
        };
        if (receive([&] { return head.find("\r\n\r\n") != head.npos; })) {
            Request request = parse(head);
            if (const auto length = request.headers.find("content-length"); length != request.headers.end()) {
                const std::size_t begin = head.find("\r\n\r\n") + 4, size = std::stoul(length->second);
                receive([&] { return head.size() >= begin + size; });
                request.body = head.substr(begin, size);
            }
            {
                const std::lock_guard lock(mutex_);
                request.number = static_cast<int>(requests_.size()) + 1;
                requests_.push_back(request);
            }
            handler_(request, Client(*this, client));
        }
        ::shutdown(client, SHUT_RDWR);
        ::close(client);
    }

    static Request parse(const std::string& head) {
        Request request;
        const std::size_t first = head.find(' '), second = head.find(' ', first + 1);
        request.method = head.substr(0, first);
        request.path = head.substr(first + 1, second - first - 1);
        for (std::size_t at = head.find("\r\n") + 2; head.compare(at, 2, "\r\n") != 0;) {
            const std::size_t end = head.find("\r\n", at), colon = head.find(':', at);
            std::string name = head.substr(at, colon - at);
            std::transform(name.begin(), name.end(), name.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
            request.headers[name] = head.substr(colon + 2, end - colon - 2);
            at = end + 2;
        }
        return request;
    }

    Handler handler_;
    int socket_;
    std::uint16_t port_ = 0;
    std::atomic<bool> ended_{false};
    mutable std::mutex mutex_;
    std::vector<Request> requests_;
    std::thread thread_;
    std::vector<std::thread> clients_;  // touched by thread_, and after its end
};

}  // namespace sigma::test
