// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/environment/environment.hpp>
#include <sigma/monitor/panel.hpp>
#include <sigma/monitor/watched.hpp>

#include <concepts>
#include <functional>
#include <memory>
#include <string>

namespace sigma::monitor {

/// What a page (`Web`) and a view on a terminal (`Terminal`) have in common: what they show. Any thread may call
/// anything.
class Monitor {
public:
    Monitor(const Monitor&) = delete;
    Monitor& operator=(const Monitor&) = delete;

    /// Shows a trainer, which may end before the monitor does.
    template <class N, class O, class T>
    void watch(Trainer<N, O, T>& trainer) {
        enter(monitor::watch(trainer));
    }
    /// Shows what is written there from now on.
    void follow(const sigma::detail::Log& messages);
    /// What starts a trainer that is idle: `web.on_start("digits", [&] { trainer.start(cpu(), 20); })`.
    void on_start(std::string trainer, std::function<void()> begin);

    /// Panels, in their order. Without any it shows what one wants to see. Throws ArgumentError for one that it can
    /// never show.
    template <class... P>
        requires(sizeof...(P) > 0 && (std::convertible_to<P, Panel> && ...))
    void add(const P&... panels) {
        for (const Panel& panel : {Panel(panels)...}) show(panel);
    }

    /// The folder of this run, empty where none is kept.
    std::string run_folder() const;

protected:
    struct Parts;
    explicit Monitor(std::unique_ptr<Parts> parts);
    ~Monitor();
    /// All its trainers, and its log.
    void enter(sigma::detail::Environment& environment);

    const std::unique_ptr<Parts> parts_;

private:
    void enter(Watched trainer);
    void show(Panel panel);
};

}  // namespace sigma::monitor
