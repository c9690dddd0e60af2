// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/execution/check_targets.hpp>

#include <cmath>

namespace sigma::detail {

SIGMA_IMPL TargetCheck::TargetCheck(const TargetRule& rule, std::size_t row)
    : rule_(rule), row_(row), ignored_(static_cast<float>(rule.ignore.value)) {}

SIGMA_IMPL TargetCheck::Fault TargetCheck::operator()(std::span<const float> record) const {
    switch (rule_.kind) {
        case TargetRule::Kind::share:
            return alone(record, "a target from 0 to 1",
                         [](float y) { return y >= -TargetRule::rounding && y <= 1 + TargetRule::rounding; });
        case TargetRule::Kind::sign:
            return alone(record, "a target of -1, 0 or 1", [](float y) { return y == 0 || y == 1 || y == -1; });
        case TargetRule::Kind::distribution:
            if (Fault one = alone(record, "a target of 0 or more", [](float y) { return y >= -TargetRule::rounding; });
                one.count > 0)
                return one;
            return by_rows(record, [this](std::span<const float> row) { return distribution(row); });
        case TargetRule::Kind::spelling:
            return by_rows(record, [this](std::span<const float> row) { return spelling(row); });
    }
    return {};
}

SIGMA_IMPL TargetCheck::Fault TargetCheck::distribution(std::span<const float> row) const {
    double sum = 0;
    bool any = false;
    for (const float y : row) {
        if (ignores(y)) continue;
        sum += static_cast<double>(y);
        any = true;
    }
    if (!any || std::abs(sum - 1) <= TargetRule::sum_rounding) return {};
    return {0, row.size(), "targets of a row whose sum is 1", sentence("the sum ", sum)};
}

SIGMA_IMPL TargetCheck::Fault TargetCheck::spelling(std::span<const float> row) const {
    std::size_t count = 0, repeated = 0;
    while (count < row.size() && row[count] > 0) {
        if (count > 0 && row[count] == row[count - 1]) ++repeated;
        ++count;
    }
    for (std::size_t i = count; i < row.size(); ++i)
        if (row[i] > 0) return {i, 1, "0 or -1 behind the end of the labels", sentence(row[i])};
    const auto longest = static_cast<std::size_t>(rule_.longest);
    if (longest == 0 || count + repeated <= longest) return {};
    return {0, row.size(), sentence("labels that ", longest, " times can spell"),
            sentence(count, " labels with ", repeated, " repetitions")};
}

SIGMA_IMPL void throw_fault(const std::string& data, std::size_t record, const TargetCheck& check, std::size_t size,
                            const TargetCheck::Fault& fault) {
    std::string place = sentence("record ", record);
    if (fault.count == 1 && size > 1) place += sentence(", position ", fault.first);
    if (fault.count > 1 && size > check.row())
        place += sentence(", positions ", fault.first, " to ", fault.first + fault.count - 1);
    throw DataError::in_dataset(data, place, fault.expected, fault.found);
}

SIGMA_IMPL void check_targets(const Dataset& data, const TargetRule& rule, std::size_t row, std::size_t which,
                              std::size_t others) {
    const TargetCheck check(rule, row);
    data.for_each_position([&](std::size_t r) {
        const Record record = data.target(r, which);
        const TargetCheck::Fault fault = check(std::span(record.data(), record.size() - others));
        if (fault.count > 0) throw_fault(data.name(), r, check, record.size(), fault);
    });
}

}  // namespace sigma::detail
