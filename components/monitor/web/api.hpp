// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "allowance.hpp"
#include "board.hpp"
#include "web/run_answers.hpp"

#include <chrono>
#include <cstddef>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sigma::monitor {

/// An HTTP request. The text of a field is empty if the field is missing or occurs twice.
struct Request {
    std::string method, target, host, origin, content_type, authorization, body;
    std::string protocols{};  ///< protocols that a stream offers
    std::string client{};     ///< client for the limits of requests
};
struct Response {
    unsigned status = 200;
    std::string type = "application/json; charset=utf-8", body;
    std::vector<std::pair<std::string, std::string>> headers{};
};

/// The access rules of a server.
struct Access {
    std::vector<std::string> hosts;  ///< all names that a request may use for this server: "127.0.0.1:8080"
    std::string token;               ///< empty if none is needed
    std::string any_address{};       ///< ":8080": any numeric address with this port, too; empty: only `hosts`
    /// 128 random bits that a browser gets in exchange for the token, valid until the program ends. It is not a cookie,
    /// since a browser sends cookies to all ports of a machine.
    std::string session{};
};

/// A counter of wrong tokens. An address may send ten different ones a minute, and must wait then. The right token is
/// always accepted, since all clients behind a tunnel or proxy have one address. The same wrong token counts once,
/// since a browser may still have the session of an earlier run. Any thread may call it.
class Guesses {
public:
    static constexpr std::size_t most = 10, addresses = 10'000;

    /// Counts a wrong token. Returns false if there were too many already.
    bool wrong(const std::string& address, std::string_view token);

private:
    struct Minute {
        std::chrono::steady_clock::time_point began;
        std::set<std::size_t> hashes;
    };
    std::mutex mutex_;
    std::map<std::string, Minute> minutes_;
};

/// A counter, by address, of questions that cost the program time. The limit allows ten pages of ten panels. Any thread
/// may call it.
class Questions {
public:
    static constexpr double a_second = 100, at_once = 400;
    static constexpr std::size_t addresses = 10'000;

    /// Counts a question. Returns false if the address has reached its limit.
    bool take(const std::string& address);

private:
    std::mutex mutex_;
    std::map<std::string, Allowance> left_;
};

struct Target;  ///< parsed target of a request

/// The answers to requests, without any network. Any thread may call it; an answer may take until the next iteration of
/// a trainer.
class Api {
public:
    /// Constructs answers for a board and, optionally, the runs in a folder.
    Api(Board& board, Access access, RunLibrary* runs = nullptr)
        : board_(board), runs_(runs), access_(std::move(access)) {}

    /// Answers a request. Throws only if memory is exhausted.
    Response answer(const Request& request) const;
    /// Returns the lane in which an answer may wait; empty if it never waits.
    std::string lane(const Request& request) const;
    /// Makes a ticket for a link: the first login with it gets a session.
    std::string ticket();
    /// Returns nothing if the request may open the stream.
    std::optional<Response> refuse_stream(const Request& request) const;
    const Board& board() const { return board_; }
    Board& board() { return board_; }

private:
    std::optional<Response> refuse(const Request& request) const;
    bool is_known(std::string_view offered) const;
    std::optional<Response> refuse_stranger(const Request& request) const;
    Response login(const Request& request) const;
    Response page(std::string_view name) const;
    Response answer_known(const Request& request, const Target& target) const;

    Board& board_;
    RunAnswers runs_;
    Access access_;
    mutable Guesses guesses_;
    mutable std::mutex tickets_mutex_;
    mutable std::deque<std::string> tickets_;
    mutable Questions questions_;
};

/// Returns 128 random bits from the system as text.
std::string random_text();

/// Protocol names with which a page opens the stream. A page cannot send other fields then, so one carries its session:
/// "sigma-session-…".
inline constexpr std::string_view session_protocol = "sigma-session-", stream_protocol = "sigma";

/// Makes an answer {"error": …} with a message.
Response refusal(unsigned status, std::string_view sentence);

/// The series to which a client of the stream has subscribed.
class Subscriptions {
public:
    static constexpr std::size_t most = 256;

    /// Reads a message. Returns false if it is not one of the protocol; the server closes the connection then.
    bool take(std::string_view message);
    /// Returns {"type": "points", …} for each trainer with points of subscribed series.
    std::vector<std::string> messages(const Tick& tick) const;
    std::size_t size() const;

private:
    std::map<std::string, std::set<std::string>> wanted_;
};

}  // namespace sigma::monitor
