// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/classes.hpp>
#include <sigma/data/dataset.hpp>

#include <cstddef>
#include <span>
#include <string>

namespace sigma::detail {

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
[[noreturn]] void throw_fault(const std::string& data, std::size_t record, const TargetCheck& check, std::size_t size,
                              const TargetCheck::Fault& fault);
/// Throws DataError where targets of this section break the rule of a loss, but for the last `others` numbers of each
/// record. Reads each block once, as check_labels does.
[[gnu::cold]] void check_targets(const Dataset& data, const TargetRule& rule, std::size_t row, std::size_t which,
                                 std::size_t others = 0);

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/execution/impl/check_targets.ipp>
#endif
