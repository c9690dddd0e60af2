// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/monitor/monitor.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace sigma::monitor {

struct WebOptions {
    std::uint16_t port = 8080;          ///< 0: any that is free
    std::string address = "127.0.0.1";  ///< anything but loopback wants a token
    /// Whoever wants to see something must know it. Empty: none is needed at loopback of a machine that nobody else
    /// uses; elsewhere it is made of 128 random bits, and printed once to stderr.
    std::string token{};
    std::optional<bool> shared{};      ///< do others use this machine? Unless said: has it accounts of other people
    std::vector<std::string> names{};  ///< further names of this machine by which browsers may call it
    std::string runs{};                ///< a folder: each run is kept in one below it, with what is saved
    bool read_only = false;            ///< nothing can be set or commanded; predictions are answered
    double idle_seconds = 30;          ///< a client that does not go on is left after so long
    std::size_t clients = 200;         ///< at once
};

/// A page that shows trainers and steers them, for a browser on this machine: docs/monitors.md.
///
///     monitor::Web web(trainer, {.port = 8080});
///     web.add(monitor::chart(loss, accuracy), monitor::parameters("optimizer.*"), monitor::log);
///     trainer.run(cpu(), 20);
///
/// What it shows costs a step next to nothing, however slow a client is. What a client asks a trainer for, a prediction
/// say, is answered between two steps: it delays one by its own time, and one at a time is answered. Destruction ends
/// the server; not on the thread that trains. What is given to `on_start` is what the command `start` does.
class Web : public Monitor {
public:
    /// Nothing yet: `watch` says what. Throws ArgumentError for options that make no sense, and where the port is
    /// taken.
    explicit Web(WebOptions options = {});
    template <class N, class O, class T>
    explicit Web(Trainer<N, O, T>& trainer, WebOptions options = {}) : Web(std::move(options)) {
        watch(trainer);
    }
    /// All its trainers, with what their registries hold, and its log; `watch` of a trainer shows its network too. The
    /// environment must outlive the monitor.
    explicit Web(sigma::detail::Environment& environment, WebOptions options = {});

    /// "http://127.0.0.1:8080/"
    std::string address() const;
    /// The address with a ticket, good for one browser and once, where a token is needed: nobody types it.
    std::string link() const;
    std::uint16_t port() const;
    /// Empty where none is needed.
    const std::string& token() const&;
    std::string token() && { return token(); }
    /// Until Ctrl-C (SIGINT) or SIGTERM, which then do not end the process; one thread at a time.
    void wait() const;

private:
    struct Parts;
    Parts& parts() const;
};

}  // namespace sigma::monitor
