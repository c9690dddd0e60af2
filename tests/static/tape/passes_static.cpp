// SPDX-License-Identifier: BSL-1.0
#include "support/networks.hpp"
#include "support/rewrite.hpp"

using namespace sigma;
using namespace sigma::test;

namespace {

constexpr int count(const sigma::detail::Program& p, sigma::detail::Operation o) {
    int n = 0;
    for (int i = 0; i < p.tape.size(); ++i) n += p.tape[i].operation == o;
    return n;
}

// The backward pass of three layers: two products with transposed weights and three for the weights' gradients.
static_assert(count(three_layers(), sigma::detail::Operation::dot) == 3 + 2);
static_assert(count(three_layers(), sigma::detail::Operation::transposed_dot) == 3);

/// exp(x)·1 + exp(x), and exp(x) for nobody, written without passes.
constexpr sigma::detail::Program verbose() {
    sigma::detail::Program p;
    p.tape.sharing = p.tape.identities = false;
    Recorder r(p);
    const auto x = r.input<batch, 3>();
    r.output(exp(x) * 1.0 + exp(x));
    exp(x);  // dead
    return p;
}
static_assert(count(verbose(), sigma::detail::Operation::exp) == 3);
static_assert(count(rewrite(verbose(), false, false), sigma::detail::Operation::exp) == 2);
static_assert(count(rewrite(verbose(), true, false), sigma::detail::Operation::exp) == 1);
static_assert(count(rewrite(verbose(), true, true), sigma::detail::Operation::multiply) == 0);
static_assert(rewrite(verbose(), true, true).outputs.size() == 1);

}  // namespace
