// SPDX-License-Identifier: BSL-1.0
#include <sigma/optimizer/adam.hpp>
#include <sigma/optimizer/check.hpp>
#include <sigma/optimizer/clip.hpp>
#include <sigma/optimizer/table.hpp>

#include <catch2/catch.hpp>

#include <string>
#include <vector>

using namespace sigma;

namespace {

struct Nameless {
    double rate = 0.5;

    std::array<float, 2> scalars(std::uint64_t step) const {
        return {static_cast<float>(rate), static_cast<float>(step)};
    }
    static constexpr void update(Update& u, Variable w, Variable g) { u.assign(w, w - u.scalar(0) * g); }
};

template <class O>
std::vector<double> scalars(const O& optimizer, std::uint64_t step) {
    std::vector<double> to(static_cast<std::size_t>(detail::optimizer_table<O>.scalar_count) + 1, -7);
    detail::optimizer_table<O>.scalars(&optimizer, step, to.data());
    return to;
}

}  // namespace

TEST_CASE("A table gives an optimizer's name, numbers of a step and fields") {
    Adam adam{.learning_rate = 0.25, .beta1 = 0.5};
    constexpr const detail::OptimizerTable& table = detail::optimizer_table<Adam>;
    CHECK(table.name == "adam");
    const auto wanted = adam.scalars(3);
    const std::vector<double> found = scalars(adam, 3);
    REQUIRE(found.size() == wanted.size() + 1);
    for (std::size_t i = 0; i < wanted.size(); ++i) CHECK(found[i] == wanted[i]);
    CHECK(found.back() == -7);  // no more than so many

    std::vector<std::string> names;
    double next = 1;
    table.for_each_field(&adam, [&](std::string_view name, const NumberRange& range, double& x) {
        names.emplace_back(name);
        CHECK(range.contains(x));
        CHECK_FALSE(range.contains(-1));
        x = next++;
    });
    CHECK(names == std::vector<std::string>{"learning_rate", "beta1", "beta2", "epsilon"});
    CHECK(adam.learning_rate == 1);
    CHECK(adam.epsilon == 4);
    CHECK_THROWS_WITH(
        sigma::detail::check_numbers(table, &adam),
        Catch::Matchers::Equals("beta1 of optimizer 'adam': expected a number from 0 to below 1, found 2"));
}

TEST_CASE("A table reaches the fields of the optimizer inside another, and may have neither name nor fields") {
    auto clipped = clip_gradient_norm(Adam{}, 3);
    using Clipped = decltype(clipped);
    std::vector<double> values;
    detail::optimizer_table<Clipped>.for_each_field(
        &clipped, [&](std::string_view, const NumberRange&, double x) { values.push_back(x); });
    CHECK(values == std::vector<double>{0.001, 0.9, 0.999, 1e-8, 3});
    CHECK(detail::optimizer_table<Clipped>.scalar_count == 7);

    Nameless nameless;
    CHECK(detail::optimizer_table<Nameless>.name.empty());
    CHECK(scalars(nameless, 4) == std::vector<double>{0.5, 4, -7});
    detail::optimizer_table<Nameless>.for_each_field(&nameless,
                                                     [](std::string_view, const NumberRange&, double&) { FAIL(); });
}
