// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Transforms of records: standardize, normalize, impute, one_hot, permute, reshape, apply and others. Included by
/// `<sigma/data/data.hpp>`.

#include <sigma/data/transform/on_datasets.hpp>
#include <sigma/data/transform/preprocessing.hpp>
#include <sigma/data/transform/transforming.hpp>

#include <concepts>
#include <initializer_list>
#include <vector>

namespace sigma::data {

/// The range of one number of a record, for `normalize_each`.
///
/// @see normalize_each
struct IndexRange {
    std::size_t index;  ///< position of the number in the record, row-major, from 0
    double min;         ///< least value of that number
    double max;         ///< largest value of that number
};

/// A value and its replacement, for `map_values`. NaN stands for missing numbers.
///
/// @see map_values
struct ValueChange {
    double from;  ///< the value
    double to;    ///< replacement of the value
};

namespace detail {

TransformPointer standardizing(bool together);
struct StandardizeWord {};
enum class StandardizeOver { jointly };
using NamedStandardizeOver = StandardizeOver (*)(StandardizeWord);
TransformPointer normalizing(double min, double max, double low, double high);
TransformPointer normalizing_each(const std::vector<IndexRange>& ranges, double low, double high);
/// Learns the range of each feature, or, if `whole`, of all numbers of a section.
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
/// Makes a one-hot transform of the whole numbers from `first` to `last`.
TransformPointer making_one_hot(long long first, long long last);
TransformPointer permuting(const std::vector<std::size_t>& axes);
TransformPointer reshaping(const std::vector<std::size_t>& extents);

}  // namespace detail

/// The option of `standardize` that learns one mean and one deviation for a whole section: `standardize(inputs,
/// jointly)`.
/// @return the option
///
/// @see standardize
// A function, because as a constant it would be ambiguous with other meanings of the name.
constexpr detail::StandardizeOver jointly(detail::StandardizeWord) { return detail::StandardizeOver::jointly; }

/// Standardizes each feature: (x - mean) / deviation.
///
/// Learns mean and deviation of each feature from the data. A feature that never changes becomes 0. Missing numbers
/// stay missing. `Preprocessing::inverse` can undo this transform.
///
/// @param section  section to transform, such as `inputs`
/// @param others   further sections to transform
/// @return a transform to add to a pipeline or a dataset with `>>`
///
/// @par Example
/// @code
/// using namespace sigma::data;
/// const auto [some, others] = split(shuffled(wine(), 1), 0.8, 0.2);
/// const Preprocessing standardized = fitted(standardize(inputs), some);
/// const auto fitting = some >> standardized, validation = others >> standardized;
/// @endcode
///
/// @see min_max, fitted, docs/transforms.md
template <Text name, Role role, Text... more, Role... roles>
auto standardize([[maybe_unused]] SectionName<name, role> section,
                 [[maybe_unused]] SectionName<more, roles>... others) {
    return Transforming<detail::KeepsExtents, name, more...>{detail::standardizing(false)};
}
/// Standardizes a section with one mean and one deviation for all its numbers, such as pixels.
/// @param section  section to transform
/// @param over     always `jointly`
/// @return a transform to add to a pipeline or a dataset with `>>`
template <Text name, Role role>
auto standardize([[maybe_unused]] SectionName<name, role> section, [[maybe_unused]] detail::NamedStandardizeOver over) {
    return Transforming<detail::KeepsExtents, name>{detail::standardizing(true)};
}
/// Standardizes all sections, each feature by itself.
/// @return a transform to add to a pipeline or a dataset with `>>`
inline auto standardize() { return Transforming<detail::KeepsExtents>{detail::standardizing(false)}; }
/// Standardizes all sections, each with one mean and one deviation for all its numbers.
/// @param over  always `jointly`
/// @return a transform to add to a pipeline or a dataset with `>>`
inline auto standardize([[maybe_unused]] detail::NamedStandardizeOver over) {
    return Transforming<detail::KeepsExtents>{detail::standardizing(true)};
}

/// Maps numbers from one range to another: (x - min_in) * ((max_out - min_out) / (max_in - min_in)) + min_out.
///
/// Computes in double: `normalize(inputs, 0, 255)` gives the bits of `x / 255.0f` for all bytes. Numbers outside of the
/// input range stay outside of the output range.
///
/// @param section  section to transform, such as `inputs`
/// @param min_in   start of the input range
/// @param max_in   end of the input range, not `min_in`
/// @param min_out  start of the output range, default 0
/// @param max_out  end of the output range, default 1
/// @return a transform to add to a pipeline or a dataset with `>>`
/// @throws ArgumentError  if `min_in` equals `max_in` or a number is not finite
///
/// @par Example
/// @code
/// using namespace sigma::data;
/// auto digits = zip(inputs = idx<28, 28>(file("train-images-idx3-ubyte.gz")),
///                   targets = idx<>(file("train-labels-idx1-ubyte.gz"))) >>
///               normalize(inputs, 0, 255) >> dataset("mnist");
/// @endcode
///
/// @see min_max, normalize_each, docs/transforms.md
template <Text name, Role role>
auto normalize([[maybe_unused]] SectionName<name, role> section, double min_in, double max_in, double min_out = 0,
               double max_out = 1) {
    return Transforming<detail::KeepsExtents, name>{detail::normalizing(min_in, max_in, min_out, max_out)};
}
/// Maps the numbers of all sections from one range to another.
/// @param min_in   start of the input range
/// @param max_in   end of the input range, not `min_in`
/// @param min_out  start of the output range, default 0
/// @param max_out  end of the output range, default 1
/// @return a transform to add to a pipeline or a dataset with `>>`
/// @throws ArgumentError  if `min_in` equals `max_in` or a number is not finite
inline auto normalize(double min_in, double max_in, double min_out = 0, double max_out = 1) {
    return Transforming<detail::KeepsExtents>{detail::normalizing(min_in, max_in, min_out, max_out)};
}

/// Maps single numbers of each record from ranges of their own to one range. The other numbers stay.
///
/// @param section  section to transform, such as `inputs`
/// @param ranges   positions of numbers and their input ranges
/// @param min_out  start of the output range, default 0
/// @param max_out  end of the output range, default 1
/// @return a transform to add to a pipeline or a dataset with `>>`
/// @throws ArgumentError  if an index occurs twice, a range is empty, or a number is not finite
///
/// @par Example
/// @code
/// using namespace sigma::data;
/// const auto lengths = iris() >> normalize_each(inputs, {{0, 4.3, 7.9}, {2, 1, 6.9}});
/// @endcode
///
/// @see normalize
template <Text name, Role role>
auto normalize_each([[maybe_unused]] SectionName<name, role> section, const std::vector<IndexRange>& ranges,
                    double min_out = 0, double max_out = 1) {
    return Transforming<detail::KeepsExtents, name>{detail::normalizing_each(ranges, min_out, max_out)};
}
/// Maps single numbers of each record of all sections from ranges of their own to one range.
/// @param ranges   positions of numbers and their input ranges
/// @param min_out  start of the output range, default 0
/// @param max_out  end of the output range, default 1
/// @return a transform to add to a pipeline or a dataset with `>>`
/// @throws ArgumentError  if an index occurs twice, a range is empty, or a number is not finite
inline auto normalize_each(const std::vector<IndexRange>& ranges, double min_out = 0, double max_out = 1) {
    return Transforming<detail::KeepsExtents>{detail::normalizing_each(ranges, min_out, max_out)};
}

/// Maps each feature from its least and largest value in the data to one range.
///
/// Learns the least and largest value of each feature. A feature that never changes becomes `min_out`.
///
/// @param section  section to transform, such as `inputs`
/// @param min_out  start of the output range, default 0
/// @param max_out  end of the output range, default 1
/// @return a transform to add to a pipeline or a dataset with `>>`
/// @throws ArgumentError  if a number is not finite
///
/// @par Example
/// @code
/// const auto scaled = data::iris() >> data::min_max(data::inputs);
/// @endcode
///
/// @see normalize_adaptive, standardize, docs/transforms.md
template <Text name, Role role>
auto min_max([[maybe_unused]] SectionName<name, role> section, double min_out = 0, double max_out = 1) {
    return Transforming<detail::KeepsExtents, name>{detail::learning_range("min_max", false, min_out, max_out)};
}
/// Maps each feature of all sections from its least and largest value in the data to one range.
/// @param min_out  start of the output range, default 0
/// @param max_out  end of the output range, default 1
/// @return a transform to add to a pipeline or a dataset with `>>`
/// @throws ArgumentError  if a number is not finite
inline auto min_max(double min_out = 0, double max_out = 1) {
    return Transforming<detail::KeepsExtents>{detail::learning_range("min_max", false, min_out, max_out)};
}

/// Maps all numbers of a section alike, from their least and largest value in the data to one range.
///
/// @param section  section to transform, such as `inputs`
/// @param min_out  start of the output range, default 0
/// @param max_out  end of the output range, default 1
/// @return a transform to add to a pipeline or a dataset with `>>`
/// @throws ArgumentError  if a number is not finite
///
/// @par Example
/// @code
/// const auto scaled = data::iris() >> data::normalize_adaptive(data::inputs, -1, 1);
/// @endcode
///
/// @see min_max, docs/transforms.md
template <Text name, Role role>
auto normalize_adaptive([[maybe_unused]] SectionName<name, role> section, double min_out = 0, double max_out = 1) {
    return Transforming<detail::KeepsExtents, name>{
        detail::learning_range("normalize_adaptive", true, min_out, max_out)};
}
/// Maps all numbers of each section alike, each section from its own least and largest value to one range.
/// @param min_out  start of the output range, default 0
/// @param max_out  end of the output range, default 1
/// @return a transform to add to a pipeline or a dataset with `>>`
/// @throws ArgumentError  if a number is not finite
inline auto normalize_adaptive(double min_out = 0, double max_out = 1) {
    return Transforming<detail::KeepsExtents>{detail::learning_range("normalize_adaptive", true, min_out, max_out)};
}

/// Limits numbers to a range: numbers below `low` become `low`, numbers above `high` become `high`.
///
/// @param section  section to transform, such as `inputs`
/// @param low      least value
/// @param high     largest value, at least `low`
/// @return a transform to add to a pipeline or a dataset with `>>`
/// @throws ArgumentError  if `low` is above `high` or a number is not finite
///
/// @par Example
/// @code
/// const auto limited = data::iris() >> data::clamp(data::inputs, 0, 5);
/// @endcode
///
/// @see normalize
template <Text name, Role role>
auto clamp([[maybe_unused]] SectionName<name, role> section, double low, double high) {
    return Transforming<detail::KeepsExtents, name>{detail::clamping(low, high)};
}
/// Limits the numbers of all sections to a range.
/// @param low   least value
/// @param high  largest value, at least `low`
/// @return a transform to add to a pipeline or a dataset with `>>`
/// @throws ArgumentError  if `low` is above `high` or a number is not finite
inline auto clamp(double low, double high) { return Transforming<detail::KeepsExtents>{detail::clamping(low, high)}; }

/// Replaces values by others. NaN stands for missing numbers. Values that are not listed stay.
///
/// @param section  section to transform, such as `targets`
/// @param changes  values and their replacements, compared as float
/// @return a transform to add to a pipeline or a dataset with `>>`
/// @throws ArgumentError  if a value occurs twice or is infinite
///
/// @par Example
/// @code
/// using namespace sigma::data;
/// const auto binary = iris() >> map_values(targets, {{1, 0}, {2, 1}});
/// @endcode
///
/// @see one_hot, impute
template <Text name, Role role>
auto map_values([[maybe_unused]] SectionName<name, role> section, std::vector<ValueChange> changes) {
    return Transforming<detail::KeepsExtents, name>{detail::mapping_values(std::move(changes))};
}
/// Replaces values in all sections by others.
/// @param changes  values and their replacements, compared as float
/// @return a transform to add to a pipeline or a dataset with `>>`
/// @throws ArgumentError  if a value occurs twice or is infinite
inline auto map_values(std::vector<ValueChange> changes) {
    return Transforming<detail::KeepsExtents>{detail::mapping_values(std::move(changes))};
}

// Functions, because some of these names are functions of tensors, too.
/// The option of `impute` that fills in the mean of a feature.
/// @return the option
///
/// @see impute
constexpr detail::ImputeBy mean(detail::ImputeWord) { return detail::ImputeBy::mean; }
/// The option of `impute` that fills in the median of a feature.
/// @return the option
///
/// @see impute
constexpr detail::ImputeBy median(detail::ImputeWord) { return detail::ImputeBy::median; }
/// The option of `impute` that fills in a number: `impute(inputs, constant, 0)`.
/// @return the option
///
/// @see impute
constexpr detail::ImputeBy constant(detail::ImputeWord) { return detail::ImputeBy::constant; }

/// Replaces missing numbers (NaN) by the mean or the median of their feature.
///
/// Learns the mean or median from the data. Learning throws DataError if a feature is missing in all records.
///
/// @param section  section to transform, such as `inputs`
/// @param by       `mean` or `median`
/// @return a transform to add to a pipeline or a dataset with `>>`
/// @throws ArgumentError  if `by` is `constant`, which needs a value
///
/// @par Example
/// @code
/// using namespace sigma::data;
/// auto cars = csv(file("auto-mpg.data"), {.separator = blanks, .missing = {"?"}}) >>
///             sections(inputs = columns(1, 7), targets = column(0)) >> dataset("cars", {.missing = true});
/// const auto complete = cars >> impute(inputs, median);
/// @endcode
///
/// @see docs/transforms.md
template <Text name, Role role>
auto impute([[maybe_unused]] SectionName<name, role> section, detail::NamedImputeBy by) {
    return Transforming<detail::KeepsExtents, name>{detail::imputing(by({}))};
}
/// Replaces missing numbers (NaN) by a number: `impute(inputs, constant, 0)`.
/// @param section  section to transform, such as `inputs`
/// @param by       always `constant`
/// @param value    the number to fill in, finite
/// @return a transform to add to a pipeline or a dataset with `>>`
/// @throws ArgumentError  if `by` is not `constant` or `value` is not finite
template <Text name, Role role>
auto impute([[maybe_unused]] SectionName<name, role> section, detail::NamedImputeBy by, double value) {
    return Transforming<detail::KeepsExtents, name>{detail::imputing(by({}), value)};
}
/// Replaces missing numbers of all sections by the mean or the median of their feature.
/// @param by  `mean` or `median`
/// @return a transform to add to a pipeline or a dataset with `>>`
/// @throws ArgumentError  if `by` is `constant`, which needs a value
inline auto impute(detail::NamedImputeBy by) { return Transforming<detail::KeepsExtents>{detail::imputing(by({}))}; }
/// Replaces missing numbers of all sections by a number.
/// @param by     always `constant`
/// @param value  the number to fill in, finite
/// @return a transform to add to a pipeline or a dataset with `>>`
/// @throws ArgumentError  if `by` is not `constant` or `value` is not finite
inline auto impute(detail::NamedImputeBy by, double value) {
    return Transforming<detail::KeepsExtents>{detail::imputing(by({}), value)};
}

/// Applies a function of yours to each number, or to the numbers of each record.
///
/// Several threads may call the function. Caches and files identify it by its name: give another function another name.
///
/// @param section   section to transform, such as `inputs`
/// @param called    name of the function in caches and files; not the name of another transform
/// @param function  from float to float, or `void(std::span<float> record)`, which changes a record in place; or the
/// same
///                  of double. Data of double need a function of double
/// @return a transform to add to a pipeline or a dataset with `>>`
/// @throws ArgumentError  if the name is empty or that of another transform
///
/// @par Errors
/// `error_function_takes_neither_a_float_nor_a_span_of_float` at compile time for other functions.
///
/// @par Example
/// @code
/// using namespace sigma::data;
/// const auto squares = iris() >> apply(inputs, "square", [](float x) { return x * x; });
/// @endcode
///
/// @see NamedFunction, docs/transforms.md
template <Text name, Role role, detail::FunctionOfNumbers F>
auto apply([[maybe_unused]] SectionName<name, role> section, const std::string& called, F function) {
    return Transforming<detail::KeepsExtents, name>{detail::user_transform(called, std::move(function))};
}
/// @cond internal
template <Text name, Role role, class F>
    requires(!detail::FunctionOfNumbers<F>)
error_function_takes_neither_a_float_nor_a_span_of_float<F, section<name>> apply(SectionName<name, role>,
                                                                                 const std::string&, F);
/// @endcond

/// Applies a function of yours to all sections.
/// @param called    name of the function in caches and files; not the name of another transform
/// @param function  a function of one number or of the numbers of one record
/// @return a transform to add to a pipeline or a dataset with `>>`
/// @throws ArgumentError  if the name is empty or that of another transform
template <detail::FunctionOfNumbers F>
auto apply(const std::string& called, F function) {
    return Transforming<detail::KeepsExtents>{detail::user_transform(called, std::move(function))};
}

/// Replaces each whole number by a list of `count` numbers: 1 at its position, else 0.
///
/// Applying it throws DataError for a number that is not a whole number from 0 to count - 1.
///
/// @par Shape
/// Records (…) become (…, count).
///
/// @tparam count   number of classes, at least 1
/// @param section  section to transform, such as `targets`
/// @return a transform to add to a pipeline or a dataset with `>>`
/// @throws ArgumentError  if `count` is above 2^24 + 1
///
/// @par Errors
/// `error_one_hot_needs_a_class` at compile time if `count` is below 1.
///
/// @par Example
/// @code
/// using namespace sigma::data;
/// const auto flowers = iris() >> one_hot<3>(targets);  // targets (3)
/// @endcode
///
/// @see docs/transforms.md
template <int count, Text name, Role role>
    requires(count > 0)
auto one_hot([[maybe_unused]] SectionName<name, role> section) {
    return Transforming<detail::AppendsExtent<count>, name>{detail::making_one_hot(0, count - 1)};
}
/// @cond internal
template <int count, Text name, Role role>
    requires(count <= 0)
error_one_hot_needs_a_class<classes_given<count>, section<name>> one_hot(SectionName<name, role>);
/// @endcond

/// Replaces each whole number from 0 by a list of `count` numbers. `count` need not be a constant.
/// @param section  section to transform, such as `targets`
/// @param count    number of classes, at least 1
/// @return a transform to add to a pipeline or a dataset with `>>`
/// @throws ArgumentError  if `count` is out of range
template <Text name, Role role>
auto one_hot([[maybe_unused]] SectionName<name, role> section, std::integral auto count) {
    return Transforming<detail::LosesExtents, name>{detail::making_one_hot(0, static_cast<long long>(count) - 1)};
}
/// Replaces each whole number from `first` to `last` by a list of last - first + 1 numbers.
/// @param section  section to transform, such as `targets`
/// @param first    least number, at least -2^24
/// @param last     largest number, at most 2^24
/// @return a transform to add to a pipeline or a dataset with `>>`
/// @throws ArgumentError  if `last` is below `first`, or a number is out of range
template <Text name, Role role>
auto one_hot([[maybe_unused]] SectionName<name, role> section, std::integral auto first, std::integral auto last) {
    return Transforming<detail::LosesExtents, name>{
        detail::making_one_hot(static_cast<long long>(first), static_cast<long long>(last))};
}
/// Replaces each of these numbers by a list with 1 at its position: `one_hot(targets, {1, 2, 3.5})`.
/// @param section  section to transform, such as `targets`
/// @param values   the numbers, in the order of the list, compared as float
/// @return a transform to add to a pipeline or a dataset with `>>`
/// @throws ArgumentError  if there is no number, or one occurs twice or is not finite
template <Text name, Role role>
auto one_hot([[maybe_unused]] SectionName<name, role> section, std::initializer_list<double> values) {
    return Transforming<detail::LosesExtents, name>{detail::making_one_hot(std::vector<double>(values))};
}
/// @copydoc one_hot(SectionName<name, role>, std::initializer_list<double>)
template <Text name, Role role>
auto one_hot([[maybe_unused]] SectionName<name, role> section, std::vector<double> values) {
    return Transforming<detail::LosesExtents, name>{detail::making_one_hot(std::move(values))};
}

/// Reorders the axes of each record. Axis i of the result is the i-th axis that you name; the axis of records does not
/// count.
///
/// If records have another number of axes, applying it throws ShapeError, or does not compile if the compiler knows
/// their extents.
///
/// @tparam axes    each axis of a record once, from 0
/// @param section  section to transform, such as `inputs`
/// @return a transform to add to a pipeline or a dataset with `>>`
///
/// @par Errors
/// `error_permute_needs_each_axis_once` at compile time if `axes` are not each axis once.
///
/// @par Example
/// @code
/// using namespace sigma::data;
/// // (channels, height, width) becomes (height, width, channels)
/// const auto pixels = (inputs = bytes<3, 32, 32>(file("images.bin"))) >> permute<1, 2, 0>(inputs);
/// @endcode
///
/// @see reshape, docs/transforms.md
template <int... axes, Text name, Role role>
    requires(sizeof...(axes) > 0 && detail::each_once({axes...}))
auto permute([[maybe_unused]] SectionName<name, role> section) {
    return Transforming<detail::PermutesAxes<axes...>, name>{detail::permuting({static_cast<std::size_t>(axes)...})};
}
/// @cond internal
template <int... axes, Text name, Role role>
    requires(sizeof...(axes) > 0 && !detail::each_once({axes...}))
error_permute_needs_each_axis_once<axes_given<axes...>, section<name>> permute(SectionName<name, role>);
/// @endcond

/// Reorders the axes of each record. The axes need not be constants.
/// @param section  section to transform, such as `inputs`
/// @param axes     each axis of a record once, from 0
/// @return a transform to add to a pipeline or a dataset with `>>`
/// @throws ArgumentError  if `axes` are not each axis once
template <Text name, Role role>
auto permute([[maybe_unused]] SectionName<name, role> section, const std::vector<std::size_t>& axes) {
    return Transforming<detail::LosesExtents, name>{detail::permuting(axes)};
}

/// Gives each record other extents with the same numbers.
///
/// If records have another count of numbers, applying it throws ShapeError, or does not compile if the compiler knows
/// their extents.
///
/// @tparam extents  extents of a record, each at least 1; none for a single number
/// @param section   section to transform, such as `inputs`
/// @return a transform to add to a pipeline or a dataset with `>>`
///
/// @par Errors
/// `error_reshape_needs_extents_of_at_least_1` at compile time for other extents.
///
/// @par Example
/// @code
/// using namespace sigma::data;
/// const auto rows = training >> reshape<784>(inputs);
/// @endcode
///
/// @see permute, docs/transforms.md
template <int... extents, Text name, Role role>
    requires((extents > 0) && ...)
auto reshape([[maybe_unused]] SectionName<name, role> section) {
    return Transforming<detail::ReshapesTo<extents...>, name>{
        detail::reshaping({static_cast<std::size_t>(extents)...})};
}
/// @cond internal
template <int... extents, Text name, Role role>
    requires(!((extents > 0) && ...))
error_reshape_needs_extents_of_at_least_1<shape<extents...>, section<name>> reshape(SectionName<name, role>);
/// @endcond

/// Gives each record other extents with the same numbers. The extents need not be constants.
/// @param section  section to transform, such as `inputs`
/// @param extents  extents of a record, each at least 1
/// @return a transform to add to a pipeline or a dataset with `>>`
/// @throws ArgumentError  if an extent is 0 or the record exceeds 2^48 numbers
template <Text name, Role role>
auto reshape([[maybe_unused]] SectionName<name, role> section, const std::vector<std::size_t>& extents) {
    return Transforming<detail::LosesExtents, name>{detail::reshaping(extents)};
}

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/transform/impl/transforms.ipp>
#endif
