// SPDX-License-Identifier: BSL-1.0
#include <sigma/hana.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/normalization.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/network/branches.hpp>

#include <catch2/catch.hpp>

#include <string>
#include <vector>

using namespace sigma;
namespace hana = boost::hana;

namespace {

struct Digits : Network<Input(4) + Dense(5, tanh) + BatchNorm() + named("tower", 2 * Dense(5)) +
                        Costs(Dense(3) + SoftmaxCE(), loss_weight(0.5, named("price", Dense(1) + SquaredDiff())))> {};
struct Other : Network<Input(4) + Dense(5, tanh) + Dense(3) + SoftmaxCE()> {};

constexpr auto all = parameters(Digits{});
constexpr auto those = layers(Digits{});
constexpr auto cost_map = costs(Digits{});

// ---- the concepts of Hana ----
static_assert(hana::Foldable<decltype(all)>::value && hana::Searchable<decltype(all)>::value);
static_assert(hana::Comparable<decltype(all)>::value && hana::Comparable<decltype(those)>::value);
static_assert(hana::Functor<decltype(those)>::value && hana::Monad<decltype(those)>::value);

// ---- sizes and places ----
static_assert(hana::length(all) == hana::size_c<detail::network_table<Digits>.parameters.size()>);
static_assert(hana::length(those) == hana::size_c<detail::network_table<Digits>.layers.size()>);
static_assert(hana::length(inputs(Digits{})) == hana::size_c<1> && hana::length(outputs(Digits{})) == hana::size_c<2>);
static_assert(hana::length(cost_map) == hana::size_c<2>);
static_assert(inputs(Digits{})[hana::size_c<0>].shape == Digits::input);
namespace both {  // the word of data is the same
using namespace sigma::data;
static_assert(hana::length(inputs(Other{})) == hana::size_c<1> && inputs.name == "inputs");
}  // namespace both
static_assert(outputs(Digits{})[hana::size_c<1>].shape == Digits::records.costs[1].output);
static_assert(all[BOOST_HANA_STRING("1-dense.weights")].shape == Shape(4, 5));
static_assert(all[BOOST_HANA_STRING("1-dense.weights")].layer.kind == "dense");
static_assert(!hana::contains(all, BOOST_HANA_STRING("1-dense.wieghts")));

// ---- laws of Comparable: reflexive, symmetric, transitive; != is the opposite ----
constexpr auto first = those[hana::size_c<0>];
constexpr auto second = those[hana::size_c<1>];
constexpr auto same_as_second = layers(Digits{})[hana::size_c<1>];
constexpr auto of_other = layers(Other{})[hana::size_c<1>];
static_assert(hana::equal(second, second) && hana::equal(second, same_as_second) &&
              hana::equal(same_as_second, second));
static_assert(!hana::equal(first, second) && !hana::equal(second, first) && hana::not_equal(first, second));
static_assert(!hana::equal(second, of_other));  // alike, but of another network
static_assert(hana::equal(all, parameters(Digits{})) && hana::not_equal(all, parameters(Other{})));
static_assert(hana::equal(those, layers(Digits{})) && hana::not_equal(those, layers(Other{})));

// ---- laws of Functor: identity and composition ----
constexpr auto kinds = [](auto layer) { return hana_name<decltype(layer)::kind>; };
constexpr auto lengths = [](auto name) { return hana::length(name); };
static_assert(hana::equal(hana::transform(those, hana::id), those));
static_assert(hana::equal(hana::transform(hana::transform(those, kinds), lengths),
                          hana::transform(those, hana::compose(lengths, kinds))));

// ---- laws of Map, Searchable and Foldable: what goes in comes out, each key once ----
static_assert(hana::equal(hana::to_map(hana::to_tuple(all)), all));
static_assert(hana::equal(hana::length(hana::to_set(hana::keys(all))), hana::length(all)));
static_assert(hana::all_of(hana::keys(all), [](auto key) {
    return hana::equal(hana::find(all, key), hana::just(hana::at_key(all, key)));
}));
static_assert(hana::equal(hana::union_(all, all), all) && hana::equal(hana::intersection(all, all), all));
static_assert(hana::equal(hana::erase_key(hana::insert(all, hana::make_pair(BOOST_HANA_STRING("new"), hana::int_c<1>)),
                                          BOOST_HANA_STRING("new")),
                          all));
static_assert(hana::fold(hana::values(all), 0, [](int sum, auto p) {
                  return sum + static_cast<int>(p.shape.count());
              }) == static_cast<int>(Model<Digits>::parameter_elements()));

}  // namespace

TEST_CASE("Hana's maps and tuples hold what the tables of a network say") {
    const detail::NetworkTable& table = detail::network_table<Digits>;
    hana::for_each(all, [&](const auto& pair) {
        const auto p = hana::second(pair);
        const detail::ParameterRecord& r = table.parameters[p.number];
        CHECK(std::string(hana::to<const char*>(hana::first(pair))) == r.name.view());
        CHECK(p.name == r.name);
        CHECK(p.shape == r.shape);
        CHECK(p.trained == r.trained);
        CHECK(r.name.view().starts_with(std::string(p.layer.name.view()) + "."));
    });
    std::vector<std::string> names;
    hana::for_each(those, [&](auto layer) {
        const detail::LayerRecord& r = table.layers[layer.number];
        CHECK(layer.kind == r.kind);
        CHECK(layer.output == r.output);
        CHECK(layer.parameter_elements == r.parameters);
        CHECK(layer.is("dense") == r.is("dense"));
        names.emplace_back(layer.name.view());
    });
    for (int i = 0; i < table.layers.size(); ++i)
        CHECK(names[static_cast<std::size_t>(i)] == table.layers[i].name.view());
    hana::for_each(hana::values(cost_map), [&](auto cost) {
        CHECK(cost.name == table.costs[cost.number].name);
        CHECK(cost.kind == table.costs[cost.number].kind);
        CHECK(cost.loss_weight == table.costs[cost.number].loss_weight);
        CHECK(cost.classifies == (cost.number == 0));
        CHECK(cost.target == table.costs[cost.number].target);
    });
}

TEST_CASE("The elements of a model's parameters are written through Hana's map") {
    Model<Digits, double> model(7);
    hana::for_each(parameters(model), [](auto pair) {
        auto p = hana::second(pair);
        if constexpr (decltype(p)::layer.kind == "dense" && decltype(p)::shape.rank == 2)
            for (double& w : p.elements) w = p.number;
    });
    int written = 0;
    for (int i = 0; i < Model<Digits>::parameter_count; ++i) {
        const detail::ParameterRecord& r = model.records.parameters[i];
        if (!r.name.view().ends_with("dense.weights")) continue;
        ++written;
        for (const double w : model.parameter(i)) CHECK(w == i);
    }
    CHECK(written >= 4);
    parameters(model)[BOOST_HANA_STRING("1-dense.biases")].elements.fill(3);
    CHECK(model.parameter<"1-dense.biases">()(4) == 3);
    static_assert(hana::equal(layers(Digits{}), hana::to_tuple(layers(Digits{}))));
    static_assert(decltype(hana::equal(layers(model), those))::value);
}
