// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/array_count.hpp>
#include <sigma/core/config.hpp>
#include <sigma/core/number_text.hpp>
#include <sigma/data/dataset.hpp>
#include <sigma/data/dataset_storage.hpp>
#include <sigma/data/finite.hpp>
#include <sigma/storage/hash.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <type_traits>

namespace sigma {

namespace detail {

SIGMA_IMPL Record::Record(SharedOwner<const std::vector<float>> numbers)
    : std::span<const float>(*numbers), own_(std::move(numbers)) {}
SIGMA_IMPL Record Record::copy() const { return Record(SharedOwner<const std::vector<float>>::make(begin(), end())); }

}  // namespace detail

SIGMA_IMPL Dataset::Dataset(const Dataset&) = default;
SIGMA_IMPL Dataset::Dataset(Dataset&&) noexcept = default;
SIGMA_IMPL Dataset& Dataset::operator=(const Dataset&) = default;
SIGMA_IMPL Dataset& Dataset::operator=(Dataset&&) noexcept = default;
SIGMA_IMPL Dataset::~Dataset() = default;

SIGMA_IMPL const std::string& Dataset::name() const& { return storage_->name; }
SIGMA_IMPL const std::vector<std::string>& Dataset::classes() const& { return storage_->classes; }
SIGMA_IMPL std::vector<std::string> Dataset::classes() && { return classes(); }
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
SIGMA_IMPL std::vector<std::size_t> Dataset::input_shape(std::size_t which) && { return input_section(which).shape; }
SIGMA_IMPL std::vector<std::size_t> Dataset::target_shape(std::size_t which) && { return target_section(which).shape; }
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
    if (range.ignore.exists) all += sentence(", or ", range.ignore.value);
    return all;
}

