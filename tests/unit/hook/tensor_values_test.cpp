// SPDX-License-Identifier: BSL-1.0
#include <sigma/hook/over_time.hpp>
#include <sigma/hook/tensor_values.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/dropout.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/optimizer/gradient_descent.hpp>
#include <sigma/trainer/trainer.hpp>

#include <catch2/catch.hpp>
#include <support/hook_stage.hpp>

using namespace sigma;
using test::Note;

namespace {

struct Net : Network<Input(3) + Dense(5, tanh) + Dropout(0.4f) + Dense(2) + SquaredDiff()> {};

Dataset points(std::size_t records = 24) {
    Numbers x{{records, 3}, std::vector<float>(records * 3)}, y{{records, 2}, std::vector<float>(records * 2)};
    Philox(4, RandomUse::user, 0).fill_normal(std::span(x.values));
    Philox(5, RandomUse::user, 0).fill_normal(std::span(y.values));
    return {x, y, "points"};
}
auto trainer_of(double rate = 0.125, std::size_t batch_size = 8) {
    return std::make_unique<Trainer<Net, GradientDescent, double>>(
        "net", Net{}, GradientDescent{.learning_rate = rate}, minibatches(points(), batch_size), element<double>, 3);
}
using T = Trainer<Net, GradientDescent, double>;

/// All elements of the parameters that match, without padding.
std::vector<double> all_of(T& trainer, std::string_view pattern) {
    std::vector<double> all;
    for (int p = 0; p < trainer.model().parameter_count; ++p) {
        if (!detail::matches(pattern, trainer.model().records.parameters[p].name.view())) continue;
        const auto rows = parameter_rows(trainer.model(), p);
        for (std::size_t r = 0; r < rows.count; ++r) all.insert(all.end(), rows[r].begin(), rows[r].end());
    }
    return all;
}
double length(const std::vector<double>& x) {
    long double squares = 0;
    for (const double e : x) squares += static_cast<long double>(e) * e;
    return static_cast<double>(std::sqrt(squares));
}
std::vector<double> difference(const std::vector<double>& a, const std::vector<double>& b) {
    std::vector<double> d;
    for (std::size_t i = 0; i < a.size(); ++i) d.push_back(a[i] - b[i]);
    return d;
}

}  // namespace

TEST_CASE("Statistics of parameters are those of all elements together") {
    const auto trainer = trainer_of();
    std::vector<double> norms, means, deviations, most, none, large, one;
    trainer->add(
        at(start).then(Note(norm(parameters("*")), norms)),
        every(1, iteration)
            .then(Note(norm(parameters("*.weights")), norms), Note(mean_of(parameters("*")), means),
                  Note(deviation(parameters("*")), deviations), Note(largest_magnitude(parameters("*")), most),
                  Note(share_of_zeros(parameters("*")), none), Note(share_of_zeros(parameters("*"), 0.3), none),
                  Note(share_from(parameters("*"), 0.3), large), Note(norm(parameter<"3-dense.biases">()), one)));
    trainer->model().parameter<"1-dense.weights">()(0, 0) = 0;
    trainer->optimizer.learning_rate = 0;
    const auto all = all_of(*trainer, "*");
    trainer->run(cpu(), 1);
    const auto n = static_cast<double>(all.size());
    CHECK(all.size() == 3 * 5 + 5 + 5 * 2 + 2);
    CHECK(norms[0] == Approx(length(all)).epsilon(1e-14));
    CHECK(norms[1] == Approx(length(all_of(*trainer, "*.weights"))).epsilon(1e-14));
    double middle = 0, squares = 0;
    for (const double x : all) middle += x / n;
    for (const double x : all) squares += (x - middle) * (x - middle);
    CHECK(means[0] == Approx(middle).epsilon(1e-13));
    CHECK(deviations[0] == Approx(std::sqrt(squares / (n - 1))).epsilon(1e-13));
    const auto count = [&](auto which) { return static_cast<double>(std::ranges::count_if(all, which)) / n; };
    CHECK(most[0] == std::abs(*std::ranges::max_element(all, {}, [](double x) { return std::abs(x); })));
    CHECK(none[0] == count([](double x) { return x == 0; }));
    CHECK(none[1] == count([](double x) { return std::abs(x) <= 0.3; }));
    CHECK(large[0] == count([](double x) { return std::abs(x) >= 0.3; }));
    CHECK(large[0] > 0);
    CHECK(one[0] == length(all_of(*trainer, "3-dense.biases")));
}

