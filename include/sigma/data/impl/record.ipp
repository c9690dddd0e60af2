// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/record.hpp>

#include <utility>

namespace sigma {

SIGMA_IMPL Record::Record(std::span<const float> numbers, data::BlockHold block)
    : std::span<const float>(numbers), block_(std::move(block)) {}

}  // namespace sigma
