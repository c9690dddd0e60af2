// SPDX-License-Identifier: BSL-1.0
#include "support/gradient_suite.hpp"

#include <catch2/catch.hpp>

#include <set>
#include <string>
#include <utility>
#include <vector>

using namespace sigma;
using namespace sigma::test;

namespace {

using Rule = std::pair<sigma::detail::Operation, int>;  // an operation and one of its operands

/// Every rule there is, asked of the rules themselves: which operands does a node of each operation give to?
std::vector<Rule> every_rule() {
    std::vector<Rule> rules;
    for (int o = 0; o <= static_cast<int>(sigma::detail::Operation::assign); ++o) {
        sigma::detail::Tape tape;
        const int x = tape.leaf(sigma::detail::Operation::input, Shape(2, 2));
        const auto operation = static_cast<sigma::detail::Operation>(o);
        const Variable y{&tape, tape.emit_unshared({operation, x, x, x, Shape(2, 2)})};
        for (int which = 0; which < 3; ++which)
            if (adjoint(sigma::detail::Site(y), y, which, true).tape != nullptr) rules.emplace_back(operation, which);
    }
    return rules;
}

/// The rules, but what flows to operand `which` of `operation` is multiplied by a factor.
struct Mutated {
    Rule rule;
    double factor;
    int* used;

    constexpr Variable operator()(const sigma::detail::Site& site, Variable d, int which) const {
        const Variable flow = adjoint(site, d, which);
        if (flow.tape == nullptr || Rule{site.node.operation, which} != rule) return flow;
        ++*used;
        return factor * flow;
    }
};

}  // namespace

TEST_CASE("every wrong adjoint rule makes the gradient suite fail", "[tape]") {
    const GradientSuite suite;
    REQUIRE(suite.run(sigma::detail::Adjoints{}) == "");
    const std::vector<Rule> rules = every_rule();
    CHECK(rules.size() >= 43);  // this many when the test was written; fewer would mean that every_rule misses some
    for (const Rule& rule : rules)
        for (double factor : {-1.0, 2.0}) {
            INFO(name(rule.first) << ", operand " << rule.second << ", times " << factor);
            int used = 0;
            const std::string wrong = suite.run(Mutated{rule, factor, &used});
            CHECK(used > 0);
            CHECK(wrong != "");
        }
}

TEST_CASE("a mutation that changes nothing passes the gradient suite", "[tape]") {
    int used = 0;
    CHECK(GradientSuite().run(Mutated{{sigma::detail::Operation::multiply, 0}, 1.0, &used}) == "");
    CHECK(used > 0);
}