namespace detail {

SIGMA_IMPL void check_has_labels(const Dataset& dataset, std::size_t which) {
    if (!dataset.has_labels(which))
        throw DataError::in_dataset(
            dataset.name(), "", "one class index for each record",
            sentence("targets of shape ", shape_text(dataset.target_shape(which)), " each",
                     dataset.target_size(which) == 1
                         ? " (of a table: targets = classes(column) of numbers, labels(column) of names)"
                         : ""));
}

SIGMA_IMPL void check_labels(const Dataset& dataset, const LabelRange& range, std::size_t which, std::size_t others) {
    std::vector<double> labels(dataset.target_size(which));
    dataset.for_each_position([&](std::size_t record) {
        dataset.copy_targets(std::array{record}, labels.data(), labels.size(), which);
        for (std::size_t i = 0; i + others < labels.size(); ++i) {
            if (range.contains(labels[i])) continue;
            std::string place = sentence("record ", record);
            if (!dataset.has_labels(which)) place += sentence(", position ", i);
            const auto nearby = static_cast<float>(labels[i]);
            throw DataError::in_dataset(
                dataset.name(), place, detail::labels_wanted(range),
                static_cast<double>(nearby) == labels[i] ? sentence(nearby) : sentence(labels[i]));
        }
    });
}

SIGMA_IMPL void check_labels(const Dataset& dataset, std::size_t count, std::size_t which) {
    check_has_labels(dataset, which);
    check_labels(dataset, LabelRange{0, static_cast<int>(count)}, which);
}

/// Copies a record. Throws for doubles beyond the largest float if they are copied as floats.
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
            block = {};  // so that the next block may take its memory
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

// Construction, and selection of records.

SIGMA_IMPL Dataset::Dataset(detail::SharedOwner<const Storage> storage, std::vector<data::Origin> origins)
    : storage_(std::move(storage)), origins_(std::move(origins)) {}

SIGMA_IMPL std::vector<data::Origin> Dataset::origins() && { return std::move(origins_); }
SIGMA_IMPL void Dataset::set_origins(std::vector<data::Origin> origins) { origins_ = std::move(origins); }

SIGMA_IMPL Dataset::Dataset(Numbers inputs, Numbers targets, std::string name, std::vector<std::string> classes)
    : Dataset(std::vector<NamedNumbers>{{"", std::move(inputs)}}, std::vector<NamedNumbers>{{"", std::move(targets)}},
              std::move(name), std::move(classes)) {}

SIGMA_IMPL Dataset::Dataset(std::vector<NamedNumbers> inputs, std::vector<NamedNumbers> targets, std::string name,
                            std::vector<std::string> classes, data::Preprocessing preprocessing, std::string key,
                            data::Missing missing_numbers) {
    if (inputs.empty() || targets.empty())
        throw DataError::in_dataset(name, "", "at least one input and one target",
                                    sentence(inputs.size(), " inputs and ", targets.size(), " targets"));
    // Returns "inputs of dataset 'iris'" or "input 'image' of dataset 'faces'".
    const auto called = [&](const char* kind, const std::string& own) {
        return own.empty() ? sentence(kind, "s of dataset '", name, "'")
                           : sentence(kind, " '", own, "' of dataset '", name, "'");
    };
    for (const NamedNumbers& n : inputs)
        if (n.numbers.rank() < 1)
            throw ShapeError(called("input", n.name), "shape (records, features...) or (records)",
                             detail::shape_text(n.numbers.shape));
    for (const NamedNumbers& n : targets)
        if (n.numbers.rank() < 1)
            throw ShapeError(called("target", n.name), "shape (records) or (records, outputs...)",
                             detail::shape_text(n.numbers.shape));
    const auto check_numbers = [&](const char* kind, const std::vector<NamedNumbers>& all) {
        for (const NamedNumbers& n : all) {
            if (!n.numbers.values.empty() && !n.numbers.doubles.empty())
                throw ShapeError(
                    called(kind, n.name), "numbers of float or of double",
                    sentence(n.numbers.values.size(), " of float and ", n.numbers.doubles.size(), " of double"));
            if (detail::array_count(n.numbers.shape) != n.numbers.size())
                detail::refuse_array_count(called(kind, n.name).c_str(), n.numbers.shape, n.numbers.size());
        }
    };
    check_numbers("input", inputs);
    check_numbers("target", targets);
    for (const NamedNumbers& x : inputs)
        for (const NamedNumbers& y : targets)
            if (x.numbers.size() == 0 || y.numbers.size() == 0)
                throw DataError::in_dataset(
                    name, "", "at least one record with one feature and one target",
                    sentence(x.numbers.shape[0] == 0 || y.numbers.shape[0] == 0 ? "no records: " : "", "inputs ",
                             detail::shape_text(x.numbers.shape), " and targets ",
                             detail::shape_text(y.numbers.shape)));
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

    Storage storage{{}, {}, std::move(name), std::move(classes), std::move(preprocessing), std::move(key), nullptr};
    storage.missing = missing_numbers;
    const auto store = [&](std::vector<Section>& sections, std::vector<NamedNumbers>& from, const char* unnamed) {
        for (NamedNumbers& n : from) {
            const std::size_t record_size = n.numbers.size() / count;
            n.numbers.shape.erase(n.numbers.shape.begin());
            if (n.name.empty()) n.name = unnamed;
            data::SectionInfo section{std::move(n.name), std::move(n.numbers.shape), &from == &targets,
                                      std::move(n.columns)};
            NumberList values = std::move(n.numbers).list();
            const bool incomplete = detail::check_finite(values, storage.name, section, missing_numbers);
            if (section.name == unnamed) section.name.clear();
            const bool doubles = values.of_double();
            sections.push_back({std::move(section.name),
                                std::move(section.shape),
                                record_size,
                                std::move(values),
                                0,
                                std::move(section.columns),
                                incomplete,
                                {},
                                doubles});
        }
    };
    store(storage.inputs, inputs, "inputs");
    store(storage.targets, targets, "targets");
    storage_ = detail::SharedOwner<const Storage>::make(std::move(storage));
    size_ = count;
}

namespace detail {

/// Moves the inputs or the targets out of a block.
SIGMA_IMPL std::vector<NamedNumbers> named_numbers(data::Block& block, const std::vector<data::SectionInfo>& sections,
                                                   bool targets) {
    if (block.values.size() != sections.size())
        throw ArgumentError("block of records", sentence("numbers of ", sections.size(), " sections"),
                            sentence(block.values.size()));
    std::vector<NamedNumbers> chosen;
    for (std::size_t s = 0; s < sections.size(); ++s) {
        if (sections[s].target != targets) continue;
        Numbers numbers{{block.records}, {}};
        if (block.values[s].of_double()) numbers.doubles = std::move(block.values[s].doubles());
        else numbers.values = std::move(block.values[s].floats());
        numbers.shape.insert(numbers.shape.end(), sections[s].shape.begin(), sections[s].shape.end());
        chosen.push_back({sections[s].name, std::move(numbers), sections[s].columns});
    }
    return chosen;
}

}  // namespace detail

SIGMA_IMPL Dataset::Dataset(data::Block records, const std::vector<data::SectionInfo>& sections, std::string name,
                            std::vector<std::string> classes, data::Preprocessing preprocessing, std::string key,
                            data::Missing missing_numbers)
    : Dataset(detail::named_numbers(records, sections, false), detail::named_numbers(records, sections, true),
              std::move(name), std::move(classes), std::move(preprocessing), std::move(key), missing_numbers) {}

SIGMA_IMPL Dataset::Dataset(detail::SharedOwner<data::ActiveBlocks> blocks, std::vector<std::string> classes,
                            data::Preprocessing preprocessing) {
    Storage storage{{}, {}, blocks->name(), std::move(classes), std::move(preprocessing), {}, blocks};
    const auto& all = blocks->blocks()->sections();
    for (std::size_t s = 0; s < all.size(); ++s) {
        const bool unnamed = all[s].name == (all[s].target ? "targets" : "inputs");
        (all[s].target ? storage.targets : storage.inputs)
            .push_back({unnamed ? std::string() : all[s].name,
                        all[s].shape,
                        all[s].size(),
                        {},
                        s,
                        all[s].columns,
                        false,
                        {},
                        all[s].doubles});
    }
    if (storage.inputs.empty() || storage.targets.empty())
        throw DataError::in_dataset(
            storage.name, "", "at least one input and one target",
            sentence(storage.inputs.size(), " inputs and ", storage.targets.size(), " targets"));
    size_ = blocks->blocks()->records();
    storage.block_records = blocks->blocks()->block_records();
    storage.missing = blocks->missing();
    for (const data::SectionInfo& section : all)
        if (section.size() == 0 || size_ == 0)
            throw DataError::in_dataset(
                storage.name, "", "at least one record with one feature and one target",
                sentence(size_, " records of ", detail::shape_text(section.shape), " in '", section.name, "'"));
    storage_ = detail::SharedOwner<const Storage>::make(std::move(storage));
}

SIGMA_IMPL std::vector<data::SectionInfo> Dataset::sections() const {
    std::vector<data::SectionInfo> all;
    for (const Section& s : storage_->inputs)
        all.push_back({s.name.empty() ? "inputs" : s.name, s.shape, false, s.columns, s.doubles});
    for (const Section& s : storage_->targets)
        all.push_back({s.name.empty() ? "targets" : s.name, s.shape, true, s.columns, s.doubles});
    return all;
}

SIGMA_IMPL void Dataset::check_complete() const {
    if (missing() != data::Missing::held) return;
    const std::vector<Section>& given = storage_->inputs;
    if (in_memory() && std::ranges::none_of(given, &Section::incomplete)) return;
    data::BlockHold block;
    std::size_t held = static_cast<std::size_t>(-1);
    bool complete = false;
    for_each_position([&](std::size_t position) {
        if (!in_memory() && block_of(position) != held) {
            held = block_of(position);
            block = {};  // so that the next block may take its memory
            if (!blocks()->complete(held)) block = blocks()->get(held);
            complete = blocks()->complete(held);
        }
        if (complete) return;
        for (std::size_t i = 0; i < given.size(); ++i) {
            const detail::Record record = at(given[i], position);
            const std::size_t found = detail::find_missing(record);
            if (found < record.size())
                throw detail::not_finite(name(), sections()[i], position, found, record[found],
                                         "impute it before training");
        }
    });
}

SIGMA_IMPL Dataset Dataset::compact() const {
    if (!in_memory()) return *this;
    const Storage& all = *storage_;
    Storage smaller{{}, {}, all.name, all.classes, all.preprocessing, all.key, nullptr};
    smaller.missing = all.missing;
    const auto fill = [](std::vector<Section>& to, const std::vector<Section>& from) {
        for (const Section& s : from) {
            Section next{s.name, s.shape, s.record_size, {}, s.index, s.columns, s.incomplete, s.bytes};
            std::vector<float> exact;
            if (s.doubles) exact = detail::exact_floats(s.values.doubles());
            const std::vector<float>& floats = s.doubles ? exact : s.values.floats();
            if (next.bytes.empty() && s.record_size >= 16 && !s.incomplete) next.bytes = detail::ByteNumbers(floats);
            if (next.bytes.empty()) {
                if (exact.empty()) next.values = s.values;
                else next.values = std::move(exact);
            }
            next.doubles = next.values.of_double();
            to.push_back(std::move(next));
        }
    };
    fill(smaller.inputs, all.inputs);
    fill(smaller.targets, all.targets);
    Dataset compact(*this);
    compact.storage_ = detail::SharedOwner<const Storage>::make(std::move(smaller));
    return compact;
}

SIGMA_IMPL Dataset Dataset::with_targets(std::vector<NamedNumbers> targets) const {
    if (!in_memory())
        throw ArgumentError(sentence("other targets of dataset '", name(), "'"), "a dataset in memory",
                            "a dataset in blocks");
    Dataset other({{"", Numbers{{size()}, std::vector<float>(size())}}}, std::move(targets), name(), classes(),
                  preprocessing(), {}, missing());
    Storage storage = *other.storage_;
    std::vector<std::size_t> numbers(size());
    for (std::size_t i = 0; i < size(); ++i) numbers[i] = number_of(i);
    storage.inputs.clear();
    for (const Section& s : storage_->inputs) {
        Section next{s.name, s.shape, s.record_size, {}, 0, s.columns, s.incomplete, {}, s.doubles};
        if (!s.bytes.empty()) next.bytes = s.bytes.select(numbers, s.record_size);
        next.values.append(s.values, 0, 0);  // only the type
        next.values.reserve(s.bytes.empty() ? size() * s.record_size : 0);
        for (std::size_t i = 0; i < size() && s.bytes.empty(); ++i)
            next.values.append(s.values, numbers[i] * s.record_size, s.record_size);
        storage.inputs.push_back(std::move(next));
    }
    other.storage_ = detail::SharedOwner<const Storage>::make(std::move(storage));
    other.origins_ = origins_;
    return other;
}

SIGMA_IMPL std::string Dataset::key() const {
    const auto checksum = [](const Section& s) {
        if (s.bytes.empty()) return storage::checksum(s.values.bytes());
        std::vector<float> all(s.bytes.size());
        s.bytes.copy(0, all.size(), all.data());
        return storage::checksum(std::as_bytes(std::span(all)));
    };
    std::string text = in_memory() ? storage_->key : blocks()->blocks()->key();
    if (text.empty()) {
        text = storage_->name;
        for (const std::vector<Section>* sections : {&storage_->inputs, &storage_->targets})
            for (const Section& s : *sections)
                text += sentence(";", s.name, detail::shape_text(s.shape), sigma::detail::hexadecimal(checksum(s)));
    }
    if (!chosen_.empty())
        text += sentence(";records ", sigma::detail::hexadecimal(storage::checksum(std::as_bytes(std::span(chosen_)))));
    else text += sentence(";records ", first_, "+", size_);
    return text;
}

SIGMA_IMPL void Dataset::refuse(const char* what, std::size_t count, std::size_t found) const {
    const std::string where = sentence("dataset '", name(), "'");
    if (count == 0) throw ArgumentError(where, sentence("at least one ", what), "none");
    throw ArgumentError(where, sentence(*what == 'i' ? "an " : "a ", what, " from 0 to ", count - 1), sentence(found));
}

SIGMA_IMPL Dataset Dataset::select(std::span<const std::size_t> positions) const {
    Dataset chosen(storage_, origins_);
    chosen.size_ = positions.size();
    bool consecutive = !positions.empty();
    for (std::size_t i = 0; i < positions.size(); ++i) {
        if (positions[i] >= size())
            throw ArgumentError(sentence("records of dataset '", name(), "'"), sentence("positions below ", size()),
                                sentence(positions[i]));
        consecutive = consecutive && record_number(positions[i]) == record_number(positions[0]) + i;
    }
    if (consecutive) {
        chosen.first_ = record_number(positions[0]);
    } else {
        chosen.chosen_.reserve(positions.size());
        for (const std::size_t position : positions) chosen.chosen_.push_back(record_number(position));
    }
    return chosen;
}

SIGMA_IMPL Dataset Dataset::range(std::size_t first, std::size_t count) const {
    if (first > size() || count > size() - first)
        throw ArgumentError(sentence("records of dataset '", name(), "'"), sentence("a range within its ", size()),
                            sentence(count, " from record ", first));
    Dataset chosen(storage_, origins_);
    chosen.size_ = count;
    chosen.first_ = first_ + first;
    if (!chosen_.empty())
        chosen.chosen_.assign(chosen_.begin() + static_cast<std::ptrdiff_t>(first),
                              chosen_.begin() + static_cast<std::ptrdiff_t>(first + count));
    return chosen;
}

SIGMA_IMPL Dataset Dataset::everything() const {
    Dataset all(storage_, origins_);
    all.size_ = in_memory() ? storage_->inputs[0].records() : blocks()->blocks()->records();
    return all;
}

SIGMA_IMPL Dataset Dataset::over(detail::SharedOwner<data::ActiveBlocks> blocks,
                                 data::Preprocessing preprocessing) const {
    Dataset other(std::move(blocks), classes(), std::move(preprocessing));
    const std::size_t records = everything().size();
    if (other.size() != records || other.input_count() != input_count() || other.target_count() != target_count())
        throw ArgumentError(sentence("blocks under dataset '", name(), "'"),
                            sentence(records, " records with the same sections"), sentence(other.size()));
    other.first_ = first_;
    other.size_ = size_;
    other.origins_ = origins_;
    other.chosen_ = chosen_;
    return other;
}

}  // namespace sigma
