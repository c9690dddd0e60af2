// SPDX-License-Identifier: BSL-1.0
#include <sigma/optimizer/adadelta.hpp>
#include <sigma/optimizer/adagrad.hpp>
#include <sigma/optimizer/adamw.hpp>
#include <sigma/optimizer/clip_by_norm.hpp>
#include <sigma/optimizer/clip_by_value.hpp>
#include <sigma/optimizer/clip_each_norm.hpp>
#include <sigma/optimizer/gradient_descent.hpp>
#include <sigma/optimizer/momentum.hpp>
#include <sigma/optimizer/nesterov.hpp>

#include <catch2/catch.hpp>

#include <set>
#include <string>
#include <vector>

using namespace sigma;

namespace {

/// An optimizer that says nothing of its fields.
struct Plain {
    double learning_rate = 0.5;
    double secret = 2;

    std::array<double, 2> scalars(std::uint64_t) const { return {learning_rate, secret}; }
    static constexpr void update(Update& u, Variable w, Variable g) { u.assign(w, w - u.scalar(0) * g); }
};
/// One without a learning rate.
struct Rateless {
    std::array<double, 1> scalars(std::uint64_t) const { return {0.1}; }
    static constexpr void update(Update& u, Variable w, Variable g) { u.assign(w, w - u.scalar(0) * g); }
};

/// As many names as numbers, all different, and each number is reached once.
template <class O>
void check_all_listed() {
    static_assert(sizeof(O) == sizeof(double) * field_count<O>);
    O optimizer;
    std::set<std::string> names;
    std::set<const double*> places;
    double next = 10;
    for_each_field(optimizer, [&](std::string_view name, double& value) {
        names.emplace(name);
        places.insert(&value);
        value = next++;
    });
    CHECK(names.size() == field_count<O>);
    CHECK(places.size() == field_count<O>);
    CHECK(optimizer.learning_rate == 10);  // the first of all
    const O copy = optimizer;
    double sum = 0;
    for_each_field(copy, [&](std::string_view, const double& value) { sum += value; });
    CHECK(sum == (10 + next - 1) * field_count<O> / 2);
}
template <class O>
std::vector<std::string> names_of(O optimizer) {
    std::vector<std::string> names;
    for_each_field(optimizer, [&](std::string_view name, double) { names.emplace_back(name); });
    return names;
}

}  // namespace

TEST_CASE("Every number of every optimizer has a name") {
    check_all_listed<GradientDescent>();
    check_all_listed<Momentum>();
    check_all_listed<Nesterov>();
    check_all_listed<Adagrad>();
    check_all_listed<Adadelta>();
    check_all_listed<Adam>();
    check_all_listed<AdamW>();
    check_all_listed<ClipByValue<Adam>>();
    check_all_listed<ClipByNorm<Momentum>>();
    check_all_listed<ClipEachNorm<GradientDescent>>();
    check_all_listed<ClipByValue<ClipByNorm<ClipEachNorm<AdamW>>>>();
}

TEST_CASE("Names are those of the members, in their order") {
    using Names = std::vector<std::string>;
    CHECK(names_of(Adam{}) == Names{"learning_rate", "beta1", "beta2", "epsilon"});
    CHECK(names_of(AdamW{}) == Names{"learning_rate", "beta1", "beta2", "epsilon", "weight_decay"});
    CHECK(names_of(Nesterov{}) == Names{"learning_rate", "momentum"});
    CHECK(names_of(Adadelta{}) == Names{"learning_rate", "decay", "epsilon"});
    CHECK(names_of(clip_gradient_norm(clip_gradients(Momentum{}, 1), 2)) ==
          Names{"learning_rate", "momentum", "value_limit", "norm_limit"});
    auto optimizer = clip_gradients(Adam{}, 1);
    for_each_field(optimizer, [](std::string_view name, double& value) {
        if (name == "value_limit") value = 3;
        if (name == "beta2") value = 0.99;
    });
    CHECK(optimizer.value_limit == 3);
    CHECK(optimizer.beta2 == 0.99);
}

TEST_CASE("An optimizer without named fields has its learning rate, or none") {
    CHECK(names_of(Plain{}) == std::vector<std::string>{"learning_rate"});
    CHECK(names_of(Rateless{}).empty());
    CHECK(names_of(clip_gradient_norm(Plain{}, 1)) == std::vector<std::string>{"learning_rate", "norm_limit"});
    CHECK(names_of(clip_gradients(Rateless{}, 1)) == std::vector<std::string>{"value_limit"});
    Plain plain;
    for_each_field(plain, [](std::string_view, double& value) { value *= 0.5; });
    CHECK(plain.learning_rate == 0.25);
}
