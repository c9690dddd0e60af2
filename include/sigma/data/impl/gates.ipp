// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/gates.hpp>

#include <utility>

namespace sigma::data::detail {

SIGMA_IMPL Gate gate(Numbers answers, const char* name) {
    return Gate(Dataset(Numbers{{4, 2}, {0, 0, 0, 1, 1, 0, 1, 1}}, std::move(answers), name));
}

}  // namespace sigma::data::detail

namespace sigma::data {

SIGMA_IMPL Gate xor_gate() { return detail::gate({{4, 1}, {0, 1, 1, 0}}, "xor"); }

SIGMA_IMPL Gate and_gate() { return detail::gate({{4, 1}, {0, 0, 0, 1}}, "and"); }

}  // namespace sigma::data
