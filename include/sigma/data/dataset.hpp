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

/// An array with the name of the input or target that it is for; the name may be empty.
struct NamedNumbers {
    std::string name;
    Numbers numbers;
};

/// Records with their targets. The arrays are shared and immutable; a Dataset is a choice of records from them in some
/// order, so copying, splitting and shuffling move no data.
///
///   inputs:  [records, features...]
///   targets: [records] class indices, or [records, outputs...] numbers
///
/// There may be several inputs and several targets, `which` of them counts from 0.
class Dataset {
public:
    Dataset(Numbers inputs, Numbers targets, std::string name, std::vector<std::string> classes = {});
    Dataset(std::vector<NamedNumbers> inputs, std::vector<NamedNumbers> targets, std::string name,
            std::vector<std::string> classes = {});

    std::size_t size() const { return records_.size(); }
    const std::string& name() const { return storage_->name; }
    const std::vector<std::string>& classes() const { return storage_->classes; }

    std::size_t input_count() const { return storage_->inputs.size(); }
    std::size_t target_count() const { return storage_->targets.size(); }
    const std::string& input_name(std::size_t which) const { return storage_->inputs[which].name; }
    const std::string& target_name(std::size_t which) const { return storage_->targets[which].name; }

    // Extents of one record, without the record axis; () for the targets when they are class indices.
    std::span<const std::size_t> input_shape(std::size_t which = 0) const { return storage_->inputs[which].shape(); }
    std::span<const std::size_t> target_shape(std::size_t which = 0) const { return storage_->targets[which].shape(); }
    std::size_t input_size(std::size_t which = 0) const { return storage_->inputs[which].record_size; }
    std::size_t target_size(std::size_t which = 0) const { return storage_->targets[which].record_size; }
    bool has_labels(std::size_t which = 0) const { return target_shape(which).empty(); }

    std::span<const float> input(std::size_t record, std::size_t which = 0) const {
        return storage_->inputs[which].record(records_[record]);
    }
    std::span<const float> target(std::size_t record, std::size_t which = 0) const {
        return storage_->targets[which].record(records_[record]);
    }
    // The class index, where has_labels().
    std::size_t label(std::size_t record, std::size_t which = 0) const {
        return static_cast<std::size_t>(target(record, which)[0]);
    }

    // The chosen records as arrays of their own.
    template <class T = float>
    xt::xarray<T> inputs(std::size_t which = 0) const {
        return gather<T>(storage_->inputs[which]);
    }
    template <class T = float>
    xt::xarray<T> targets(std::size_t which = 0) const {
        return gather<T>(storage_->targets[which]);
    }
    // Copies some records, by their positions in this dataset, to rows that are `stride` numbers apart.
    template <class T>
    void copy_inputs(std::span<const std::size_t> positions, T* to, std::size_t stride, std::size_t which = 0) const {
        for (const std::size_t position : positions) copy(input(position, which), std::exchange(to, to + stride));
    }
    template <class T>
    void copy_targets(std::span<const std::size_t> positions, T* to, std::size_t stride, std::size_t which = 0) const {
        for (const std::size_t position : positions) copy(target(position, which), std::exchange(to, to + stride));
    }

    // The same arrays, other records: `positions` are positions in this dataset.
    Dataset select(std::span<const std::size_t> positions) const;

private:
    struct Section : NamedNumbers {
        std::size_t record_size;

        explicit Section(NamedNumbers from)
            : NamedNumbers(std::move(from)), record_size(numbers.size() / numbers.shape[0]) {}
        std::span<const std::size_t> shape() const { return std::span(numbers.shape).subspan(1); }
        std::span<const float> record(std::size_t number) const {
            return {numbers.values.data() + number * record_size, record_size};
        }
    };
    struct Storage {
        std::vector<Section> inputs, targets;
        std::string name;
        std::vector<std::string> classes;
    };

    template <class T>
    static void copy(std::span<const float> record, T* to) {
        std::ranges::transform(record, to, [](float x) { return static_cast<T>(x); });
    }
    template <class T>
    xt::xarray<T> gather(const Section& from) const {
        std::vector<std::size_t> shape = from.numbers.shape;
        shape[0] = size();
        xt::xarray<T> chosen = xt::xarray<T>::from_shape(shape);
        T* to = chosen.data();
        for (const std::size_t record : records_) copy(from.record(record), std::exchange(to, to + from.record_size));
        return chosen;
    }

    std::shared_ptr<const Storage> storage_;
    std::vector<std::size_t> records_;
};