TEST_CASE("Gradients are those of the step: its change is rate · gradient, with its dropout") {
    for (const detail::Cpu device : {cpu(1), cpu({.threads = 2})}) {
        const auto trainer = trainer_of(0.125, 7);  // the last batch is smaller
        std::vector<double> norms, layer, changed, rates;
        trainer->add(every(1, iteration)
                         .then(Note(norm(gradients("*")), norms), Note(norm(gradient<"3-dense.weights">()), layer),
                               Note(norm(updates("*")), changed), Note(update_rate("1-*"), rates)));
        auto before = all_of(*trainer, "*"), before_1 = all_of(*trainer, "1-*"),
             before_3 = all_of(*trainer, "3-dense.weights");
        int looks = 0;
        trainer->on_iteration([&](T& t) {
            const auto step = difference(all_of(t, "*"), before);
            CHECK(changed.back() == Approx(length(step)).epsilon(1e-13));
            CHECK(norms.back() * 0.125 == Approx(length(step)).epsilon(1e-13));
            CHECK(layer.back() * 0.125 ==
                  Approx(length(difference(all_of(t, "3-dense.weights"), before_3))).epsilon(1e-12));
            CHECK(rates.back() ==
                  Approx(length(difference(all_of(t, "1-*"), before_1)) / length(before_1)).epsilon(1e-12));
            CHECK(norms.back() > 0);
            before = all_of(t, "*"), before_1 = all_of(t, "1-*"), before_3 = all_of(t, "3-dense.weights");
            ++looks;
        });
        trainer->run(device, 3);
        CHECK(looks == 12);
    }
}

TEST_CASE("Each element of a gradient is that of the step and of finite differences") {
    const auto trainer = trainer_of(0);
    std::vector<double> norms;
    trainer->add(every(1, iteration).then(Note(norm(gradients("*")), norms), [](auto& t) { t.stop(); }));
    trainer->run(cpu(), 1);
    const auto g = trainer->gradients().of<"1-dense.weights">();
    const auto again = sigma::detail::HookAccess::step_record(*trainer).gradient(0, trainer->iteration());
    REQUIRE(again);
    double squares = 0;
    for (int p = 0; p < trainer->model().parameter_count; ++p)
        for (const double x : trainer->gradients().values(p)) squares += x * x;
    CHECK(norms[0] == Approx(std::sqrt(squares)).epsilon(1e-14));

    // The same step, with its dropout, from parameters that differ a little.
    const auto data = points();
    const auto loss_with = [&](std::size_t i, std::size_t j, double by) {
        const auto other = trainer_of(0);
        other->model().parameter<"1-dense.weights">()(i, j) += by;
        other->add(every(1, iteration).then([](auto& t) { t.stop(); }));
        other->run(cpu(), 1);
        return other->loss();
    };
    double largest_difference = 0;
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 5; ++j) {
            const double d = (loss_with(i, j, 1e-5) - loss_with(i, j, -1e-5)) / 2e-5;
            CHECK(g(i, j) == Approx(d).epsilon(1e-7).margin(1e-9));
            CHECK((*again)[i * 5 + j] == g(i, j));
            largest_difference = std::max(largest_difference, std::abs(d));
        }
    CHECK(largest_difference > 1e-3);
}

TEST_CASE("Watching gradients changes no bit of the training") {
    const auto plain = trainer_of(), watched = trainer_of();
    std::vector<double> norms;
    watched->add(every(1, iteration).then(Note(norm(gradients("*")), norms), [](auto& t) { t.gradients(); }));
    plain->run(cpu({.threads = 2}), 3);
    watched->run(cpu({.threads = 2}), 3);
    CHECK(all_of(*plain, "*") == all_of(*watched, "*"));
    CHECK(norms.size() == 9);
}

