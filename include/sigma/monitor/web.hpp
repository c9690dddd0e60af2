// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/environment/environment.hpp>
#include <sigma/monitor/panel.hpp>
#include <sigma/monitor/watched.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace sigma::monitor {

struct WebOptions {
    std::uint16_t port = 8080;          ///< 0: any that is free
    std::string address = "127.0.0.1";  ///< anything but loopback wants a token
    /// Whoever wants to see something must know it, unless it is empty and the address loopback. Empty and another
    /// address: made of 128 random bits, and printed once to stderr.
    std::string token{};
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
/// the server; not on the thread that trains. Any thread may call anything.
class Web {
public:
    /// Nothing yet: `watch` says what. Throws ArgumentError for options that make no sense, std::system_error where the
    /// port is taken.
    explicit Web(WebOptions options = {});
    template <class N, class O, class T>
    explicit Web(Trainer<N, O, T>& trainer, WebOptions options = {}) : Web(std::move(options)) {
        watch(trainer);
    }
    /// All its trainers, with what their registries hold, and its log; `watch` of a trainer shows its network too. The
    /// environment must outlive the monitor.
    explicit Web(Environment& environment, WebOptions options = {});
    Web(const Web&) = delete;
    Web& operator=(const Web&) = delete;
    ~Web();

    /// Shows a trainer, which may end before the monitor does.
    template <class N, class O, class T>
    void watch(Trainer<N, O, T>& trainer) {
        enter(monitor::watch(trainer));
    }
    /// Shows what is written there from now on.
    void follow(const Log& messages);
    /// What the command `start` does: `web.on_start("digits", [&] { trainer.start(cpu(), 20); })`.
    void on_start(std::string trainer, std::function<void()> begin);

    /// Panels, in the order of the page. Without any it shows what one wants to see.
    template <class... P>
        requires(sizeof...(P) > 0 && (std::convertible_to<P, Panel> && ...))
    void add(const P&... panels) {
        for (const Panel& panel : {Panel(panels)...}) show(panel);
    }

    /// "http://127.0.0.1:8080/"
    std::string address() const;
    std::uint16_t port() const;
    /// Empty where none is needed.
    const std::string& token() const;
    /// The folder of this run, empty where none is kept.
    std::string run_folder() const;

private:
    struct Parts;
    void enter(Watched trainer);
    void show(Panel panel);

    std::unique_ptr<Parts> parts_;
};

}  // namespace sigma::monitor
