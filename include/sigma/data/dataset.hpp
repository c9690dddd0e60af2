// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/error.hpp>
#include <sigma/core/label_range.hpp>
#include <sigma/core/xtensor.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace sigma {

/// An array in row-major order. The loaders fill it and datasets keep it: it costs a program that only reads data no
/// instantiation of xtensor.
struct Numbers {
    std::vector<std::size_t> shape;
    std::vector<float> values;

    std::size_t rank() const { return shape.size(); }
    std::size_t size() const { return values.size(); }
};

/// Records with their targets. The arrays are shared and immutable; a Dataset is a choice of records from them in some
/// order, so copying, splitting and shuffling move no data.
///
///   inputs:  [records, features...]
///   targets: [records] class indices, or [records, outputs...] numbers
class Dataset {
public:
    Dataset(Numbers inputs, Numbers targets, std::string name, std::vector<std::string> classes = {});

    std::size_t size() const { return records_.size(); }
    const std::string& name() const { return storage_->name; }
    const std::vector<std::string>& classes() const { return storage_->classes; }

    // Extents of one record, without the record axis; () for the targets when they are class indices.
    std::span<const std::size_t> input_shape() const { return std::span(storage_->inputs.shape).subspan(1); }
    std::span<const std::size_t> target_shape() const { return std::span(storage_->targets.shape).subspan(1); }
    std::size_t input_size() const { return storage_->input_size; }
    std::size_t target_size() const { return storage_->target_size; }
    bool has_labels() const { return target_shape().empty(); }

    std::span<const float> input(std::size_t record) const {
        return {storage_->inputs.values.data() + records_[record] * input_size(), input_size()};
    }
    std::span<const float> target(std::size_t record) const {
        return {storage_->targets.values.data() + records_[record] * target_size(), target_size()};
    }
    // The class index, where has_labels().
    std::size_t label(std::size_t record) const { return static_cast<std::size_t>(target(record)[0]); }

    // The chosen records as arrays of their own.
    template <class T = float>
    xt::xarray<T> inputs() const {
        return gather<T>(storage_->inputs, input_size());
    }
    template <class T = float>
    xt::xarray<T> targets() const {
        return gather<T>(storage_->targets, target_size());
    }

    // The same arrays, other records: `positions` are positions in this dataset.
    Dataset select(std::span<const std::size_t> positions) const;

private:
    struct Storage {
        Numbers inputs, targets;
        std::string name;
        std::vector<std::string> classes;
        std::size_t input_size, target_size;
    };

    template <class T>
    xt::xarray<T> gather(const Numbers& from, std::size_t record_size) const {
        std::vector<std::size_t> shape = from.shape;
        shape[0] = size();
        xt::xarray<T> chosen = xt::xarray<T>::from_shape(shape);
        T* to = chosen.data();
        for (const std::size_t record : records_)
            for (std::size_t i = 0; i < record_size; ++i) *to++ = static_cast<T>(from.values[record * record_size + i]);
        return chosen;
    }

    std::shared_ptr<const Storage> storage_;
    std::vector<std::size_t> records_;
};

namespace detail {

/// The position of the first number that is NaN or infinite, or the count of numbers. Checks blocks with integer
/// arithmetic, which the compiler turns into vector code; a search with an early exit it would not.
inline std::size_t find_not_finite(std::span<const float> numbers) {
    constexpr std::uint32_t exponent = 0x7f800000;
    constexpr std::size_t block = 4096;
    for (std::size_t first = 0; first < numbers.size(); first += block) {
        const auto part = numbers.subspan(first, std::min(block, numbers.size() - first));
        std::uint32_t bad = 0;
        for (const float number : part) bad |= (std::bit_cast<std::uint32_t>(number) & exponent) == exponent ? 1u : 0u;
        if (bad != 0)
            return first + static_cast<std::size_t>(
                               std::find_if(part.begin(), part.end(), [](float v) { return !std::isfinite(v); }) -
                               part.begin());
    }
    return numbers.size();
}

inline void check_finite(std::span<const float> numbers, std::size_t record_size, const std::string& name,
                         const char* what) {
    const std::size_t at = find_not_finite(numbers);
    if (at == numbers.size()) return;
    throw DataError::in_dataset(name, sentence("record ", at / record_size, ", ", what, " ", at % record_size),
                                "a finite number", sentence(numbers[at]));
}

}  // namespace detail

