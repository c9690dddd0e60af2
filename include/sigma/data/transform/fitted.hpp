// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/any_function.hpp>
#include <sigma/data/transform/preprocessing.hpp>
#include <sigma/data/transform/transforming.hpp>

#include <cstddef>
#include <string>
#include <string_view>
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

template <class F, class... A>
FittedPointer fitted(A&&... arguments) {
    return sigma::detail::SharedOwner<const F>::make(std::forward<A>(arguments)...);
}

/// Transforms that change numbers where they are, by what they know of all numbers, a list of one, or of each number of
/// a record, a list of as many.
class InPlace : public FittedTransform {
public:
    explicit InPlace(std::size_t count = 1) : count_(count) {}
    std::vector<std::size_t> shape(const std::vector<std::size_t>& before) const override;
    bool keeps_columns() const override { return true; }

protected:
    /// values[i] = f(values[i], j) in double, where j is the place in those lists.
    template <class F>
    void change_each(NumberList& list, F f) const {
        list.visit([&](auto& values) {
            using T = typename std::remove_cvref_t<decltype(values)>::value_type;
            if (count_ == 1) {
                for (T& x : values) x = static_cast<T>(f(static_cast<double>(x), std::size_t{0}));
                return;
            }
            for (std::size_t first = 0; first < values.size(); first += count_) {
                T* record = values.data() + first;
                for (std::size_t j = 0; j < count_; ++j)
                    record[j] = static_cast<T>(f(static_cast<double>(record[j]), j));
            }
        });
    }

private:
    std::size_t count_;
};

/// The numbers of one fitted transform as a file has them. What is not there throws DataError.
class StoredValues {
public:
    std::string file;
    std::string prefix;  ///< "preprocessing.0.standardize."
    std::string section;
    std::vector<TransformValue> all;

    const std::vector<double>& list(std::string_view name) const;
    double number(std::string_view name) const;
    /// Whole numbers from 0.
    std::vector<std::size_t> counts(std::string_view name) const;
    [[noreturn]] void refuse(std::string_view name, std::string expected, std::string found) const;
};

inline std::vector<double> as_numbers(const std::vector<std::size_t>& counts) { return {counts.begin(), counts.end()}; }

/// A transform with nothing left to learn, made again of the numbers that a file has of it: null where no transform of
/// this library is called so.
FittedPointer load_transform(std::string_view kind, const StoredValues& stored);
/// Throws ArgumentError where the name is empty or a transform's.
FittedPointer fitted_function(const std::string& name, UserFunction function);

}  // namespace sigma::data::detail

#ifndef SIGMA_COMPILED
#include <sigma/data/transform/impl/fitted.ipp>
#endif
