// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/data/transform/on_datasets.hpp>
#include <sigma/data/transform/preprocessing.hpp>
#include <sigma/data/transform/transforming.hpp>

#include <concepts>
#include <initializer_list>
#include <vector>

namespace sigma::data {

/// The range of one number of a record, by its position in row-major order.
struct IndexRange {
    std::size_t index;
    double min, max;
};

/// map_values(targets, {{1, 0}, {2, 1}})
struct ValueChange {
    double from, to;
};

namespace detail {

TransformPointer standardizing(bool together);
struct StandardizeWord {};
enum class StandardizeOver { jointly };
using NamedStandardizeOver = StandardizeOver (*)(StandardizeWord);
TransformPointer normalizing(double min, double max, double low, double high);
TransformPointer normalizing_each(const std::vector<IndexRange>& ranges, double low, double high);
/// Of each feature, or of all numbers of a section where `whole`.
TransformPointer learning_range(const char* word, bool whole, double low, double high);
TransformPointer clamping(double low, double high);
TransformPointer mapping_values(std::vector<ValueChange> changes);
enum class ImputeBy { mean, median, constant };
TransformPointer imputing(ImputeBy by);
TransformPointer imputing(ImputeBy by, double value);
struct ImputeWord {};
using NamedImputeBy = ImputeBy (*)(ImputeWord);
TransformPointer user_transform(const std::string& called, UserFunction function);
TransformPointer making_one_hot(std::vector<double> values);
/// Of the whole numbers from `first` to `last`.
TransformPointer making_one_hot(long long first, long long last);
TransformPointer permuting(const std::vector<std::size_t>& axes);
TransformPointer reshaping(const std::vector<std::size_t>& extents);

}  // namespace detail

/// standardize(inputs, jointly): a function, so that the word may mean other things elsewhere.
constexpr detail::StandardizeOver jointly(detail::StandardizeWord) { return detail::StandardizeOver::jointly; }

/// (x - mean) / deviation for each feature, with the mean and deviation of the data that it is learned from; a feature
/// that never changes becomes 0.
template <Text name, Role role, Text... more, Role... roles>
auto standardize(SectionName<name, role>, SectionName<more, roles>...) {
    return Transforming<detail::KeepsExtents, name, more...>{detail::standardizing(false)};
}
/// With one mean and deviation for all numbers of the section, pixels for instance.
template <Text name, Role role>
auto standardize(SectionName<name, role>, detail::NamedStandardizeOver) {
    return Transforming<detail::KeepsExtents, name>{detail::standardizing(true)};
}
/// All sections.
inline auto standardize() { return Transforming<detail::KeepsExtents>{detail::standardizing(false)}; }
inline auto standardize(detail::NamedStandardizeOver) {
    return Transforming<detail::KeepsExtents>{detail::standardizing(true)};
}

/// x becomes (x - min_in) * ((max_out - min_out) / (max_in - min_in)) + min_out, computed in double: normalize(inputs,
/// 0, 255) gives the bits of x / 255.0f for all bytes. Numbers out of the range stay out of the other. Throws
/// ArgumentError where min_in is max_in or a number is not finite.
template <Text name, Role role>
auto normalize(SectionName<name, role>, double min_in, double max_in, double min_out = 0, double max_out = 1) {
    return Transforming<detail::KeepsExtents, name>{detail::normalizing(min_in, max_in, min_out, max_out)};
}
/// All sections.
inline auto normalize(double min_in, double max_in, double min_out = 0, double max_out = 1) {
    return Transforming<detail::KeepsExtents>{detail::normalizing(min_in, max_in, min_out, max_out)};
}

/// As normalize(), with a range for each number of a record that is listed, normalize_each(inputs, {{0, 4.3, 7.9}, {2,
/// 1, 6.9}}); the others stay as they are. Throws ArgumentError for an index twice and for an empty range.
template <Text name, Role role>
auto normalize_each(SectionName<name, role>, const std::vector<IndexRange>& ranges, double min_out = 0,
                    double max_out = 1) {
    return Transforming<detail::KeepsExtents, name>{detail::normalizing_each(ranges, min_out, max_out)};
}
/// All sections.
inline auto normalize_each(const std::vector<IndexRange>& ranges, double min_out = 0, double max_out = 1) {
    return Transforming<detail::KeepsExtents>{detail::normalizing_each(ranges, min_out, max_out)};
}

/// Each feature from its least and largest in the data that it is learned from to min_out and max_out; a feature that
/// never changes becomes min_out.
template <Text name, Role role>
auto min_max(SectionName<name, role>, double min_out = 0, double max_out = 1) {
    return Transforming<detail::KeepsExtents, name>{detail::learning_range("min_max", false, min_out, max_out)};
}
/// All sections.
inline auto min_max(double min_out = 0, double max_out = 1) {
    return Transforming<detail::KeepsExtents>{detail::learning_range("min_max", false, min_out, max_out)};
}

/// All numbers of a section alike, from their least and largest in the data that it is learned from to min_out and
/// max_out.
template <Text name, Role role>
auto normalize_adaptive(SectionName<name, role>, double min_out = 0, double max_out = 1) {
    return Transforming<detail::KeepsExtents, name>{
        detail::learning_range("normalize_adaptive", true, min_out, max_out)};
}
/// All sections, each with a range of its own.
inline auto normalize_adaptive(double min_out = 0, double max_out = 1) {
    return Transforming<detail::KeepsExtents>{detail::learning_range("normalize_adaptive", true, min_out, max_out)};
}

/// Numbers below `low` become low, those above `high` high. Throws ArgumentError where low is above high.
template <Text name, Role role>
auto clamp(SectionName<name, role>, double low, double high) {
    return Transforming<detail::KeepsExtents, name>{detail::clamping(low, high)};
}
/// All sections.
inline auto clamp(double low, double high) { return Transforming<detail::KeepsExtents>{detail::clamping(low, high)}; }

/// Values that are listed become others, NaN stands for missing ones; all others stay as they are. Throws ArgumentError
/// for a value twice. Values are compared as float.
template <Text name, Role role>
auto map_values(SectionName<name, role>, std::vector<ValueChange> changes) {
    return Transforming<detail::KeepsExtents, name>{detail::mapping_values(std::move(changes))};
}
/// All sections.
inline auto map_values(std::vector<ValueChange> changes) {
    return Transforming<detail::KeepsExtents>{detail::mapping_values(std::move(changes))};
}

// What impute() fills in. Functions, because some of these words are functions of tensors, too.
constexpr detail::ImputeBy mean(detail::ImputeWord) { return detail::ImputeBy::mean; }
constexpr detail::ImputeBy median(detail::ImputeWord) { return detail::ImputeBy::median; }
constexpr detail::ImputeBy constant(detail::ImputeWord) { return detail::ImputeBy::constant; }

/// Missing numbers, NaN, become the mean or the median of their feature in the data that it is learned from:
/// impute(inputs, mean). Throws DataError for a feature that is missing in all records.
template <Text name, Role role>
auto impute(SectionName<name, role>, detail::NamedImputeBy by) {
    return Transforming<detail::KeepsExtents, name>{detail::imputing(by({}))};
}
/// Missing numbers become this one: impute(inputs, constant, 0).
template <Text name, Role role>
auto impute(SectionName<name, role>, detail::NamedImputeBy by, double value) {
    return Transforming<detail::KeepsExtents, name>{detail::imputing(by({}), value)};
}
/// All sections.
inline auto impute(detail::NamedImputeBy by) { return Transforming<detail::KeepsExtents>{detail::imputing(by({}))}; }
inline auto impute(detail::NamedImputeBy by, double value) {
    return Transforming<detail::KeepsExtents>{detail::imputing(by({}), value)};
}

/// A function of the user's: of each number, apply(inputs, "log", [](float x) { return std::log1p(x); }), or of the
/// numbers of one record, which it changes in place, [](std::span<float> record) { … }. It may be called from several
/// threads. Caches and files know it by its name: another function needs another one.
template <Text name, Role role, detail::FunctionOfNumbers F>
auto apply(SectionName<name, role>, const std::string& called, F function) {
    return Transforming<detail::KeepsExtents, name>{detail::user_transform(called, std::move(function))};
}
template <Text name, Role role, class F>
    requires(!detail::FunctionOfNumbers<F>)
error_function_takes_neither_a_float_nor_a_span_of_float<F, section<name>> apply(SectionName<name, role>,
                                                                                 const std::string&, F);
/// All sections.
template <detail::FunctionOfNumbers F>
auto apply(const std::string& called, F function) {
    return Transforming<detail::KeepsExtents>{detail::user_transform(called, std::move(function))};
}

/// Records (…) of whole numbers become (…, count): 1 where the number is, else 0. A number that is not from 0 to count
/// - 1 throws a DataError that names it.
template <int count, Text name, Role role>
    requires(count > 0)
auto one_hot(SectionName<name, role>) {
    return Transforming<detail::AppendsExtent<count>, name>{detail::making_one_hot(0, count - 1)};
}
template <int count, Text name, Role role>
    requires(count <= 0)
error_one_hot_needs_a_class<classes_given<count>, section<name>> one_hot(SectionName<name, role>);
/// The same, for numbers that only the program knows.
template <Text name, Role role>
auto one_hot(SectionName<name, role>, std::integral auto count) {
    return Transforming<detail::LosesExtents, name>{detail::making_one_hot(0, static_cast<long long>(count) - 1)};
}
/// Of the whole numbers from `first` to `last`.
template <Text name, Role role>
auto one_hot(SectionName<name, role>, std::integral auto first, std::integral auto last) {
    return Transforming<detail::LosesExtents, name>{
        detail::making_one_hot(static_cast<long long>(first), static_cast<long long>(last))};
}
/// Of these numbers, in this order: one_hot(targets, {1, 2, 3.5}).
template <Text name, Role role>
auto one_hot(SectionName<name, role>, std::initializer_list<double> values) {
    return Transforming<detail::LosesExtents, name>{detail::making_one_hot(std::vector<double>(values))};
}
template <Text name, Role role>
auto one_hot(SectionName<name, role>, std::vector<double> values) {
    return Transforming<detail::LosesExtents, name>{detail::making_one_hot(std::move(values))};
}

/// Axes of each record in another order, counted without that of records: axis i of the result is the i-th that is
/// named, so permute<1, 2, 0>(inputs) makes (height, width, channels) of (channels, height, width). Axes of another
/// number than records have are a compile error where the extents are known, else a ShapeError.
template <int... axes, Text name, Role role>
    requires(sizeof...(axes) > 0 && detail::each_once({axes...}))
auto permute(SectionName<name, role>) {
    return Transforming<detail::PermutesAxes<axes...>, name>{detail::permuting({static_cast<std::size_t>(axes)...})};
}
template <int... axes, Text name, Role role>
    requires(sizeof...(axes) > 0 && !detail::each_once({axes...}))
error_permute_needs_each_axis_once<axes_given<axes...>, section<name>> permute(SectionName<name, role>);
/// For axes that only the program knows. Throws ArgumentError where they are not each axis once.
template <Text name, Role role>
auto permute(SectionName<name, role>, const std::vector<std::size_t>& axes) {
    return Transforming<detail::LosesExtents, name>{detail::permuting(axes)};
}

/// The same numbers of each record with other extents, reshape<784>(inputs). Another count is a compile error where the
/// extents are known, else a ShapeError.
template <int... extents, Text name, Role role>
    requires((extents > 0) && ...)
auto reshape(SectionName<name, role>) {
    return Transforming<detail::ReshapesTo<extents...>, name>{
        detail::reshaping({static_cast<std::size_t>(extents)...})};
}
template <int... extents, Text name, Role role>
    requires(!((extents > 0) && ...))
error_reshape_needs_extents_of_at_least_1<shape<extents...>, section<name>> reshape(SectionName<name, role>);
/// For extents that only the program knows. Throws ArgumentError for an extent of 0.
template <Text name, Role role>
auto reshape(SectionName<name, role>, const std::vector<std::size_t>& extents) {
    return Transforming<detail::LosesExtents, name>{detail::reshaping(extents)};
}

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/transform/impl/transforms.ipp>
#endif
