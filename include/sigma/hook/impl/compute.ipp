// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/error.hpp>
#include <sigma/hook/compute.hpp>
#include <sigma/hook/node.hpp>

#include <array>

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

struct ComputeNode {
    const ValueRecord* computed = nullptr;
    ValuesAndFunction function{};

    auto fields() { return std::tie(function); }
    void run(HookContext& context) { context.publish(*computed, function(context)); }
    std::string text() const { return sentence("compute<\"", computed->name, "\">(", function.text(), ")"); }
};

struct UseNode {
    ValuesAndFunction function{};

    auto fields() { return std::tie(function); }
    void run(HookContext& context) { function(context); }
    std::string text() const { return sentence("use(", function.text(), ")"); }
};

SIGMA_IMPL ActionHandle make_compute(const ValueRecord& computed, ValuesAndFunction f) {
    return make_action(ComputeNode{&computed, std::move(f)});
}
SIGMA_IMPL ActionHandle make_use(ValuesAndFunction f) { return make_action(UseNode{std::move(f)}); }

}  // namespace sigma::detail