TEST_CASE("Gradients are computed for the steps after which a hook reads them, once") {
    std::vector<double> a, b, c, loose;
    const auto computed = [&](auto... hooks) {
        const auto trainer = trainer_of(0.1, 2);  // 12 steps an epoch
        trainer->add(hooks...);
        trainer->run(cpu(), 25);
        return sigma::detail::HookAccess::step_record(*trainer).computed();
    };
    CHECK(computed(every(100, iteration).then(Note(norm(gradients("*")), a), Note(mean_of(gradients("*")), a)),
                   every(100, iteration).then(Note(norm(gradients("*")), b)),
                   every(1, iteration).then(Note(norm(parameters("*")), c))) == 3);
    CHECK(a.size() == 6);
    CHECK(b == std::vector<double>{a[0], a[2], a[4]});
    CHECK(std::ranges::none_of(a, [](double x) { return std::isnan(x); }));
    CHECK(computed(every(1, epoch).then(Note(norm(gradients("*")), a))) == 25);
    CHECK(computed(every(5, epoch).then(Note(norm(gradients("*")), a))) == 5);
    CHECK(computed(every(50, iteration).when(norm(gradients("*")).exceeds(0)).then([] {})) == 6);
    CHECK(computed(when(norm(gradients("*")).exceeds(1e9)).then([] {})) == 300);
    CHECK(computed(every(150, iteration).then(Note(average(norm(gradients("*")), 10), loose))) == 300);
    CHECK(computed(every(10, iteration).then(Note(update_rate("*"), c))) == 0);
    CHECK(std::ranges::none_of(a, [](double x) { return std::isnan(x); }));
    CHECK(loose.size() == 2);
    CHECK(loose[0] > 0);
}

TEST_CASE("Outputs are those of layers before the step, without dropout, for its records") {
    const auto trainer = trainer_of(0.125, 24);  // each step has all records
    std::vector<double> low, high, both, near_zero, norms, dropped, stopped;
    trainer->add(every(1, iteration)
                     .then(Note(share_saturated(outputs("1-dense"), -0.3, 9), low),
                           Note(share_saturated(outputs("1-dense"), -9, 0.3), high),
                           Note(share_saturated(outputs("1-dense"), -0.3, 0.3), both),
                           Note(share_of_zeros(outputs("1-*"), 0.3), near_zero), Note(norm(outputs("*-d*")), norms),
                           Note(norm(outputs("2-dropout")), dropped)));
    std::vector<std::vector<double>> before;
    trainer->on_iteration([&](T& t) {
        if (!before.empty()) {
            const auto share = [&](auto which) {
                return static_cast<double>(std::ranges::count_if(before[1], which)) / (24 * 5);
            };
            CHECK(low.back() == share([](double x) { return x <= -0.3; }));
            CHECK(high.back() == share([](double x) { return x >= 0.3; }));
            CHECK(near_zero.back() == share([](double x) { return std::abs(x) <= 0.3; }));
            CHECK(both.back() == Approx(low.back() + high.back()));
            CHECK(std::min({low.back(), high.back(), near_zero.back()}) > 0.05);
            CHECK(dropped.back() == Approx(length(before[1])).epsilon(1e-12));
            CHECK(norms.back() ==
                  Approx(std::hypot(std::sqrt(2) * length(before[1]), length(before[3]))).epsilon(1e-12));
        }
        before = t.outputs();
        CHECK(before[1].size() == 24 * 5);
    });
    trainer->run(cpu(2), 6);
    CHECK(norms.size() == 6);
    CHECK(norms[1] != norms[2]);

    // Only for the steps after which a hook reads them, and of as many records as the step has.
    const auto rare = trainer_of(0, 16);
    std::vector<double> now;
    rare->add(at(start).then(Note(norm(outputs("1-dense")), now)),
              every(2, iteration).then(Note(norm(outputs("1-dense")), now)));
    rare->add(at(stop).then(Note(norm(outputs("1-dense")), now)));
    rare->run(cpu(), 1);
    const auto of_8_records = rare->outputs()[1];
    CHECK(of_8_records.size() == 8 * 5);
    CHECK(std::isnan(now[0]));
    CHECK(now[1] == Approx(length(of_8_records)).epsilon(1e-14));
    rare->on_iteration([](T& t) {
        if (t.iteration() == 3) t.stop();
    });
    rare->run(cpu(), 1);
    CHECK(std::isnan(now.back()));
}

TEST_CASE("Where no step was kept there is no gradient") {
    const auto trainer = trainer_of();
    std::vector<double> seen;
    CHECK_THROWS_AS(trainer->gradients(), StateError);
    trainer->add(
        at(start).then(Note(norm(gradients("*")), seen), Note(update_rate("*"), seen), Note(norm(updates("*")), seen)));
    trainer->run(cpu(), 1);
    REQUIRE(seen.size() == 3);
    for (const double x : seen) CHECK(std::isnan(x));
}

