// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/philox.hpp>
#include <sigma/data/blocks/active.hpp>
#include <sigma/data/classes.hpp>
#include <sigma/data/split.hpp>
#include <sigma/data/transform/fitted.hpp>

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <string>

namespace sigma::data {

/// The records of datasets with the same sections, one dataset after the other, in blocks.
class DatasetBlocks final : public Blocks {
public:
    DatasetBlocks(std::vector<Dataset> datasets, std::size_t block_records)
        : datasets_(std::move(datasets)), sections_(datasets_.at(0).sections()),
          block_records_(std::max<std::size_t>(block_records, 1)) {
        for (const Dataset& d : datasets_) {
            records_ += d.size();
            const std::vector<SectionInfo> its = d.sections();
            for (std::size_t s = 0; s < its.size(); ++s) sections_[s].doubles |= its[s].doubles;
        }
    }

    const std::vector<SectionInfo>& sections() const override { return sections_; }
    std::size_t records() const override { return records_; }
    std::size_t block_records() const override { return block_records_; }
    std::string key() const override {
        std::string all = "concatenate(";
        for (const Dataset& d : datasets_) all += d.key() + ";";
        return sentence(all, "); blocks of ", block_records_);
    }
    void load(std::size_t number, Block& to) const override {
        std::size_t first = number * block_records_, row = 0;
        to.records = std::min(block_records_, records_ - first);
        to.values.resize(sections_.size());
        for (std::size_t s = 0; s < sections_.size(); ++s) {
            if (sections_[s].doubles) to.values[s].doubles();
            else to.values[s].floats();
            to.values[s].resize(to.records * sections_[s].size());
        }
        std::vector<std::size_t> positions;
        for (const Dataset& d : datasets_) {
            const std::size_t count = first < d.size() ? std::min(d.size() - first, to.records - row) : 0;
            positions.resize(count);
            std::iota(positions.begin(), positions.end(), first);
            for (std::size_t s = 0; s < sections_.size(); ++s) {
                const std::size_t size = sections_[s].size();
                to.values[s].visit([&](auto& values) {
                    auto* const at = values.data() + row * size;
                    if (sections_[s].target) d.copy_targets(positions, at, size, s - d.input_count());
                    else d.copy_inputs(positions, at, size, s);
                });
            }
            first -= std::min(first, d.size());
            row += count;
        }
    }

private:
    std::vector<Dataset> datasets_;
    std::vector<SectionInfo> sections_;
    std::size_t block_records_, records_ = 0;
};

}  // namespace sigma::data

