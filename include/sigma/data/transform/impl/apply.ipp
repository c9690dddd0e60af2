// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/transform/apply.hpp>
#include <sigma/data/transform/load.hpp>

#include <algorithm>
#include <array>

namespace sigma::data::detail {

class UserTransform final : public InPlace {
public:
    UserTransform(std::string name, UserFunction function);
    std::string kind() const override { return name_; }
    void apply(NumberList& values, std::size_t records, const std::vector<std::size_t>& before) const override;
    std::vector<TransformValue> state() const override { return {}; }

private:
    std::string name_;
    UserFunction function_;
};

/// Words of transforms that files know; a function must not be called so.
SIGMA_IMPL bool is_transform_word(std::string_view name) {
    constexpr std::array<std::string_view, 10> words{"clamp",          "impute",  "map_values", "normalize",
                                                     "normalize_each", "one_hot", "permute",    "reshape",
                                                     "standardize",    "function"};
    return std::ranges::find(words, name) != words.end();
}

SIGMA_IMPL UserTransform::UserTransform(std::string name, UserFunction function)
    : name_(std::move(name)), function_(std::move(function)) {
    if (name_.empty() || is_transform_word(name_))
        throw ArgumentError("apply", "a name for the function that no other transform has", sentence("'", name_, "'"));
}

SIGMA_IMPL void UserFunction::operator()(NumberList& values, std::size_t size, const std::string& name) const {
    const auto on_each = [size](const auto& function, auto& numbers) {
        for (std::size_t first = 0; first < numbers.size(); first += size)
            function(std::span(numbers).subspan(first, size));
    };
    if (values.of_double()) {
        if (!of_doubles_)
            throw ArgumentError(sentence("apply('", name, "') to doubles"),
                                "a function of double or of std::span<double>", "one of floats");
        on_each(of_doubles_, values.doubles());
    } else if (of_floats_) {
        on_each(of_floats_, values.floats());
    } else {
        std::vector<double> wide(values.floats().begin(), values.floats().end());
        on_each(of_doubles_, wide);
        values.floats().assign(wide.begin(), wide.end());
    }
}

SIGMA_IMPL void UserTransform::apply(NumberList& values, std::size_t records,
                                     const std::vector<std::size_t>& before) const {
    if (records > 0) function_(values, size_of(before), name_);
}

SIGMA_IMPL FittedPointer fitted_function(const std::string& name, UserFunction function) {
    return sigma::detail::SharedOwner<const UserTransform>::make(name, std::move(function));
}

SIGMA_IMPL TransformPointer user_transform(const std::string& called, UserFunction function) {
    return same_transform(sentence("apply('", called, "')"), fitted_function(called, std::move(function)));
}

}  // namespace sigma::data::detail
