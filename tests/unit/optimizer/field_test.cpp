// SPDX-License-Identifier: BSL-1.0
#include <sigma/optimizer/adam.hpp>
#include <sigma/optimizer/average.hpp>
#include <sigma/optimizer/check.hpp>
#include <sigma/optimizer/clip.hpp>
#include <sigma/optimizer/gradient_descent.hpp>
#include <sigma/optimizer/group.hpp>
#include <sigma/optimizer/penalty.hpp>
#include <sigma/optimizer/rmsprop.hpp>

#include <catch2/catch.hpp>
#include <support/thrown.hpp>

#include <limits>
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
    static_assert(sizeof(O) == sizeof(double) * detail::field_count<O>);
    O optimizer;
    std::set<std::string> names;
    std::set<const double*> places;
    double next = 10;
    for_each_field(optimizer, [&](std::string_view name, double& value) {
        names.emplace(name);
        places.insert(&value);
        value = next++;
    });
    CHECK(names.size() == detail::field_count<O>);
    CHECK(places.size() == detail::field_count<O>);
    CHECK(optimizer.learning_rate == 10);  // the first of all
    const O copy = optimizer;
    double sum = 0;
    for_each_field(copy, [&](std::string_view, const double& value) { sum += value; });
    CHECK(sum == (10 + next - 1) * detail::field_count<O> / 2);
}
/// Every number alone, as NaN, infinite and negative, is refused by its name; the optimizer as it comes is not.
template <class O>
void check_all_refused() {
    constexpr double infinite = std::numeric_limits<double>::infinity();
    const O given;
    CHECK_NOTHROW(sigma::detail::check_numbers(given));
    for (const std::string& name : [&] {
             std::vector<std::string> names;
             for_each_field(given, [&](std::string_view field, double) { names.emplace_back(field); });
             return names;
         }())
        for (const double wrong : {std::nan(""), -infinite, -0.01, infinite}) {
            if (wrong == infinite && name.ends_with("_limit")) continue;  // clips nothing
            O optimizer = given;
            for_each_field(optimizer, [&](std::string_view field, double& value) {
                if (field == name) value = wrong;
            });
            CAPTURE(name, wrong);
            CHECK_THROWS_AS(sigma::detail::check_numbers(optimizer), ArgumentError);
            CHECK_THROWS_WITH(sigma::detail::check_numbers(optimizer),
                              Catch::Matchers::StartsWith(name + " of optimizer '") &&
                                  Catch::Matchers::EndsWith(", found " + sentence(wrong)));
        }
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
    check_all_listed<RMSprop>();
    check_all_listed<Adadelta>();
    check_all_listed<Adam>();
    check_all_listed<AdamW>();
    check_all_listed<NAdam>();
    check_all_listed<RAdam>();
    check_all_listed<Lion>();
    check_all_listed<ClipByValue<Adam>>();
    check_all_listed<ClipByNorm<Momentum>>();
    check_all_listed<ClipEachNorm<GradientDescent>>();
    check_all_listed<ClipByValue<ClipByNorm<ClipEachNorm<AdamW>>>>();
    check_all_listed<detail::Grouped<detail::Grouped<AdamW, "1-*">, "2-*">>();
    check_all_listed<L1Penalty<L2Penalty<WithEma<WithSwa<Adam>>, "*">, "1-*">>();
}

TEST_CASE("Every number of every optimizer is refused where its rule cannot take it") {
    check_all_refused<GradientDescent>();
    check_all_refused<Momentum>();
    check_all_refused<Nesterov>();
    check_all_refused<Adagrad>();
    check_all_refused<RMSprop>();
    check_all_refused<Adadelta>();
    check_all_refused<Adam>();
    check_all_refused<AdamW>();
    check_all_refused<NAdam>();
    check_all_refused<RAdam>();
    check_all_refused<Lion>();
    check_all_refused<ClipByValue<ClipByNorm<ClipEachNorm<AdamW>>>>();
    check_all_refused<detail::Grouped<detail::Grouped<AdamW, "1-*">, "2-*">>();
    check_all_refused<L1Penalty<L2Penalty<WithEma<WithSwa<Adam>>, "*">, "1-*">>();
    const auto found = [](auto optimizer) {
        return error_text<ArgumentError>([&] { sigma::detail::check_numbers(optimizer); });
    };
    CHECK(found(Adam{.beta1 = 1}) == "beta1 of optimizer 'adam': expected a number from 0 to below 1, found 1");
    CHECK(found(Adam{.epsilon = 0}) == "epsilon of optimizer 'adam': expected a finite number above 0, found 0");
    CHECK(found(clip_gradient_norm(Adam{}, -1)) == "norm_limit of optimizer 'adam': expected 0 or more, found -1");
    CHECK(found(Adam{.learning_rate = 0, .beta1 = 0, .beta2 = 0}) == "no error");
    CHECK(found(AdamW{.weight_decay = 0}) == "no error");
    CHECK(found(Momentum{.momentum = 0}) == "no error");
    CHECK(found(clip_gradients(GradientDescent{}, std::numeric_limits<double>::infinity())) == "no error");
    // Those of others say which numbers make sense, if they like.
    CHECK(found(Rateless{}) == "no error");
    CHECK(found(Plain{.learning_rate = -1}) == "no error");
    CHECK(found(Plain{.learning_rate = std::nan("")}) ==
          "learning_rate of the optimizer: expected a number, found nan");
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