namespace sigma::detail {

SIGMA_IMPL std::size_t target_of_classes(const Dataset& dataset) {
    const std::vector<std::string> columns = dataset.sections()[dataset.input_count()].columns;
    if (columns.size() != 2 || columns[0] != weighted_class[0] || columns[1] != weighted_class[1])
        check_has_labels(dataset);
    return 0;
}

/// Returns positions by the class of their records, the lowest label first.
SIGMA_IMPL std::vector<std::vector<std::size_t>> positions_by_class(const Dataset& dataset, std::size_t which) {
    std::vector<float> labels(dataset.size());
    dataset.for_each_position([&](std::size_t position) { labels[position] = dataset.target(position, which)[0]; });
    std::map<float, std::vector<std::size_t>> classes;
    for (std::size_t position = 0; position < labels.size(); ++position) classes[labels[position]].push_back(position);
    std::vector<std::vector<std::size_t>> all;
    for (auto& [label, positions] : classes) all.push_back(std::move(positions));
    return all;
}

/// Returns the part of each record if blocks are dealt out to the parts in `round`, again and again.
SIGMA_IMPL std::vector<std::size_t> parts_of_blocks(const Dataset& dataset, const std::vector<std::size_t>& round) {
    std::map<std::size_t, std::size_t> blocks;  // blocks of these records, and their parts
    for (std::size_t position = 0; position < dataset.size(); ++position) blocks[dataset.block_of(position)];
    std::size_t turn = 0;
    for (auto& [number, to] : blocks) to = round[turn++ % round.size()];
    std::vector<std::size_t> parts(dataset.size());
    for (std::size_t position = 0; position < dataset.size(); ++position)
        parts[position] = blocks[dataset.block_of(position)];
    return parts;
}

SIGMA_IMPL std::vector<std::size_t> share_ends(const std::vector<double>& shares, std::size_t size) {
    constexpr double rounding = 1e-6;  // 0.9f + 0.1f is 1.00000002
    std::vector<std::size_t> ends(shares.size());
    double sum = 0;
    for (std::size_t i = 0; i < shares.size(); ++i) {
        sum += shares[i];
        if (!(shares[i] > 0) || !(sum <= 1 + rounding)) {
            std::string found;
            for (const double share : shares) found += sentence(found.empty() ? "" : ", ", share);
            throw ArgumentError("split", "shares above 0 that sum to at most 1", found);
        }
        ends[i] = sum > 1 - rounding ? size : static_cast<std::size_t>(sum * static_cast<double>(size) + 0.5);
    }
    return ends;
}

SIGMA_IMPL void check_share(const Dataset& dataset, std::size_t part, bool empty) {
    if (empty)
        throw ArgumentError(sentence("split of dataset '", dataset.name(), "'"),
                            sentence("at least one of its ", dataset.size(), " records in each share"),
                            sentence("no record in share ", part + 1));
}

/// Returns the selected positions of each part. Throws ArgumentError if a part has none.
SIGMA_IMPL std::vector<Dataset> select_each(const Dataset& dataset,
                                            const std::vector<std::vector<std::size_t>>& parts) {
    for (std::size_t part = 0; part < parts.size(); ++part) check_share(dataset, part, parts[part].empty());
    std::vector<Dataset> all;
    for (const auto& positions : parts) all.push_back(dataset.select(positions));
    return all;
}

SIGMA_IMPL Dataset take_of(const Dataset& dataset, std::size_t first, std::size_t count) {
    if (first > dataset.size() || count > dataset.size() - first || count == 0)
        throw ArgumentError(sentence("take from dataset '", dataset.name(), "'"),
                            sentence("one or more records within its ", dataset.size()),
                            sentence(count, " from record ", first));
    return dataset.range(first, count);
}

SIGMA_IMPL Dataset shuffled_of(const Dataset& dataset, std::uint64_t seed) {
    std::vector<std::size_t> positions(dataset.size());
    std::iota(positions.begin(), positions.end(), std::size_t{0});
    shuffle(std::span(positions), Philox(seed, RandomUse::split, 0));
    return dataset.select(positions);
}

SIGMA_IMPL std::vector<Dataset> split_of(const Dataset& dataset, const std::vector<double>& shares) {
    const auto ends = share_ends(shares, dataset.size());
    const auto first = [&](std::size_t part) { return part == 0 ? 0 : ends[part - 1]; };
    for (std::size_t part = 0; part < ends.size(); ++part) check_share(dataset, part, ends[part] == first(part));
    std::vector<Dataset> all;
    for (std::size_t part = 0; part < ends.size(); ++part)
        all.push_back(dataset.range(first(part), ends[part] - first(part)));
    return all;
}

SIGMA_IMPL std::vector<Dataset> stratified_split_of(const Dataset& dataset, const std::vector<double>& shares,
                                                    std::size_t which) {
    const std::size_t n = shares.size(), all = dataset.size();
    std::vector<std::size_t> sizes = share_ends(shares, all);
    sizes.push_back(all);  // records in no part count as another part
    std::adjacent_difference(sizes.begin(), sizes.end(), sizes.begin());
    std::vector<std::size_t> part_of(all, n);
    std::vector<std::ptrdiff_t> owed(n + 1);  // debt to each part, as numerators over `all`, without rounding
    for (const auto& positions : positions_by_class(dataset, which)) {
        std::vector<std::size_t> counts(n + 1), rests(n + 1);
        std::size_t left = positions.size();
        for (std::size_t part = 0; part <= n; ++part) {
            const std::size_t share = sizes[part] * positions.size();
            counts[part] = share / all, rests[part] = share % all;
            owed[part] += static_cast<std::ptrdiff_t>(rests[part]);
            left -= counts[part];
        }
        // Deals out at most one more record to each part, first to those with the largest debt. Debts are carried over
        // from class to class, so that the sizes of the parts come out right.
        for (; left > 0; --left) {
            std::size_t to = 0;
            for (std::size_t part = 1; part <= n; ++part)
                if (rests[part] > 0 && (rests[to] == 0 || owed[part] > owed[to])) to = part;
            ++counts[to];
            owed[to] -= static_cast<std::ptrdiff_t>(all);
            rests[to] = 0;
        }
        for (std::size_t part = 0, i = 0; part < n; ++part)
            for (; counts[part] > 0; --counts[part]) part_of[positions[i++]] = part;
    }
    std::vector<std::vector<std::size_t>> parts(n);
    for (std::size_t position = 0; position < all; ++position)
        if (part_of[position] < n) parts[part_of[position]].push_back(position);
    return select_each(dataset, parts);
}

SIGMA_IMPL std::vector<Dataset> split_blocks_of(const Dataset& dataset, const std::vector<long long>& counts) {
    std::vector<std::size_t> round;  // the part of each block of a round
    std::size_t part = 0;
    for (const long long count : counts) {
        if (count < 1) throw ArgumentError("split_blocks", "at least one block for each part", sentence(count));
        round.insert(round.end(), static_cast<std::size_t>(count), part++);
    }
    const std::vector<std::size_t> part_of = parts_of_blocks(dataset, round);
    std::vector<std::vector<std::size_t>> parts(counts.size());
    for (std::size_t position = 0; position < dataset.size(); ++position) parts[part_of[position]].push_back(position);
    return select_each(dataset, parts);
}

SIGMA_IMPL std::vector<Dataset> split_groups_of(const Dataset& dataset, std::size_t groups,
                                                const AnyFunction<bool(std::size_t, std::size_t)>& before,
                                                const std::vector<double>& shares) {
    if (groups != dataset.size())
        throw ArgumentError(sentence("groups of dataset '", dataset.name(), "'"),
                            sentence("one for each of its ", dataset.size(), " records"), sentence(groups));
    std::vector<std::size_t> sorted(dataset.size());
    std::iota(sorted.begin(), sorted.end(), std::size_t{0});
    std::ranges::sort(sorted, [&](std::size_t a, std::size_t b) { return before(a, b) || (!before(b, a) && a < b); });
    std::vector<std::vector<std::size_t>> members;
    for (std::size_t i = 0; i < sorted.size(); ++i) {
        if (i == 0 || before(sorted[i - 1], sorted[i])) members.emplace_back();
        members.back().push_back(sorted[i]);
    }
    std::sort(members.begin(), members.end());  // ordered by their first records
    const auto ends = share_ends(shares, dataset.size());
    std::vector<std::vector<std::size_t>> parts(shares.size());
    std::size_t done = 0, part = 0;
    for (const auto& positions : members) {
        while (part < parts.size() && done + positions.size() / 2 >= ends[part])
            ++part;  // the middle of the group lies in the next share
        if (part == parts.size()) break;
        parts[part].insert(parts[part].end(), positions.begin(), positions.end());
        done += positions.size();
    }
    for (auto& positions : parts) std::ranges::sort(positions);
    return select_each(dataset, parts);
}

SIGMA_IMPL Dataset subset_of(const Dataset& dataset, std::span<const std::size_t> positions) {
    if (positions.empty())
        throw ArgumentError(sentence("subset of dataset '", dataset.name(), "'"), "at least one record", "none");
    return dataset.select(positions);
}

SIGMA_IMPL Dataset subset_in_order_of(const Dataset& dataset, std::vector<std::size_t> positions) {
    std::ranges::sort(positions);
    return subset_of(dataset, positions);
}

SIGMA_IMPL std::pair<std::size_t, std::size_t> check_fold(const Dataset& dataset, Integer k, Integer fold) {
    if (!k.within(2, dataset.size()))
        throw ArgumentError(sentence("folds of dataset '", dataset.name(), "'"),
                            sentence("from 2 to ", dataset.size(), " folds"), sentence(k.text()));
    if (!fold.within(0, k.value() - 1))
        throw ArgumentError(sentence("folds of dataset '", dataset.name(), "'"),
                            sentence("a fold from 0 to ", k.value() - 1), sentence(fold.text()));
    return {static_cast<std::size_t>(k.value()), static_cast<std::size_t>(fold.value())};
}

SIGMA_IMPL std::vector<Dataset> fold_parts(const Dataset& dataset, const std::vector<std::size_t>& held_out) {
    std::vector<std::vector<std::size_t>> parts(2);
    for (std::size_t position = 0, next = 0; position < dataset.size(); ++position) {
        const bool out = next < held_out.size() && held_out[next] == position;
        next += out;
        parts[out ? 1 : 0].push_back(position);
    }
    return select_each(dataset, parts);
}

SIGMA_IMPL std::vector<Dataset> k_fold_of(const Dataset& dataset, Integer k, Integer fold) {
    const auto [folds, number] = check_fold(dataset, k, fold);
    const std::size_t share = dataset.size() / folds, more = dataset.size() % folds;  // the first folds have one more
    std::vector<std::size_t> held_out(share + (number < more ? 1 : 0));
    std::iota(held_out.begin(), held_out.end(), number * share + std::min(number, more));
    return fold_parts(dataset, held_out);
}

SIGMA_IMPL std::vector<Dataset> stratified_k_fold_of(const Dataset& dataset, Integer k, Integer fold,
                                                     std::size_t which) {
    const auto [folds, number] = check_fold(dataset, k, fold);
    std::vector<std::size_t> held_out;
    std::size_t dealt = 0;  // continues from class to class, so that the folds have equal sizes, too
    for (const auto& positions : positions_by_class(dataset, which))
        for (const std::size_t position : positions)
            if (dealt++ % folds == number) held_out.push_back(position);
    std::ranges::sort(held_out);
    return fold_parts(dataset, held_out);
}

SIGMA_IMPL void check_alike(const Dataset& a, const Dataset& b) {
    const std::string where = sentence("concatenate of datasets '", a.name(), "' and '", b.name(), "'");
    const auto describe = [](const Dataset& d) {
        std::string text;
        for (const data::SectionInfo& s : d.sections())
            text += sentence(text.empty() ? "" : ", ", s.name, ' ', shape_text(s.shape));
        return text;
    };
    if (a.sections() != b.sections())
        throw ShapeError(where, sentence("the same sections, ", describe(a)), describe(b));
    if (a.classes().size() != b.classes().size() || !classes_agree(a.classes(), b.classes()))
        throw_other_classes<ArgumentError>(where, a.classes(), "in both (read them with labels(column, names))",
                                           b.classes());
    if (!data::detail::alike(a.preprocessing(), b.preprocessing()))
        throw ArgumentError(where, "equal preprocessing of both",
                            "different preprocessing: apply one fitted Preprocessing to both");
}

SIGMA_IMPL Dataset concatenated(const std::vector<Dataset>& all) {
    const Dataset& first = all.front();
    bool one_storage = true, in_memory = true;
    std::size_t block_records = 1, most = 1;
    data::Missing missing_numbers = data::Missing::never;
    for (const Dataset& d : all) {
        missing_numbers = std::max(missing_numbers, d.missing());
        check_alike(first, d);
        one_storage = one_storage && d.shares_storage(first);
        in_memory = in_memory && d.in_memory();
        if (!d.in_memory()) block_records = std::max(block_records, d.blocks()->blocks()->block_records());
        most = std::max(most, d.active_blocks());
    }
    if (one_storage) {
        std::vector<std::size_t> numbers;
        for (const Dataset& d : all)
            for (std::size_t position = 0; position < d.size(); ++position)
                numbers.push_back(d.record_number(position));
        return first.everything().select(numbers);
    }
    const auto blocks = [&](std::size_t records) { return std::make_shared<data::DatasetBlocks>(all, records); };
    const auto joined = [&] {
        if (!in_memory) {
            const data::BlockLimits limits{.blocks = most};
            return Dataset(
                std::make_shared<data::ActiveBlocks>(blocks(block_records), first.name(), limits, missing_numbers),
                first.classes(), first.preprocessing());
        }
        data::Block records;
        const auto source = blocks(static_cast<std::size_t>(-1));
        source->load(0, records);
        return Dataset(std::move(records), source->sections(), first.name(), first.classes(), first.preprocessing(), {},
                       missing_numbers);
    };
    Dataset result = joined();
    std::vector<data::Origin> origins;
    for (const Dataset& d : all)
        for (const data::Origin& origin : d.origins())
            if (std::ranges::find(origins, origin) == origins.end()) origins.push_back(origin);
    result.set_origins(std::move(origins));
    return result;
}

/// Copies the records at these positions, and cuts sequences to `width` positions.
SIGMA_IMPL Dataset cut_records(const Dataset& dataset, const std::vector<std::size_t>& positions, std::size_t width) {
    const std::size_t full = dataset.input_shape().front();
    std::vector<data::SectionInfo> sections = dataset.sections();
    data::Block block{positions.size(), {}};
    for (std::size_t s = 0; s < sections.size(); ++s) {
        data::SectionInfo& section = sections[s];
        const std::size_t size = section.size();
        const bool cut = !section.shape.empty() && section.shape.front() == full;
        NumberList list;
        if (section.doubles) list.doubles();
        list.resize(positions.size() * size);
        list.visit([&](auto& all) {
            if (section.target) dataset.copy_targets(positions, all.data(), size, s - dataset.input_count());
            else dataset.copy_inputs(positions, all.data(), size, s);
            if (!cut) return;
            section.shape.front() = width;
            section.columns.clear();
            const std::size_t kept = section.size();
            for (std::size_t r = 0; r < positions.size(); ++r)
                std::copy_n(all.begin() + static_cast<std::ptrdiff_t>(r * size), kept,
                            all.begin() + static_cast<std::ptrdiff_t>(r * kept));
            all.resize(positions.size() * kept);
        });
        block.values.push_back(std::move(list));
    }
    Dataset result(std::move(block), sections, sentence(dataset.name(), " up to ", width), dataset.classes(),
                   dataset.preprocessing(), {}, dataset.missing());
    result.set_origins(dataset.origins());
    return result;
}

}  // namespace sigma::detail

