// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/error.hpp>
#include <sigma/hook/context.hpp>
#include <sigma/hook/function_of_values.hpp>

#include <array>
#include <string>
#include <vector>

namespace sigma::detail {

SIGMA_IMPL double ValuesAndFunction::operator()(const HookContext& context) const {
    std::array<double, 8> few;
    std::vector<double> many(values.size() > few.size() ? values.size() : 0);
    double* const x = many.empty() ? few.data() : many.data();
    for (std::size_t i = 0; i < values.size(); ++i) x[i] = context.get(values[i]);
    return function(x);
}

SIGMA_IMPL void ValuesAndFunction::visit_values(const ValueVisitor& f) {
    for (ValueHandle& v : values) f(v);
}

SIGMA_IMPL std::string ValuesAndFunction::text() const {
    std::string all;
    for (const ValueHandle& v : values) all += v.text() + ", ";
    return all + "a function";
}

}  // namespace sigma::detail
