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

/// A request of HTTP that was read; of a field that is not there, or there twice, the text is empty.
struct Request {
    std::string method, target, host, origin, content_type, authorization, body;
    std::string protocols{};  ///< of a stream, those that are offered
    std::string client{};     ///< whose limits count for it
};
struct Response {
    unsigned status = 200;
    std::string type = "application/json; charset=utf-8", body;
    std::vector<std::pair<std::string, std::string>> headers{};
};

/// Who may ask.
struct Access {
    std::vector<std::string> hosts;  ///< "127.0.0.1:8080", all that a request may call this server
    std::string token;               ///< empty where none is needed
    std::string any_address{};       ///< ":8080": also any address, as numbers, with this port; empty where not
    /// 128 random bits, which a browser gets that has given the token: good until the program ends. It is no cookie,
    /// which a browser would send to whoever listens at another port of this machine.
    std::string session{};
};

/// Counts wrong tokens: an address may offer ten different ones a minute, and is told above that to wait. The right one
/// is taken nevertheless: behind a tunnel or a proxy all come from one address. One that was counted is not counted
/// again: a browser still has the session of an earlier run. Any thread.
class Guesses {
public:
    static constexpr std::size_t most = 10, addresses = 10'000;

    /// False where there were too many already.
    bool wrong(const std::string& address, std::string_view token);

private:
    struct Minute {
        std::chrono::steady_clock::time_point began;
        std::set<std::size_t> hashes;
    };
    std::mutex mutex_;
    std::map<std::string, Minute> minutes_;
};

/// Counts questions whose answers cost the program time, by address: ten pages of ten panels ask so much. Any thread.
class Questions {
public:
    static constexpr double a_second = 100, at_once = 400;
    static constexpr std::size_t addresses = 10'000;

    /// Whether one more may be asked from there.
    bool take(const std::string& address);

private:
    std::mutex mutex_;
    std::map<std::string, Allowance> left_;
};

struct Target;  ///< the address of a request, taken apart

/// What is answered to a request: a function of it and of the board, without any network. Any thread may ask; an answer
/// may take until the next iteration of a trainer.
class Api {
public:
    /// With the runs of a folder, where there is one.
    Api(Board& board, Access access, RunLibrary* runs = nullptr)
        : board_(board), runs_(runs), access_(std::move(access)) {}

    /// Never throws but for want of memory.
    Response answer(const Request& request) const;
    /// Where an answer may have to wait, the name of the lane in which it does; empty where it takes no time.
    std::string lane(const Request& request) const;
    /// For an address: whoever asks for a session with it first, gets one.
    std::string ticket();
    /// Nothing where this may become a connection of the stream.
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

/// 128 bits from the system, as text.
std::string random_text();

/// How a page offers its session where it opens the stream, since it can send no other field: "sigma-session-…".
inline constexpr std::string_view session_protocol = "sigma-session-", stream_protocol = "sigma";

/// An answer with {"error": sentence}.
Response refusal(unsigned status, std::string_view sentence);

/// What a client of the stream wants to hear, as its messages say.
class Subscriptions {
public:
    static constexpr std::size_t most = 256;

    /// False for anything but a message of the protocol: the connection is closed then.
    bool take(std::string_view message);
    /// {"type": "points", …} for each trainer with points that are wanted.
    std::vector<std::string> messages(const Tick& tick) const;
    std::size_t size() const;

private:
    std::map<std::string, std::set<std::string>> wanted_;
};

/// Do both have the same bytes? It takes as long wherever they differ.
bool same_in_constant_time(std::string_view a, std::string_view b);

}  // namespace sigma::monitor
