// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/hook/texts_and_values.hpp>

#include <string>
#include <utility>

namespace sigma::detail {

SIGMA_IMPL TextOrValue::TextOrValue(std::string text_, const ValueHandle& value_)
    : text(std::move(text_)), value(value_) {}
SIGMA_IMPL TextOrValue::TextOrValue(const TextOrValue&) = default;
SIGMA_IMPL TextOrValue& TextOrValue::operator=(const TextOrValue&) = default;
SIGMA_IMPL TextOrValue::~TextOrValue() = default;

}  // namespace sigma::detail