inline Dataset::Dataset(Numbers inputs, Numbers targets, std::string name, std::vector<std::string> classes) {
    if (inputs.rank() < 2)
        throw ShapeError(sentence("inputs of dataset '", name, "'"), "shape (records, features...)",
                         shape_text(inputs.shape));
    if (targets.rank() < 1)
        throw ShapeError(sentence("targets of dataset '", name, "'"), "shape (records) or (records, outputs...)",
                         shape_text(targets.shape));
    if (inputs.size() == 0 || targets.size() == 0)
        throw DataError::in_dataset(
            name, "", "at least one record with one feature and one target",
            sentence("inputs ", shape_text(inputs.shape), " and targets ", shape_text(targets.shape)));
    const std::size_t count = inputs.shape[0];
    if (targets.shape[0] != count)
        throw DataError::in_dataset(name, "", sentence("as many targets as the inputs have records, ", count),
                                    sentence(targets.shape[0]));
    detail::check_finite(inputs.values, inputs.size() / count, name, "feature");
    detail::check_finite(targets.values, targets.size() / count, name, "target");

    const std::size_t input_size = inputs.size() / count, target_size = targets.size() / count;
    storage_ = std::make_shared<const Storage>(
        Storage{std::move(inputs), std::move(targets), std::move(name), std::move(classes), input_size, target_size});
    records_.resize(count);
    std::iota(records_.begin(), records_.end(), std::size_t{0});
}

inline Dataset Dataset::select(std::span<const std::size_t> positions) const {
    Dataset chosen = *this;
    chosen.records_.clear();
    chosen.records_.reserve(positions.size());
    for (const std::size_t position : positions) {
        if (position >= size())
            throw ArgumentError(sentence("records of dataset '", name(), "'"), sentence("positions below ", size()),
                                sentence(position));
        chosen.records_.push_back(records_[position]);
    }
    return chosen;
}

/// The numbers of an xtensor container or expression.
template <class Expression>
Numbers numbers_of(const Expression& expression) {
    Numbers numbers{{expression.shape().begin(), expression.shape().end()}, {}};
    numbers.values.reserve(expression.size());
    const auto end = expression.template end<xt::layout_type::row_major>();
    for (auto at = expression.template begin<xt::layout_type::row_major>(); at != end; ++at)
        numbers.values.push_back(static_cast<float>(*at));
    return numbers;
}

/// A dataset from any xtensor containers or expressions of numbers.
template <class Inputs, class Targets>
Dataset make_dataset(const Inputs& inputs, const Targets& targets, std::string name = "data",
                     std::vector<std::string> classes = {}) {
    return {numbers_of(inputs), numbers_of(targets), std::move(name), std::move(classes)};
}

inline void check_has_labels(const Dataset& dataset) {
    if (!dataset.has_labels())
        throw DataError::in_dataset(dataset.name(), "", "one class index for each record",
                                    sentence("targets of shape ", shape_text(dataset.target_shape()), " each"));
}

/// Checks that every target is a class index in `range`: one for each record, or for each of its positions.
inline void check_labels(const Dataset& dataset, const LabelRange& range) {
    std::string expected = sentence("a label from ", range.first, " to ", range.end - 1);
    if (range.ignore.given) expected += sentence(", or ", range.ignore.value);
    for (std::size_t record = 0; record < dataset.size(); ++record) {
        const auto labels = dataset.target(record);
        for (std::size_t i = 0; i < labels.size(); ++i) {
            if (range.contains(static_cast<double>(labels[i]))) continue;
            std::string place = sentence("record ", record);
            if (!dataset.has_labels()) place += sentence(", position ", i);
            throw DataError::in_dataset(dataset.name(), place, expected, sentence(labels[i]));
        }
    }
}
/// Checks that every target is a class index below `count`: what a network with `count` outputs needs.
inline void check_labels(const Dataset& dataset, std::size_t count) {
    check_has_labels(dataset);
    check_labels(dataset, LabelRange{0, static_cast<int>(count)});
}

}  // namespace sigma
