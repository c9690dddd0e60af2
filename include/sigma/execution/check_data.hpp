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

namespace sigma::detail {

/// What such a number is, and whether this one is.
std::string ids_wanted(int rows, std::string_view layer);
bool is_id(double number, int rows);
/// Throws DataError where a number of this input names no row of the table of the embedding `layer`. Records in blocks
/// are not read for this: what they hold shows in the step.
[[gnu::cold]] void check_ids(const Dataset& data, std::size_t which, int rows, std::string_view layer);

/// Looks for what a rule refuses among the targets of a record, `row` of which are a row.
class TargetCheck {
public:
    /// Where it is, by its first number, and what it is; the record is sound where `count` is 0.
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

    bool ignores(float y) const { return rule_.ignore.given && y == ignored_; }

    template <class Allowed>
    Fault alone(std::span<const float> record, const char* expected, const Allowed& allowed) const {
        unsigned bad = 0;
        for (const float y : record) bad |= allowed(y) || ignores(y) ? 0u : 1u;  // no early exit: vector code
        if (bad == 0) return {};
        std::size_t at = 0;
        while (allowed(record[at]) || ignores(record[at])) ++at;
        std::string range = expected;
        if (rule_.ignore.given) range += sentence(", or ", rule_.ignore.value);
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

/// Of a record of so many targets.
[[noreturn]] void throw_fault(const std::string& data, std::size_t record, const TargetCheck& examine, std::size_t size,
                              const TargetCheck::Fault& fault);
/// Throws DataError where targets of this section break the rule of a loss, but for the last `others` numbers of each
/// record. Reads each block once, as check_labels does.
[[gnu::cold]] void check_targets(const Dataset& data, const TargetRule& rule, std::size_t row, std::size_t which,
                                 std::size_t others = 0);

/// Which array of a dataset each input of a network is, then which each of its targets is: first by name, then what is
/// left, in order. Throws DataError or ShapeError where the data do not fit the network: shapes, something missing, ids
/// of an Embedding or labels out of their ranges, targets of which the losses make no sense.
[[gnu::cold]] std::vector<std::size_t> check_data(const NetworkTable& network, const Dataset& data);
/// Which array each is, where there are as many.
[[gnu::cold]] std::vector<std::size_t> arrays_of(const NetworkTable& network, const Dataset& data);
/// The same checks of numbers for the dense rows of a batch: a DataError of dataset 'batch'. As in a dataset, inputs
/// and targets are finite.
template <class T>
void check_numbers_of_batch(const NetworkTable& network, std::span<const T* const> inputs,
                            std::span<const T* const> targets, std::ptrdiff_t count);
/// The same for inputs, and for gradients in what the network predicts.
template <class T>
void check_inputs_of_batch(const NetworkTable& network, std::span<const T* const> inputs, std::ptrdiff_t count);
template <class T>
void check_upstream_of_batch(const NetworkTable& network, std::span<const T* const> upstream, std::ptrdiff_t count);

/// What is allowed and hardly ever meant, a sentence each: class numbers that a loss takes for amounts, and targets
/// that the last activation never reaches. Records in blocks are not read for this.
[[gnu::cold]] std::vector<std::string> doubtful_targets(const NetworkTable& network, const Dataset& data);

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/execution/impl/check_data.ipp>
#endif
