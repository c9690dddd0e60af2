// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/hook/action.hpp>
#include <sigma/hook/node.hpp>

#include <utility>

namespace sigma::detail {

struct CallNode {
    AnyFunction<void()> function{};

    void run(HookContext&) { function(); }
    static std::string text() { return "a function"; }
};

SIGMA_IMPL ActionHandle make_call(AnyFunction<void()> f) { return make_action(CallNode{std::move(f)}); }

}  // namespace sigma::detail
