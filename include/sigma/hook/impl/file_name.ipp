// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/number_text.hpp>
#include <sigma/hook/context.hpp>
#include <sigma/hook/file_name.hpp>

#include <cmath>

namespace sigma::detail {

SIGMA_IMPL TextOrValue::TextOrValue(std::string text_, const ValueHandle& value_)
    : text(std::move(text_)), value(value_) {}
SIGMA_IMPL TextOrValue::TextOrValue(const TextOrValue&) = default;
SIGMA_IMPL TextOrValue& TextOrValue::operator=(const TextOrValue&) = default;
SIGMA_IMPL TextOrValue::~TextOrValue() = default;

SIGMA_IMPL std::string file_name_text(double x) {
    if (std::isnan(x)) return "nan";
    if (std::isinf(x)) return x < 0 ? "-inf" : "inf";
    if (x == std::floor(x) && std::abs(x) < 9e15) return sentence(static_cast<long long>(x));
    return rounded_text(x);
}

SIGMA_IMPL std::string file_name_of(const std::vector<TextOrValue>& parts, const HookContext& context) {
    std::string all;
    for (const TextOrValue& part : parts) all += part.value ? file_name_text(context.get(part.value)) : part.text;
    return all;
}

SIGMA_IMPL std::string fixed_file_name(const std::vector<TextOrValue>& parts) {
    std::string all;
    for (const TextOrValue& part : parts) all += part.text;
    return all;
}

SIGMA_IMPL std::string file_name_words(const std::vector<TextOrValue>& parts) {
    const auto word = [](const TextOrValue& part) { return part.value ? part.text : sentence("\"", part.text, "\""); };
    if (parts.size() == 1 && !parts[0].value) return word(parts[0]);
    std::string all;
    for (const TextOrValue& part : parts) all += (all.empty() ? "" : ", ") + word(part);
    return sentence("file(", all, ")");
}

}  // namespace sigma::detail
