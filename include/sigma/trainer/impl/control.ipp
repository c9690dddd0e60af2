// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/trainer/control.hpp>
#include <sigma/trainer/control_core.hpp>
#include <sigma/trainer/run_clock.hpp>

#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

namespace sigma {

SIGMA_IMPL const std::string& Remote::name() const& { return core_->name(); }

SIGMA_IMPL RunState Remote::state() const noexcept { return core_->state(); }

SIGMA_IMPL bool Remote::closed() const { return core_->closed(); }

SIGMA_IMPL bool Remote::on_training_thread() const { return core_->on_training_thread(); }

SIGMA_IMPL double Remote::runtime() const noexcept { return core_->clock().elapsed(); }

SIGMA_IMPL Acknowledgement Remote::pause() const { return core_->give(detail::Command::pause); }

SIGMA_IMPL Acknowledgement Remote::resume() const { return core_->give(detail::Command::resume); }

SIGMA_IMPL RunEnding Remote::ending() const { return core_->ending(); }

SIGMA_IMPL std::string Remote::failure() const {
    RunEnding ending = core_->ending();
    return ending.how == RunEnding::failed ? std::move(ending.reason) : std::string();
}

SIGMA_IMPL Acknowledgement Remote::step() const { return core_->give(detail::Command::step); }

SIGMA_IMPL Acknowledgement Remote::stop(std::string_view by) const { return core_->stop(by); }

SIGMA_IMPL Acknowledgement Remote::reset() const { return core_->give(detail::Command::reset); }

SIGMA_IMPL Acknowledgement Remote::rewind() const { return core_->give(detail::Command::rewind); }

SIGMA_IMPL Acknowledgement Remote::post(detail::AnyFunction<void()> function) const {
    return core_->give(detail::Command::call, std::move(function));
}

SIGMA_IMPL void Remote::wait() const { core_->wait(); }

struct Control::Thread {
    std::mutex mutex;
    std::thread thread;

    // The body is gone, with all that it holds, before anybody learns that the run has ended.
    static std::exception_ptr execute(detail::AnyFunction<void()> body) {
        try {
            body();
        } catch (...) { return std::current_exception(); }
        return nullptr;
    }
    /// Waits for the end of what was begun before.
    void join() {
        if (thread.joinable()) thread.join();
    }
};

SIGMA_IMPL Control::Control(std::string name, Handler handler)
    : Control(detail::SharedOwner<detail::ControlCore>::make(std::move(name), std::move(handler))) {}

SIGMA_IMPL Control::Control(detail::SharedOwner<detail::ControlCore> core)
    : Remote(std::move(core)), flags_(core_->flags()), thread_(new Thread) {}

SIGMA_IMPL Control::~Control() {
    close();
    delete thread_;
}

SIGMA_IMPL void Control::handle() { core_->handle(); }

SIGMA_IMPL detail::RunClock& Control::clock() { return core_->clock(); }

SIGMA_IMPL void Control::add_runtime(double seconds) noexcept { core_->clock().add(seconds); }

SIGMA_IMPL void Control::begin_run() { core_->begin(std::this_thread::get_id()); }

SIGMA_IMPL void Control::end_run() { core_->end(nullptr, false); }

SIGMA_IMPL void Control::fail_run() { core_->end(std::current_exception(), false); }

SIGMA_IMPL void Control::start(detail::AnyFunction<void()> body) {
    core_->begin({});
    std::lock_guard lock(thread_->mutex);
    try {
        thread_->join();
        thread_->thread = std::thread([core = core_, kept = std::move(body)]() mutable {
            core->adopt();
            const std::exception_ptr thrown = Thread::execute(std::move(kept));
            core->end(thrown, true);
        });
    } catch (...) {
        core_->end(std::current_exception(), false);
        throw;
    }
}

SIGMA_IMPL void Control::close() noexcept {
    core_->stop("its destruction");
    {
        std::lock_guard lock(thread_->mutex);
        thread_->join();
    }
    core_->close();
}

}  // namespace sigma
