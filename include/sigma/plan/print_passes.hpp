// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/plan/fusion.hpp>
#include <sigma/plan/layout.hpp>
#include <sigma/plan/liveness.hpp>
#include <sigma/plan/lowered.hpp>
#include <sigma/plan/memory.hpp>
#include <sigma/plan/pass_input.hpp>
#include <sigma/plan/schedule.hpp>
#include <sigma/plan/views.hpp>

#include <string>

/// What each pass has found, as text. %5 is node 5 of the tape, t5 the tensor that it is.
namespace sigma::detail {

std::string to_text(const PassInput& in, const Liveness& liveness);
std::string to_text(const PassInput& in, const Views& views);
/// Of those tensors that are in memory and are no views.
std::string to_text(const PassInput& in, const Liveness& liveness, const Layouts& layouts);
std::string to_text(const PassInput& in, const FusedGroups& groups);
std::string to_text(const LoweredKernels& lowered);
std::string to_text(const ScheduledKernels& scheduled);
/// Of each tensor that has memory of its own.
std::string to_text(const MemoryPlan& memory);

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/plan/impl/print_passes.ipp>
#endif