namespace sigma {

SIGMA_IMPL std::vector<Dataset> bucketed(const Dataset& dataset, std::span<const std::size_t> lengths,
                                         std::initializer_list<std::size_t> widths) {
    return bucketed(dataset, lengths, std::span<const std::size_t>(widths));
}

SIGMA_IMPL std::vector<Dataset> bucketed(const Dataset& dataset, std::span<const std::size_t> lengths,
                                         std::span<const std::size_t> widths) {
    const std::string where = sentence("buckets of dataset '", dataset.name(), "'");
    if (dataset.input_shape().empty())
        throw ShapeError(where, "sequences, records of shape (time, ...)", detail::shape_text(dataset.input_shape()));
    if (lengths.size() != dataset.size())
        throw ArgumentError(where, sentence(dataset.size(), " lengths, one for each record"), sentence(lengths.size()));
    if (widths.empty()) throw ArgumentError(where, "at least one width", "none");
    std::size_t before = 0;
    for (const std::size_t width : widths) {
        if (width <= before || width > dataset.input_shape().front())
            throw ArgumentError(
                where,
                sentence("widths that grow, from 1 to the ", dataset.input_shape().front(), " positions of a record"),
                sentence(width, " after ", before));
        before = width;
    }
    std::vector<std::vector<std::size_t>> positions(widths.size());
    for (std::size_t r = 0; r < lengths.size(); ++r) {
        const auto bucket = static_cast<std::size_t>(std::ranges::lower_bound(widths, lengths[r]) - widths.begin());
        if (bucket == widths.size())
            throw ArgumentError(sentence(where, ", record ", r), sentence("a length of at most ", widths.back()),
                                sentence(lengths[r]));
        positions[bucket].push_back(r);
    }
    std::vector<Dataset> buckets;
    for (std::size_t b = 0; b < widths.size(); ++b) {
        if (positions[b].empty())
            throw ArgumentError(
                where, sentence("records of lengths from ", b == 0 ? 0 : widths[b - 1] + 1, " to ", widths[b]), "none");
        buckets.push_back(detail::cut_records(dataset, positions[b], widths[b]));
    }
    return buckets;
}

}  // namespace sigma
