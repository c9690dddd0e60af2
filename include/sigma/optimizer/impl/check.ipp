// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/optimizer/check.hpp>

#include <string>

namespace sigma::detail {

SIGMA_IMPL void check_number(std::string_view optimizer, std::string_view field, const NumberRange& range, double x) {
    if (!range.contains(x))
        throw ArgumentError(optimizer.empty() ? sentence(field, " of the optimizer")
                                              : sentence(field, " of optimizer '", optimizer, "'"),
                            std::string(range.text), sentence(x));
}

SIGMA_IMPL void check_numbers(const FieldTable& table, const void* optimizer) {
    table.for_each_field(const_cast<void*>(optimizer),
                         [&](std::string_view field, const NumberRange& range, const double& x) {
                             check_number(table.name, field, range, x);
                         });
}

}  // namespace sigma::detail
