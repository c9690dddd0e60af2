// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/transform/preprocessing.hpp>

#include <bit>
#include <cstdint>

namespace sigma::data::detail {

inline bool same_bits(double a, double b) { return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b); }

/// Do both the same to the same section, to the bit? Functions of the user are known by their names alone.
bool alike(const Preprocessing::Step& a, const Preprocessing::Step& b);
bool alike(const Preprocessing& a, const Preprocessing& b);
/// Are the last steps of `all` those of `part`, which has some?
bool ends_with(const Preprocessing& all, const Preprocessing& part);

}  // namespace sigma::data::detail

#ifndef SIGMA_COMPILED
#include <sigma/data/transform/impl/steps_alike.ipp>
#endif
