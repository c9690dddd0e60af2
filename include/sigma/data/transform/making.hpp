// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/any_function.hpp>
#include <sigma/data/transform/transform.hpp>

#include <cstddef>
#include <string>
#include <type_traits>
#include <vector>

/// What the bodies of transforms have in common.
namespace sigma::data::detail {

/// A transform with nothing to learn.
TransformPointer fixed_transform(std::string text, sigma::detail::AnyFunction<FittedPointer(const SectionInfo&)> make);
TransformPointer learned_transform(
    std::string text, sigma::detail::AnyFunction<sigma::detail::Owned<TransformFit>(const SectionInfo&)> begin);
/// A transform that is the same for each section.
TransformPointer same_transform(std::string text, FittedPointer fitted);

/// "{1, 2.5}"
std::string list_text(const std::vector<double>& all);

std::size_t size_of(const std::vector<std::size_t>& record);

void require_finite(const char* where, const std::vector<double>& values);
void require_as_many(const char* where, const char* what, const std::vector<double>& values, std::size_t count);

/// Transforms that change numbers where they are.
class InPlace : public FittedTransform {
public:
    std::vector<std::size_t> shape(const std::vector<std::size_t>& before) const override { return before; }
    bool keeps_columns() const override { return true; }

protected:
    /// For lists of one number for all, or one for each of the record's.
    void require_list(std::size_t count, const std::vector<std::size_t>& before) const;
};

/// values[i] = f(values[i], j) in double, where j is the position in its record, or 0 where there is one list entry for
/// all.
template <class F>
void change_each(NumberList& list, std::size_t count, F f) {
    list.visit([&](auto& values) {
        using T = typename std::remove_cvref_t<decltype(values)>::value_type;
        if (count == 1) {
            for (T& x : values) x = static_cast<T>(f(static_cast<double>(x), std::size_t{0}));
            return;
        }
        for (std::size_t first = 0; first < values.size(); first += count) {
            T* record = values.data() + first;
            for (std::size_t j = 0; j < count; ++j) record[j] = static_cast<T>(f(static_cast<double>(record[j]), j));
        }
    });
}

}  // namespace sigma::data::detail

#ifndef SIGMA_COMPILED
#include <sigma/data/transform/impl/making.ipp>
#endif
