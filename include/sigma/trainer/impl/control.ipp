// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/trainer/control.hpp>

namespace sigma {

SIGMA_IMPL Acknowledgement Remote::post(std::function<void()> function) const {
    return core_->give(detail::Command::call, std::move(function));
}

SIGMA_IMPL Control::Control(std::string name, Handler handler)
    : Remote(std::make_shared<detail::ControlCore>(std::move(name), std::move(handler))) {}

SIGMA_IMPL void Control::close() noexcept {
    core_->stop();
    {
        std::lock_guard lock(thread_mutex_);
        if (thread_.joinable()) thread_.join();
    }
    core_->close();
}

}  // namespace sigma
