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

SIGMA_IMPL bool could_name(const std::vector<TextOrValue>& parts, std::string_view file) {
    bool anything = false;  // the part before is a value
    for (const TextOrValue& part : parts) {
        if (part.value) {
            anything = true;
            continue;
        }
        const bool is_last = &part == &parts.back();
        if (anything && is_last) return file.ends_with(part.text);
        const std::size_t at = file.find(part.text);
        if (at == file.npos || (!anything && at > 0)) return false;
        file.remove_prefix(at + part.text.size());
        anything = false;
    }
    return anything || file.empty();
}

/// Returns the end of a quotation or of brackets that begin at `at`; npos if they do not end.
inline std::size_t end_of_words(std::string_view text, std::size_t at) {
    if (text[at] == '"') {
        const std::size_t end = text.find('"', at + 1);
        return end == text.npos ? end : end + 1;
    }
    int open = 0;
    do {
        if (text[at] == '"') {
            at = end_of_words(text, at);
            if (at == text.npos) return at;
            continue;
        }
        open += text[at] == '(' ? 1 : text[at] == ')' ? -1 : 0;
        ++at;
    } while (open > 0 && at < text.size());
    return open > 0 ? text.npos : at;
}

SIGMA_IMPL std::string without_file_names(std::string_view hooks) {
    std::string all;
    const auto is_of_word = [](char c) {
        return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    };
    for (std::size_t at = 0; at < hooks.size();) {
        std::size_t end = at;
        while (end < hooks.size() && is_of_word(hooks[end])) ++end;
        const std::string_view word = hooks.substr(at, end - at);
        const bool has_words = end < hooks.size() && hooks[end] == '(';
        all += word;
        if (has_words && (word == "save" || word == "file" || word == "csv" || word == "tensorboard")) {
            end = end_of_words(hooks, end);
        } else if (has_words && (word == "restore" || word == "restore_parameters") && end + 1 < hooks.size() &&
                   hooks[end + 1] == '"') {
            all += '(';
            end = end_of_words(hooks, end + 1);
        } else if (word.empty()) {  // a quotation, or a character that is not part of a name
            end = hooks[at] == '"' ? end_of_words(hooks, at) : at + 1;
            all += hooks.substr(at, end == hooks.npos ? end : end - at);
        }
        if (end == hooks.npos) break;
        at = end;
    }
    return all;
}

}  // namespace sigma::detail
