// SPDX-License-Identifier: BSL-1.0
#include <sigma/monitor/terminal.hpp>

#include "parts.hpp"
#include "terminal/model.hpp"
#include "terminal/session.hpp"

#include <memory>
#include <mutex>
#include <optional>
#include <utility>

namespace sigma::monitor {

struct Terminal::Parts : Monitor::Parts {
    /// The access of sinks to the model, since a log may call a sink that was removed meanwhile.
    struct Gate {
        std::mutex mutex;
        Model* model = nullptr;
    };

    WakeUp wake;
    Model model;
    bool kept;  // the run is written to disk, so the board is needed even without a screen
    std::optional<Session> session;
    std::shared_ptr<Gate> gate = std::make_shared<Gate>();  // a holder may outlive the model

    explicit Parts(const TerminalOptions& options)
        : Monitor::Parts({options.runs, options.read_only, options.provenance}),
          model(board, !options.runs.empty(), [this] { wake.wake(); }), kept(!options.runs.empty()) {
        gate->model = &model;
        if (Session::possible()) session.emplace(model, wake);
        if (session && session->over()) session.reset();  // an unknown kind of terminal
    }
    ~Parts() override {
        {
            const std::scoped_lock lock(gate->mutex);
            gate->model = nullptr;
        }
        session.reset();
        follow_none();
        board.quiet();
    }
    bool wanted() const override { return session || kept; }
    void show(Panel panel) override { model.show(std::move(panel)); }
    void on_start(std::string trainer, std::function<void()> begin) override {
        board.on_start(trainer, std::move(begin));
        model.can_start(std::move(trainer));
    }
    std::function<void(const LogRecord&)> follower() override {
        return [to = gate](const LogRecord& record) {
            const std::scoped_lock lock(to->mutex);
            if (to->model != nullptr) to->model->add(record);
        };
    }
};

Terminal::Terminal(TerminalOptions options) : Monitor(std::make_unique<Parts>(options)) {}

Terminal::Terminal(sigma::detail::Environment& environment, TerminalOptions options) : Terminal(std::move(options)) {
    enter(environment);
}

Terminal::Parts& Terminal::parts() const { return static_cast<Parts&>(*parts_); }

bool Terminal::full_screen() const { return parts().session && parts().session->up(); }
void Terminal::wait() const {
    if (parts().session) parts().session->wait();
}
void Terminal::leave() {
    if (!parts().session) return;
    parts().session->leave();
    parts().session->wait();
}
void Terminal::open() {
    if (parts().session) parts().session->open();
}

}  // namespace sigma::monitor
