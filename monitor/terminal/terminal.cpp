// SPDX-License-Identifier: BSL-1.0
#include <sigma/monitor/terminal.hpp>

#include "board.hpp"
#include "members.hpp"
#include "terminal/model.hpp"
#include "terminal/session.hpp"

#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace sigma::monitor {

struct Terminal::Parts {
    /// What sinks hear with: a log may be calling one that was removed meanwhile.
    struct Gate {
        std::mutex mutex;
        Model* model = nullptr;
    };

    WakeUp wake;
    Board board;
    Model model;
    std::vector<std::pair<Log, std::shared_ptr<CallbackSink>>> logs;
    bool kept;  // on disk: then the board is needed without a screen, too
    std::optional<Session> session;
    std::shared_ptr<Gate> gate = std::make_shared<Gate>();  // who holds it may outlive the model

    explicit Parts(const TerminalOptions& options)
        : board({options.runs, options.read_only}), model(board, !options.runs.empty(), [this] { wake.wake(); }),
          kept(!options.runs.empty()) {
        gate->model = &model;
        if (Session::possible()) session.emplace(model, wake);
        if (session && session->over()) session.reset();  // a terminal of no kind that is known
    }
    ~Parts() {
        {
            const std::scoped_lock lock(gate->mutex);
            gate->model = nullptr;
        }
        session.reset();
        for (auto& [from, sink] : logs) from.remove(sink);
        board.quiet();
    }
    /// Otherwise nobody looks, and a trainer prints what it prints without a monitor.
    bool wanted() const { return session || kept; }
};

Terminal::Terminal(TerminalOptions options) : parts_(std::make_unique<Parts>(options)) {}

Terminal::Terminal(Environment& environment, TerminalOptions options) : Terminal(std::move(options)) {
    if (!parts_->wanted()) return;
    parts_->board.environment(environment.name(), environment.seed(), members_of(environment));
    follow(environment.log);
}

Terminal::~Terminal() = default;

void Terminal::enter(Watched trainer) {
    if (parts_->wanted()) parts_->board.enter(std::move(trainer));
}
void Terminal::show(Panel panel) { parts_->model.show(std::move(panel)); }

void Terminal::on_start(std::string trainer, std::function<void()> begin) {
    parts_->board.on_start(trainer, std::move(begin));
    parts_->model.can_start(std::move(trainer));
}

void Terminal::follow(const Log& messages) {
    Log followed = messages;
    auto sink = followed.to(
        [gate = parts_->gate](const LogRecord& record) {
            const std::scoped_lock lock(gate->mutex);
            if (gate->model != nullptr) gate->model->hear(record);
        },
        LogLevel::debug);
    parts_->logs.emplace_back(std::move(followed), std::move(sink));
}

bool Terminal::full_screen() const { return parts_->session && parts_->session->up(); }
void Terminal::wait() const {
    if (parts_->session) parts_->session->wait();
}
void Terminal::leave() {
    if (!parts_->session) return;
    parts_->session->leave();
    parts_->session->wait();
}
std::string Terminal::run_folder() const { return parts_->board.run_folder(); }

}  // namespace sigma::monitor
