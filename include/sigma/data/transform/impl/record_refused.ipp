// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/transform/record_refused.hpp>

#include <utility>

namespace sigma::data::detail {

SIGMA_IMPL RecordRefused::RecordRefused(std::string section_, std::size_t record_, std::string expected_,
                                        std::string found_)
    : DataError("section", section_, sentence("record ", record_, " of its block"), std::move(expected_),
                std::move(found_)),
      section(std::move(section_)), record(record_) {}

}  // namespace sigma::data::detail
