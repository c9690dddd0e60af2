// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/error.hpp>
#include <sigma/core/number_text.hpp>

namespace sigma {

namespace detail {

SIGMA_IMPL void TextPart::append_to(std::string& to) const {
    switch (kind_) {
        case Kind::text: to += text_; break;
        case Kind::character: to += static_cast<char>(integer_); break;
        case Kind::integer: detail::append_exact(to, integer_); break;
        case Kind::natural: detail::append_exact(to, static_cast<unsigned long long>(integer_)); break;
        case Kind::single: detail::append_exact(to, static_cast<float>(real_)); break;
        case Kind::real: detail::append_exact(to, real_); break;
    }
}

}  // namespace detail

SIGMA_IMPL std::string joined(const detail::TextPart* parts, std::size_t count) {
    std::string text;
    for (std::size_t i = 0; i < count; ++i) parts[i].append_to(text);
    return text;
}

SIGMA_IMPL MismatchError::MismatchError(const std::string& where, std::string expected_, std::string found_)
    : Error(sentence(where, ": expected ", expected_, ", found ", found_)), expected(std::move(expected_)),
      found(std::move(found_)) {}

SIGMA_IMPL MismatchError::MismatchError(const Whole& whole, std::string expected_, std::string found_)
    : Error(whole.text), expected(std::move(expected_)), found(std::move(found_)) {}

SIGMA_IMPL MismatchError::Whole MismatchError::cannot(std::string_view where, std::string_view tried,
                                                      std::string_view why) {
    if (why.size() > 1 && why.front() == '\'' && why.back() == '\'') why = why.substr(1, why.size() - 2);
    return {sentence(where, ": cannot ", tried, ": ", why)};
}

SIGMA_IMPL ArgumentError::ArgumentError(const Whole& whole, std::string expected_, std::string found_)
    : MismatchError(whole, std::move(expected_), std::move(found_)) {}

SIGMA_IMPL ArgumentError ArgumentError::with_text(std::string text, std::string expected, std::string found) {
    return {Whole{std::move(text)}, std::move(expected), std::move(found)};
}

SIGMA_IMPL MemoryError::MemoryError(const std::string& where, const std::string& wanted)
    : MismatchError(cannot(where, sentence("allocate ", wanted), "not enough memory"), wanted, "not enough memory") {}

SIGMA_IMPL DataError::DataError(std::string file_, std::string place_, std::string expected_, std::string found_)
    : DataError("file", std::move(file_), std::move(place_), std::move(expected_), std::move(found_)) {}

SIGMA_IMPL DataError DataError::in_dataset(std::string name, std::string place, std::string expected,
                                           std::string found) {
    return {"dataset", std::move(name), std::move(place), std::move(expected), std::move(found)};
}

SIGMA_IMPL DataError DataError::in_directory(std::string name, std::string expected, std::string found) {
    return {"directory", std::move(name), "", std::move(expected), std::move(found)};
}

SIGMA_IMPL DataError DataError::unreadable(std::string file_, std::string place_, std::string why) {
    const Whole text = cannot(sentence("file '", file_, "'", place_.empty() ? "" : ", ", place_), "read it", why);
    return {text, std::move(file_), std::move(place_), "a readable file", std::move(why)};
}

SIGMA_IMPL DataError DataError::in_section(std::string name, std::string place, std::string expected,
                                           std::string found) {
    return {"section", std::move(name), std::move(place), std::move(expected), std::move(found)};
}

SIGMA_IMPL DataError::DataError(const char* kind, std::string file_, std::string place_, std::string expected_,
                                std::string found_)
    : MismatchError(sentence(kind, " '", file_, "'", place_.empty() ? "" : ", ", place_), std::move(expected_),
                    std::move(found_)),
      file(std::move(file_)), place(std::move(place_)) {}

SIGMA_IMPL DataError::DataError(const Whole& whole, std::string file_, std::string place_, std::string expected_,
                                std::string found_)
    : MismatchError(whole, std::move(expected_), std::move(found_)), file(std::move(file_)), place(std::move(place_)) {}

SIGMA_IMPL NumericError::NumericError(std::uint64_t iteration_, std::string layer_, const std::string& what)
    : Error(sentence("iteration ", iteration_, layer_.empty() ? "" : ", layer '", layer_,
                     layer_.empty() ? ": " : "': ", what)),
      iteration(iteration_), layer(std::move(layer_)) {}

SIGMA_IMPL HookError::HookError(const std::string& hook_, std::uint64_t iteration_, const std::string& what)
    : Error(sentence("hook '", hook_, "', iteration ", iteration_, ": ", what)), hook(hook_), iteration(iteration_) {}

}  // namespace sigma
