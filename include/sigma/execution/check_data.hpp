// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/classes.hpp>
#include <sigma/data/dataset.hpp>
#include <sigma/network/network.hpp>
#include <sigma/network/table.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sigma {
struct Minibatches;
}

namespace sigma::detail {

/// Returns the description of a valid id. `is_id` returns whether a number is one.
std::string ids_wanted(int rows, std::string_view layer);
bool is_id(double number, int rows);
/// Throws DataError if a number of this input is no row of the table of the embedding `layer`. Does not read records in
/// blocks: an invalid id among them is found in the step.
[[gnu::cold]] void check_ids(const Dataset& data, std::size_t which, int rows, std::string_view layer);

/// The check of a record's targets by the rule of a loss. `row` targets are a row.
class TargetCheck {
public:
    /// The first invalid target, and what it is; `count` is 0 if the record is valid.
    struct Fault {
        std::size_t first = 0, count = 0;
        std::string expected{}, found{};
    };

    TargetCheck(const TargetRule& rule, std::size_t row);

    Fault operator()(std::span<const float> record) const;
    std::size_t row() const { return row_; }

private:
    TargetRule rule_;
    std::size_t row_;
    float ignored_;

    bool ignores(float y) const { return rule_.ignore.exists && y == ignored_; }

    template <class Allowed>
    Fault alone(std::span<const float> record, const char* expected, const Allowed& allowed) const {
        unsigned bad = 0;
        for (const float y : record) bad |= allowed(y) || ignores(y) ? 0u : 1u;  // no early exit, for vectorization
        if (bad == 0) return {};
        std::size_t at = 0;
        while (allowed(record[at]) || ignores(record[at])) ++at;
        std::string range = expected;
        if (rule_.ignore.exists) range += sentence(", or ", rule_.ignore.value);
        return {at, 1, std::move(range), sentence(record[at])};
    }
    template <class OfRow>
    Fault by_rows(std::span<const float> record, const OfRow& of_row) const {
        for (std::size_t first = 0; first < record.size(); first += row_)
            if (Fault one = of_row(record.subspan(first, row_)); one.count > 0) {
                one.first += first;
                return one;
            }
        return {};
    }
    Fault distribution(std::span<const float> row) const;
    Fault spelling(std::span<const float> row) const;
};

/// Throws the DataError of an invalid record of `size` targets.
[[noreturn]] void throw_fault(const std::string& data, std::size_t record, const TargetCheck& examine, std::size_t size,
                              const TargetCheck::Fault& fault);
/// Throws DataError if targets of this section break the rule of a loss, except the last `others` numbers of each
/// record. Reads each block once, as check_labels does.
[[gnu::cold]] void check_targets(const Dataset& data, const TargetRule& rule, std::size_t row, std::size_t which,
                                 std::size_t others = 0);

/// Returns the array of a data set for each input of a network, then for each of its targets: by name if possible, then
/// in order. Throws DataError or ShapeError if the data do not fit the network: shapes, missing arrays, ids of an
/// Embedding or labels out of range, targets that are invalid for the losses.
[[gnu::cold]] std::vector<std::size_t> check_data(const NetworkTable& network, const Dataset& data);
/// Throws ArgumentError if minibatches mix numbers that have no mean: class numbers, signs, ids of an Embedding, and
/// targets that a loss may ignore.
[[gnu::cold]] void check_mixing(const NetworkTable& network, const Minibatches& batches);
/// Returns the array of each input and target, if there are as many.
[[gnu::cold]] std::vector<std::size_t> arrays_of(const NetworkTable& network, const Dataset& data);
/// Checks the numbers in the dense rows of a batch in the same way. Throws a DataError of dataset 'batch'. Inputs and
/// targets must be finite.
template <class T>
void check_numbers_of_batch(const NetworkTable& network, std::span<const T* const> inputs,
                            std::span<const T* const> targets, std::ptrdiff_t count);
/// Checks the inputs of a batch. `check_upstream_of_batch` checks gradients of predictions.
template <class T>
void check_inputs_of_batch(const NetworkTable& network, std::span<const T* const> inputs, std::ptrdiff_t count);
template <class T>
void check_upstream_of_batch(const NetworkTable& network, std::span<const T* const> upstream, std::ptrdiff_t count);

/// Returns warnings about valid but unlikely targets, one text each: class numbers that a loss uses as regression
/// targets, and targets that the last activation never reaches. Does not read records in blocks.
[[gnu::cold]] std::vector<std::string> doubtful_targets(const NetworkTable& network, const Dataset& data);

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/execution/impl/check_data.ipp>
#endif
