// SPDX-License-Identifier: BSL-1.0
// What the tables say of networks: one trace gives it, also where there are more layers than most networks have.
#include <sigma/layer/binary_ce.hpp>
#include <sigma/layer/ctc.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/embedding.hpp>
#include <sigma/layer/input.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/network/costs.hpp>
#include <sigma/network/network.hpp>

using namespace sigma;

namespace {

struct Two
    : Network<Input(4) + Dense(3) +
              Costs(Dense(5) + SoftmaxCE({.ignore = -1}), loss_weight(0.5, Dense(2) + named("price", SquaredDiff())))> {
};
constexpr const detail::NetworkTable& two = detail::network_table<Two>;
static_assert(two.inputs.size() == 1 && two.inputs[0] == Shape(batch, 4));
static_assert(two.layers.size() == 4 && two.layers[3].name.view() == "3-dense");
static_assert(two.parameters.size() == 6 && two.parameters[5].name.view() == "3-dense.biases");
static_assert(two.find_parameter("2-dense.weights") == 2 && two.find_parameter("dense") == -1);
static_assert(two.costs.size() == 2 && two.costs[0].name.view() == "4-softmax_ce" &&
              two.costs[1].name.view() == "price");
static_assert(two.costs[0].kind.view() == "softmax_ce" && two.costs[1].kind.view() == "squared_diff");
static_assert(two.costs[0].loss_weight == 1 && two.costs[1].loss_weight == 0.5);
static_assert(two.costs[0].classifies && !two.costs[1].classifies && two.classifies());
static_assert(two.costs[0].output == Shape(batch, 5) && two.costs[0].target == Shape(batch) &&
              two.costs[1].target == Shape(batch, 2));
static_assert(two.costs[0].prediction == Shape(batch, 5) && two.costs[1].prediction == Shape(batch, 2));
static_assert(two.costs[0].has_labels && two.costs[0].labels.first == 0 && two.costs[0].labels.end == 5);
static_assert(two.costs[0].labels.ignore.exists && two.costs[0].labels.ignore.value == -1);
static_assert(!two.costs[0].has_rule && !two.costs[1].has_labels && !two.costs[1].has_rule);
static_assert(two.ids[0].rows == 0 && two.fingerprint != 0);
static_assert(&two == &detail::network_table<Two>);

struct Signs : Network<Input(4) + Dense(1) + Hinge()> {};
static_assert(detail::network_table<Signs>.costs[0].has_rule &&
              detail::network_table<Signs>.costs[0].rule.kind == detail::TargetRule::Kind::sign);
static_assert(detail::network_table<Signs>.classifies());

struct Words : Network<Input(6) + Embedding(20, 3) + Dense(2) + SquaredDiff()> {};
static_assert(detail::network_table<Words>.ids[0].rows == 20 && detail::network_table<Words>.ids[0].layer == 1);

// More layers and parameters than there is room for at first.
struct Deep : Network<Input(2) + 60 * Dense(2) + SquaredDiff()> {};
constexpr const detail::NetworkTable& deep = detail::network_table<Deep>;
static_assert(deep.layers.size() == 61 && deep.parameters.size() == 120 &&
              deep.costs[0].name.view() == "61-squared_diff");
static_assert(deep.parameters[119].name.view() == "60-dense.biases" && deep.parameters[119].shape == Shape(2));
static_assert(deep.layers[60].name.view() == "60-dense" && deep.fingerprint != 0);
// More parameters, but not more layers.
struct Wide : Network<Input(2) + 30 * Dense(2) + SquaredDiff()> {};
static_assert(detail::network_table<Wide>.layers.size() == 31 && detail::network_table<Wide>.parameters.size() == 60);
static_assert(detail::network_table<Wide>.find_parameter("30-dense.biases") == 59);

}  // namespace
