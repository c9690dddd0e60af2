// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/hook/value.hpp>

namespace sigma::detail {

SIGMA_IMPL std::string ValueHandle::text() const { return derived_ ? derived_->text() : std::string(record_->name); }

SIGMA_IMPL Wants wants_of(const ValueHandle& value) { return value.derived() ? value.derived()->wants() : Wants{}; }

SIGMA_IMPL Wants always_wants_of(const ValueHandle& value) {
    return value.derived() ? value.derived()->always_wants() : Wants{};
}

}  // namespace sigma::detail
