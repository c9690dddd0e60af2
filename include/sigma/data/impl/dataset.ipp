// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/dataset.hpp>
#include <sigma/data/dataset_storage.hpp>
#include <sigma/data/finite.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <type_traits>

namespace sigma {

SIGMA_IMPL Dataset::Dataset(const Dataset&) = default;
SIGMA_IMPL Dataset::Dataset(Dataset&&) noexcept = default;
SIGMA_IMPL Dataset& Dataset::operator=(const Dataset&) = default;
SIGMA_IMPL Dataset& Dataset::operator=(Dataset&&) noexcept = default;
SIGMA_IMPL Dataset::~Dataset() = default;

SIGMA_IMPL const std::string& Dataset::name() const& { return storage_->name; }
SIGMA_IMPL const std::vector<std::string>& Dataset::classes() const& { return storage_->classes; }
SIGMA_IMPL const data::Preprocessing& Dataset::preprocessing() const& { return storage_->preprocessing; }
SIGMA_IMPL data::Missing Dataset::missing() const { return storage_->missing; }
SIGMA_IMPL std::size_t Dataset::input_count() const { return storage_->inputs.size(); }
SIGMA_IMPL std::size_t Dataset::target_count() const { return storage_->targets.size(); }
SIGMA_IMPL const std::string& Dataset::input_name(std::size_t which) const& { return input_section(which).name; }
SIGMA_IMPL const std::string& Dataset::target_name(std::size_t which) const& { return target_section(which).name; }
SIGMA_IMPL std::span<const std::size_t> Dataset::input_shape(std::size_t which) const& {
    return input_section(which).shape;
}
SIGMA_IMPL std::span<const std::size_t> Dataset::target_shape(std::size_t which) const& {
    return target_section(which).shape;
}
SIGMA_IMPL std::size_t Dataset::input_size(std::size_t which) const { return input_section(which).record_size; }
SIGMA_IMPL std::size_t Dataset::target_size(std::size_t which) const { return target_section(which).record_size; }
SIGMA_IMPL bool Dataset::has_labels(std::size_t which) const { return target_section(which).shape.empty(); }
SIGMA_IMPL const detail::SharedOwner<data::ActiveBlocks>& Dataset::blocks() const& { return storage_->blocks; }
SIGMA_IMPL std::size_t Dataset::record_number(std::size_t position) const { return number_of(checked(position)); }
SIGMA_IMPL std::size_t Dataset::active_blocks() const { return in_memory() ? 1 : blocks()->most(); }

SIGMA_IMPL std::vector<std::size_t> Dataset::in_order_of_blocks() const {
    std::vector<std::size_t> sorted;
    if (!in_memory() && !chosen_.empty() && !std::ranges::is_sorted(chosen_)) {
        sorted.resize(size());
        std::iota(sorted.begin(), sorted.end(), std::size_t{0});
        std::ranges::sort(sorted, {}, [&](std::size_t position) { return chosen_[position]; });
    }
    return sorted;
}

SIGMA_IMPL detail::Record Dataset::input(std::size_t record, std::size_t which) const& {
    return at(input_section(which), checked(record));
}

SIGMA_IMPL detail::Record Dataset::target(std::size_t record, std::size_t which) const& {
    return at(target_section(which), checked(record));
}

SIGMA_IMPL std::size_t Dataset::label(std::size_t record, std::size_t which) const {
    double number = 0;
    copy_targets(std::array{record}, &number, 1, which);
    return static_cast<std::size_t>(number);
}

SIGMA_IMPL std::size_t Dataset::block_of(std::size_t position) const {
    return in_memory() ? 0 : record_number(position) / storage_->block_records;
}

SIGMA_IMPL std::size_t Dataset::checked(std::size_t position) const {
    if (position >= size_) refuse("record", size_, position);
    return position;
}

SIGMA_IMPL const Dataset::Section& Dataset::input_section(std::size_t which) const {
    if (which >= input_count()) refuse("input", input_count(), which);
    return storage_->inputs[which];
}

SIGMA_IMPL const Dataset::Section& Dataset::target_section(std::size_t which) const {
    if (which >= target_count()) refuse("target", target_count(), which);
    return storage_->targets[which];
}

SIGMA_IMPL std::size_t Dataset::number_of(std::size_t position) const {
    return chosen_.empty() ? first_ + position : chosen_[position];
}

SIGMA_IMPL detail::Record Dataset::at(const Section& section, std::size_t position) const {
    const std::size_t number = number_of(position);
    if (!section.bytes.empty()) {
        std::vector<float> numbers(section.record_size);
        section.bytes.copy(number * section.record_size, section.record_size, numbers.data());
        return detail::Record(detail::SharedOwner<const std::vector<float>>::make(std::move(numbers)));
    }
    data::BlockHold block;
    if (!in_memory()) block = storage_->blocks->get(number / storage_->block_records);
    const NumberList& values = in_memory() ? section.values : block->values[section.index];
    const std::size_t first = (in_memory() ? number : number % storage_->block_records) * section.record_size;
    if (values.of_double()) {
        std::vector<float> nearest(section.record_size);
        values.copy(first, section.record_size, nearest.data());
        return detail::Record(detail::SharedOwner<const std::vector<float>>::make(std::move(nearest)));
    }
    return detail::Record({values.floats().data() + first, section.record_size}, std::move(block));
}

SIGMA_IMPL std::string detail::labels_wanted(const detail::LabelRange& range) {
    std::string all = sentence("a label from ", range.first, " to ", range.end - 1);
    if (range.ignore.given) all += sentence(", or ", range.ignore.value);
    return all;
}

namespace detail {

SIGMA_IMPL void check_has_labels(const Dataset& dataset, std::size_t which) {
    if (!dataset.has_labels(which))
        throw DataError::in_dataset(
            dataset.name(), "", "one class index for each record",
            sentence("targets of shape ", shape_text(dataset.target_shape(which)), " each",
                     dataset.target_size(which) == 1 ? " (of a table: targets = labels(column))" : ""));
}

SIGMA_IMPL void check_labels(const Dataset& dataset, const LabelRange& range, std::size_t which, std::size_t others) {
    std::vector<double> labels(dataset.target_size(which));
    dataset.for_each_position([&](std::size_t record) {
        dataset.copy_targets(std::array{record}, labels.data(), labels.size(), which);
        for (std::size_t i = 0; i + others < labels.size(); ++i) {
            if (range.contains(labels[i])) continue;
            std::string place = sentence("record ", record);
            if (!dataset.has_labels(which)) place += sentence(", position ", i);
            const auto near = static_cast<float>(labels[i]);
            throw DataError::in_dataset(dataset.name(), place, detail::labels_wanted(range),
                                        static_cast<double>(near) == labels[i] ? sentence(near) : sentence(labels[i]));
        }
    });
}

SIGMA_IMPL void check_labels(const Dataset& dataset, std::size_t count, std::size_t which) {
    check_has_labels(dataset, which);
    check_labels(dataset, LabelRange{0, static_cast<int>(count)}, which);
}

/// Doubles beyond the largest float are refused as floats.
template <class From, class T>
void copy_record(const From* record, std::size_t size, T* to, const Dataset& dataset, std::size_t position) {
    if constexpr (std::is_same_v<From, T>) {
        std::memcpy(to, record, size * sizeof(T));
    } else {
        std::transform(record, record + size, to, [](From x) { return static_cast<T>(x); });
        if constexpr (std::is_same_v<T, float>) check_narrowed({record, size}, dataset.name(), position);
    }
}

}  // namespace detail

template <class T>
void Dataset::copy_section(const Section& section, std::span<const std::size_t> positions, T* to,
                           std::size_t stride) const {
    std::size_t last = 0;
    for (const std::size_t position : positions) last = std::max(last, position);
    if (!positions.empty()) checked(last);
    if (!section.bytes.empty()) {
        for (const std::size_t position : positions)
            section.bytes.copy(number_of(position) * section.record_size, section.record_size,
                               std::exchange(to, to + stride));
        return;
    }
    if (in_memory()) {
        section.values.visit([&](const auto& values) {
            for (const std::size_t position : positions)
                detail::copy_record(values.data() + number_of(position) * section.record_size, section.record_size,
                                    std::exchange(to, to + stride), *this, position);
        });
        return;
    }
    data::BlockHold block;
    std::size_t held = 0;
    for (const std::size_t position : positions) {
        const std::size_t number = number_of(position), wanted = number / storage_->block_records;
        if (!block || wanted != held) {
            block = {};  // so that the next one may take its place
            block = storage_->blocks->get(held = wanted);
        }
        block->values[section.index].visit([&](const auto& values) {
            detail::copy_record(values.data() + number % storage_->block_records * section.record_size,
                                section.record_size, std::exchange(to, to + stride), *this, position);
        });
    }
}
template <class T>
void Dataset::copy_inputs(std::span<const std::size_t> positions, T* to, std::size_t stride, std::size_t which) const {
    copy_section(input_section(which), positions, to, stride);
}
template <class T>
void Dataset::copy_targets(std::span<const std::size_t> positions, T* to, std::size_t stride, std::size_t which) const {
    copy_section(target_section(which), positions, to, stride);
}

template <class T>
Array<T> Dataset::gather(const Section& from) const {
    std::vector<std::size_t> shape{size()};
    shape.insert(shape.end(), from.shape.begin(), from.shape.end());
    Array<T> all = Array<T>::from_shape(std::move(shape));
    for_each_position([&](std::size_t position) {
        copy_section(from, std::array{position}, all.data() + position * from.record_size, from.record_size);
    });
    return all;
}
template <class T>
Array<T> Dataset::inputs(std::size_t which) const {
    return gather<T>(input_section(which));
}
template <class T>
Array<T> Dataset::targets(std::size_t which) const {
    return gather<T>(target_section(which));
}

#ifdef SIGMA_COMPILED
template Array<float> Dataset::inputs(std::size_t) const;
template Array<double> Dataset::inputs(std::size_t) const;
template Array<float> Dataset::targets(std::size_t) const;
template Array<double> Dataset::targets(std::size_t) const;
template void Dataset::copy_inputs(std::span<const std::size_t>, float*, std::size_t, std::size_t) const;
template void Dataset::copy_inputs(std::span<const std::size_t>, double*, std::size_t, std::size_t) const;
template void Dataset::copy_targets(std::span<const std::size_t>, float*, std::size_t, std::size_t) const;
template void Dataset::copy_targets(std::span<const std::size_t>, double*, std::size_t, std::size_t) const;
#endif

}  // namespace sigma
