// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/registry/gate.hpp>

namespace sigma::detail {

SIGMA_IMPL Gate::Pass::Pass(Gate& gate) : gate_(gate), frame_{&gate, innermost_} {
    innermost_ = &frame_;
    gate_.running_.fetch_add(1);  // before open_ is read: the closing thread does the reverse
    open_ = gate_.open_.load();
}

SIGMA_IMPL Gate::Pass::~Pass() {
    innermost_ = frame_.outer;
    gate_.running_.fetch_sub(1);
    gate_.running_.notify_all();
}

SIGMA_IMPL int Gate::calls_here() const {
    int count = 0;
    for (const Frame* f = innermost_; f; f = f->outer) count += f->gate == this;
    return count;
}

SIGMA_IMPL void Gate::close() {
    open_.store(false);
    const int own = calls_here();
    for (int running = running_.load(); running > own; running = running_.load()) running_.wait(running);
}

}  // namespace sigma::detail
