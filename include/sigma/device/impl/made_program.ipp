// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/device/cpu/chosen_kernels.hpp>
#include <sigma/device/made_program.hpp>
#include <sigma/plan/planner.hpp>

namespace sigma::detail {

template <class T>
MadeProgram<T>::MadeProgram(const Program& program, int lanes)
    : plan_(make_plan(program, lanes)),
      compiled_{[](const void* plan) { return view_of<T>(*static_cast<const Plan*>(plan)); }, nullptr, nullptr,
                &plan_} {
#ifndef SIGMA_COMPILED
    compiled_.kernels = &on_cpu::kernels<T>();  // otherwise the library chooses its own
#endif
}

}  // namespace sigma::detail

SIGMA_INSTANTIATE(class sigma::detail::MadeProgram);
