// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/hook/context.hpp>
#include <sigma/hook/criterion.hpp>

#include <limits>

namespace sigma::detail {

SIGMA_IMPL std::uint64_t positive(const char* what, Integer n) {
    if (!n.within(1, std::numeric_limits<std::uint64_t>::max()))
        throw ArgumentError(what, "1 or more", sentence(n.text()));
    return n.value();
}

SIGMA_IMPL bool is_fresh(const HookContext& context, const ValueHandle& v, std::uint64_t& seen) {
    if (!v.record().versioned) return context.timed() || context.moment() == v.record().moment;
    const std::uint64_t version = context.version(v);
    if (version == seen) return false;
    seen = version;
    return true;
}

}  // namespace sigma::detail
