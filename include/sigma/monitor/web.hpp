// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Web page that shows trainers and controls them. Include it yourself and link `sigma::monitor`.
#include <sigma/monitor/monitor.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace sigma::monitor {

/// Options of `Web`.
///
/// @par Example
/// @code
/// monitor::Web web(trainer, {.port = 0, .runs = "runs", .read_only = true});
/// @endcode
struct WebOptions {
    std::uint16_t port = 8080;          ///< TCP port to listen on. 0: any free port, see `Web::port`.
    std::string address = "127.0.0.1";  ///< IP address to listen on. Every address except loopback needs a token.
    /// Secret that a client must present: at least 16 letters, digits, '-', or '_'. Empty: no token on loopback of a
    /// machine that you use alone; else 128 random bits, which the constructor prints once to stderr.
    std::string token{};
    /// Other people use this machine if true, so loopback needs a token, too. Not set: determined from
    /// `SIGMA_SHARED_MACHINE` (0 or 1), else from the accounts and sessions of the machine.
    std::optional<bool> shared{};
    std::vector<std::string> names{};  ///< Further host names under which browsers may address this machine.
    std::string runs{};                ///< Folder in which each run gets a folder of its own. Empty: runs are not kept.
    bool read_only = false;            ///< Clients can set nothing and give no commands if true. They can predict.
    /// Records command line, host, processor, git commit, data, seed and parameters of a run in its folder. All clients
    /// can read them.
    bool provenance = true;
    /// Time in seconds after which an inactive client is disconnected, above 0 and at most 10⁶.
    double idle_seconds = 30;
    std::size_t clients = 200;  ///< Maximum number of simultaneous connections, at least 1.
};

/// A web server in your program, with a page that shows trainers and controls them.
///
/// Charts cost a training step almost nothing, however slow a client is. A request that needs the trainer, such as a
/// prediction, runs between two steps and delays them by its own time. The destructor stops the server; do not destroy
/// the object on the thread that trains.
///
/// @par Example
/// @code
/// monitor::Web web(trainer, {.port = 8080});
/// web.add(monitor::chart(loss, accuracy), monitor::parameters("optimizer.*"), monitor::log);
/// trainer.run(cpu(), 20);
/// @endcode
/// @see Terminal, WebOptions, docs/monitors.md
class Web : public Monitor {
public:
    /// Starts a server that shows no trainer yet. Add trainers with `watch`.
    /// @param options  port, address, token, and others
    /// @throws ArgumentError  if an option is out of range, the address is not an IP address, or the port is in use
    ///
    /// @par Example
    /// @code
    /// monitor::Web web({.port = 0});
    /// web.watch(trainer);
    /// @endcode
    explicit Web(WebOptions options = {});
    /// Starts a server that shows a trainer.
    /// @tparam N  network
    /// @tparam O  optimizer
    /// @tparam T  type of the elements
    /// @param trainer  the trainer, which may be destroyed before the monitor
    /// @param options  port, address, token, and others
    /// @throws ArgumentError  if an option is out of range, the address is not an IP address, or the port is in use
    template <class N, class O, class T>
    explicit Web(Trainer<N, O, T>& trainer, WebOptions options = {}) : Web(std::move(options)) {
        watch(trainer);
    }
    /// Starts a server that shows the log and all trainers of an environment, with the values of their registries.
    ///
    /// Call `watch` for a trainer if you need its network, predictions, and checkpoints, too.
    ///
    /// @param environment  the environment, which must outlive the monitor
    /// @param options      port, address, token, and others
    /// @throws ArgumentError  if an option is out of range, the address is not an IP address, or the port is in use
    explicit Web(sigma::detail::Environment& environment, WebOptions options = {});

    /// Returns the address of the page.
    /// @return a URL such as "http://127.0.0.1:8080/"
    /// @see link
    std::string address() const;
    /// Returns the address of the page with a ticket, which admits one browser once without the token.
    /// @return a URL; the same as `address` if no token is needed
    ///
    /// @par Example
    /// @code
    /// monitor::Web web(trainer, {.port = 0, .token = "a-token-of-some-length"});
    /// std::puts(web.link().c_str());  // http://127.0.0.1:34567/#ticket=…
    /// @endcode
    std::string link() const;
    /// Returns the port on which the server listens.
    /// @return the port; the chosen one if `WebOptions::port` is 0
    /// @see address
    std::uint16_t port() const;
    /// Returns the token that clients must present.
    /// @return the token; empty if none is needed
    /// @see WebOptions::token, link
    const std::string& token() const&;
    /// @copydoc token
    std::string token() && { return token(); }
    /// Waits for Ctrl-C (SIGINT) or SIGTERM, which do not end the process meanwhile.
    ///
    /// Use it at the end of a program if the page starts and stops its runs. Only one thread can wait at a time.
    ///
    /// @par Example
    /// @code
    /// monitor::Web web(trainer);
    /// web.on_start("digits", [&] { trainer.start(cpu(), 20); });
    /// web.wait();
    /// @endcode
    void wait() const;

private:
    struct Parts;
    Parts& parts() const;
};

}  // namespace sigma::monitor