TEST_CASE("A pattern that matches nothing is refused when its hook is added") {
    const auto trainer = trainer_of();
    std::vector<double> seen;
    CHECK_THROWS_WITH(
        trainer->add(every(1, epoch).then(Note(norm(gradients("9-*")), seen))),
        Catch::StartsWith(
            "gradients(\"9-*\"): expected a pattern that matches a parameter that is trained, found '9-*'"));
    CHECK_THROWS_WITH(trainer->add(when(update_rate("x").exceeds(1)).then(stop)),
                      Catch::StartsWith("updates(\"x\"): expected a pattern that matches a parameter, found 'x'"));
    CHECK(norm(gradient<"1-dense.weights">()).text() == "norm(gradient<\"1-dense.weights\">())");
    CHECK(share_from(parameters("*"), 0.5).text() == "share_from(parameters(\"*\"), 0.5)");
    CHECK(update_rate("*").text() == "update_rate(\"*\")");
    CHECK_THROWS_WITH(
        trainer->add(every(1, epoch).then(Note(share_saturated(outputs("9-*")), seen))),
        Catch::StartsWith("no layer '9-*'; the network has '0-input', '1-dense', '2-dropout', '3-dense'"));
    CHECK(share_saturated(outputs("1-dense")).text() == "share_saturated(outputs(\"1-dense\"), 0.01, 0.99)");
    CHECK(share_saturated(outputs("*"), -1, 0).text() == "share_saturated(outputs(\"*\"), -1, 0)");
    CHECK(share_of_zeros(outputs("*")).text() == "share_of_zeros(outputs(\"*\"))");
}

TEST_CASE("Norms of numbers whose squares are no doubles") {
    const auto trainer = trainer_of(0);
    std::vector<double> seen;
    trainer->add(at(start).then(Note(norm(parameter<"3-dense.biases">()), seen)));
    const double infinity = std::numeric_limits<double>::infinity();
    for (const auto& [x, y] :
         {std::pair{3e200, 4e200}, {3e-200, -4e-200}, {0.0, 0.0}, {infinity, 1.0}, {std::nan(""), infinity}}) {
        trainer->model().parameter<"3-dense.biases">()(0) = x;
        trainer->model().parameter<"3-dense.biases">()(1) = y;
        trainer->run(cpu(), 0);
    }
    CHECK(seen[0] == Approx(5e200));
    CHECK(seen[1] == Approx(5e-200));
    CHECK(seen[2] == 0);
    CHECK(seen[3] == infinity);
    CHECK(std::isnan(seen[4]));
}

TEST_CASE("Values of tensors and of time in the background are those of the moment in which the hook fired") {
    const auto trainer = trainer_of(0.125, 2);
    std::vector<double> front, behind, shown, means, means_behind;
    trainer->add(every(1, iteration).then(Note(norm(gradients("*")), front), Note(average(loss, 3), means)),
                 every(1, iteration)
                     .then(Note(norm(gradients("*")), behind), Note(average(loss, 3), means_behind))
                     .in_background(1000),
                 every(4, iteration).then(Note(latest(value<"q">), shown)),
                 every(1, epoch).then(test::compute_by<"q">([q = 0.0]() mutable { return ++q; })).in_background());
    trainer->run(cpu(), 4);
    CHECK(front.size() == 48);
    CHECK(front == behind);
    CHECK(means == means_behind);
    CHECK(std::isnan(shown[0]));
    for (const double x : shown) CHECK((std::isnan(x) || (x >= 1 && x <= 4)));
}

TEST_CASE("A step that is taken again is not mistaken for the one that was kept") {
    const auto trainer = trainer_of(0.125, 8);
    std::vector<double> seen;
    const int keeps = trainer->add(every(3, iteration).then(Note(norm(gradients("*")), seen)));
    trainer->add(at(stop).then(Note(norm(gradients("*")), seen)));
    trainer->run(cpu(), 1);
    REQUIRE(seen.size() == 2);
    CHECK(seen[0] > 0);
    CHECK(seen[0] == seen[1]);  // kept for the hook before
    trainer->remove(keeps);
    trainer->reset().wait();
    trainer->run(cpu(), 1);
    REQUIRE(seen.size() == 3);
    CHECK(std::isnan(seen[2]));
}