namespace detail {

/// The position of the first number that is NaN or infinite, or the count of numbers. Checks blocks with integer
/// arithmetic, which the compiler turns into vector code; a search with an early exit it would not.
[[gnu::noinline]] inline std::size_t find_not_finite(std::span<const float> numbers) {
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

[[gnu::cold]] inline Dataset::Dataset(Numbers inputs, Numbers targets, std::string name, std::vector<std::string> classes)
    : Dataset(std::vector<NamedNumbers>{{"", std::move(inputs)}}, std::vector<NamedNumbers>{{"", std::move(targets)}},
              std::move(name), std::move(classes)) {}

// Cold: it runs once, and most of it is texts of errors.
[[gnu::cold]] inline Dataset::Dataset(std::vector<NamedNumbers> inputs, std::vector<NamedNumbers> targets, std::string name,
                        std::vector<std::string> classes) {
    if (inputs.empty() || targets.empty())
        throw DataError::in_dataset(name, "", "at least one input and one target",
                                    sentence(inputs.size(), " inputs and ", targets.size(), " targets"));
    // "inputs of dataset 'iris'", "input 'image' of dataset 'faces'"
    const auto called = [&](const char* kind, const std::string& own) {
        return own.empty() ? sentence(kind, "s of dataset '", name, "'") : sentence(kind, " '", own, "' of dataset '", name, "'");
    };
    for (const NamedNumbers& n : inputs)
        if (n.numbers.rank() < 2)
            throw ShapeError(called("input", n.name), "shape (records, features...)", shape_text(n.numbers.shape));
    for (const NamedNumbers& n : targets)
        if (n.numbers.rank() < 1)
            throw ShapeError(called("target", n.name), "shape (records) or (records, outputs...)", shape_text(n.numbers.shape));
    for (const NamedNumbers& x : inputs)
        for (const NamedNumbers& y : targets)
            if (x.numbers.size() == 0 || y.numbers.size() == 0)
                throw DataError::in_dataset(
                    name, "", "at least one record with one feature and one target",
                    sentence("inputs ", shape_text(x.numbers.shape), " and targets ", shape_text(y.numbers.shape)));
    const std::size_t count = inputs[0].numbers.shape[0];
    for (const NamedNumbers& n : inputs)
        if (n.numbers.shape[0] != count)
            throw DataError::in_dataset(name, sentence("input '", n.name, "'"),
                                        sentence("as many records as the first input has, ", count),
                                        sentence(n.numbers.shape[0]));
    for (const NamedNumbers& n : targets)
        if (n.numbers.shape[0] != count)
            throw DataError::in_dataset(name, n.name.empty() ? std::string() : sentence("target '", n.name, "'"),
                                        sentence("as many targets as the inputs have records, ", count),
                                        sentence(n.numbers.shape[0]));
    for (const NamedNumbers& n : inputs)
        detail::check_finite(n.numbers.values, n.numbers.size() / count, name, "feature");
    for (const NamedNumbers& n : targets)
        detail::check_finite(n.numbers.values, n.numbers.size() / count, name, "target");

    Storage storage{{}, {}, std::move(name), std::move(classes)};
    for (NamedNumbers& n : inputs) storage.inputs.emplace_back(std::move(n));
    for (NamedNumbers& n : targets) storage.targets.emplace_back(std::move(n));
    storage_ = std::make_shared<const Storage>(std::move(storage));
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

inline void check_has_labels(const Dataset& dataset, std::size_t which = 0) {
    if (!dataset.has_labels(which))
        throw DataError::in_dataset(dataset.name(), "", "one class index for each record",
                                    sentence("targets of shape ", shape_text(dataset.target_shape(which)), " each"));
}

/// Checks that every target is a class index in `range`: one for each record, or for each of its positions.
inline void check_labels(const Dataset& dataset, const LabelRange& range, std::size_t which = 0) {
    std::string expected = sentence("a label from ", range.first, " to ", range.end - 1);
    if (range.ignore.given) expected += sentence(", or ", range.ignore.value);
    for (std::size_t record = 0; record < dataset.size(); ++record) {
        const auto labels = dataset.target(record, which);
        for (std::size_t i = 0; i < labels.size(); ++i) {
            if (range.contains(static_cast<double>(labels[i]))) continue;
            std::string place = sentence("record ", record);
            if (!dataset.has_labels(which)) place += sentence(", position ", i);
            throw DataError::in_dataset(dataset.name(), place, expected, sentence(labels[i]));
        }
    }
}
/// Checks that every target is a class index below `count`: what a network with `count` outputs needs.
inline void check_labels(const Dataset& dataset, std::size_t count, std::size_t which = 0) {
    check_has_labels(dataset, which);
    check_labels(dataset, LabelRange{0, static_cast<int>(count)}, which);
}

}  // namespace sigma
