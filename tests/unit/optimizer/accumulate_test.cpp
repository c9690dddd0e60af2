// SPDX-License-Identifier: BSL-1.0
#include <sigma/core/array.hpp>
#include <sigma/core/philox.hpp>
#include <sigma/execution/batch_trainer.hpp>
#include <sigma/optimizer/accumulate.hpp>
#include <sigma/optimizer/average.hpp>
#include <sigma/optimizer/clip.hpp>
#include <sigma/optimizer/group.hpp>
#include <sigma/optimizer/penalty.hpp>
#include <sigma/sigma.hpp>
#include <sigma/trainer/averages.hpp>

#include <catch2/catch.hpp>
#include <support/scratch.hpp>
#include <support/thrown.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

using namespace sigma;

namespace {

struct Pair : Network<Input(3) + Dense(4, tanh) + Dense(2) + SquaredDiff()> {};

using Tensors = std::vector<std::vector<double>>;
template <class M>
Tensors tensors_of(M&& model) {
    Tensors all;
    for (int p = 0; p < model.parameter_count; ++p) {
        const auto view = model.parameter(p);
        all.emplace_back(view.begin(), view.end());
    }
    return all;
}
double largest_difference(const Tensors& a, const Tensors& b) {
    double worst = 0;
    for (std::size_t p = 0; p < a.size(); ++p)
        for (std::size_t i = 0; i < a[p].size(); ++i) worst = std::max(worst, std::abs(a[p][i] - b[p][i]));
    return worst;
}
Dataset normal_records(std::size_t count) {
    Numbers x{{count, 3}, std::vector<float>(3 * count)}, y{{count, 2}, std::vector<float>(2 * count)};
    Philox random(7, RandomUse::user, 0);
    random.fill_normal(std::span<float>(x.values), 0.0f, 1.0f);
    random.fill_normal(std::span<float>(y.values), 0.0f, 1.0f);
    return Dataset(x, y, "normal");
}
auto small_batches() {
    static const Dataset all = normal_records(24);
    return minibatches(all, 4, 9);  // 6 an epoch
}
auto large_batches() {
    auto same = small_batches();
    return minibatches(same.dataset, 12, 9);  // of the same records in the same order
}
template <class O, class B>
auto trained(O optimizer, const B& batches, std::int64_t epochs) {
    Trainer trainer("pair", Pair{}, optimizer, batches, element<double>, 3);
    trainer.run(cpu(), epochs);
    return tensors_of(trainer.model());
}
/// Batches of 4 three at a time are batches of 12.
void check_as_large(auto optimizer, auto of_large) {
    const Tensors parts = trained(optimizer, small_batches(), 6), whole = trained(of_large, large_batches(), 6);
    CHECK(largest_difference(parts, whole) < 1e-12);
    CHECK(largest_difference(parts, trained(of_large, small_batches(), 6)) > 1e-4);
}
void check_resumed(auto optimizer, std::uint64_t at) {
    const Scratch folder;
    const std::string file = (folder.path / "accumulated.sigma").string();
    Trainer whole("pair", Pair{}, optimizer, small_batches());
    whole.on_iteration([&](auto& t) {
        if (t.iteration() == at) t.save(file);
    });
    whole.run(cpu(), 5);
    Trainer resumed("pair", Pair{}, optimizer, small_batches());
    resumed.load(file);
    resumed.run(cpu(), 5 - static_cast<std::int64_t>(resumed.epoch()));
    CHECK(resumed.iteration() == whole.iteration());
    CHECK(tensors_of(resumed.model()) == tensors_of(whole.model()));
}

}  // namespace

TEST_CASE("Batches that are accumulated are one batch") {
    const GradientDescent descent{.learning_rate = 0.1};
    check_as_large(accumulate(descent, 3), descent);
    check_as_large(accumulate(Adam{.learning_rate = 0.01}, 3), Adam{.learning_rate = 0.01});
    check_as_large(accumulate(Momentum{}, 3), Momentum{});
}

TEST_CASE("What is accumulated is clipped, penalized, grouped and frozen as one batch") {
    const AdamW adam{.learning_rate = 0.01};
    check_as_large(accumulate(clip_gradient_norm(GradientDescent{.learning_rate = 0.1}, 0.5), 3),
                   clip_gradient_norm(GradientDescent{.learning_rate = 0.1}, 0.5));
    const auto within = l2_penalty<"*.weights">(group<"1-*">(adam, {.rate_factor = 3}), 0.1);
    check_as_large(accumulate(within, 3), within);
    check_as_large(l2_penalty<"*.weights">(group<"1-*">(accumulate(adam, 3), {.rate_factor = 3}), 0.1), within);
    check_as_large(frozen<"1-*">(accumulate(adam, 3)), frozen<"1-*">(adam));
    check_as_large(accumulate(frozen<"1-*">(adam), 3), frozen<"1-*">(adam));
}

TEST_CASE("Gradients of each batch are clipped where that stands outside") {
    const GradientDescent descent{.learning_rate = 0.1};
    const auto mean_clipped = trained(accumulate(clip_gradient_norm(descent, 0.1), 3), small_batches(), 1);
    const auto each_clipped = trained(clip_gradient_norm(accumulate(descent, 3), 0.1), small_batches(), 1);
    CHECK(largest_difference(mean_clipped, each_clipped) > 1e-5);
}

TEST_CASE("Parameters and states keep their bits but after each n-th batch, over the ends of epochs") {
    Trainer trainer("pair", Pair{}, accumulate(Momentum{}, 4), small_batches());
    Tensors before = tensors_of(trainer.model());
    int updates = 0;
    trainer.on_iteration([&](auto& t) {
        const Tensors now = tensors_of(t.model());
        const bool moved = now != before;
        CHECK(moved == (t.iteration() % 4 == 0));
        updates += moved ? 1 : 0;
        before = now;
    });
    trainer.run(cpu(), 4);
    CHECK(updates == 6);
}

TEST_CASE("One batch at a time is the optimizer itself, bit by bit") {
    CHECK(trained(accumulate(Adam{}, 1), small_batches(), 3) == trained(Adam{}, small_batches(), 3));
}

TEST_CASE("Averages within count the updates, those outside the batches") {
    const auto averages = [](auto optimizer, const auto& batches) {
        Trainer trainer("pair", Pair{}, optimizer, batches, element<double>, 3);
        trainer.run(cpu(), 5);
        return tensors_of(averaged_model(trainer));
    };
    const GradientDescent descent{.learning_rate = 0.1};
    CHECK(largest_difference(averages(accumulate(ema(descent, 0.8), 3), small_batches()),
                             averages(ema(descent, 0.8), large_batches())) < 1e-12);
    CHECK(largest_difference(averages(accumulate(swa(descent, {.start = 4, .interval = 2}), 3), small_batches()),
                             averages(swa(descent, {.start = 4, .interval = 2}), large_batches())) < 1e-12);

    Trainer outside("pair", Pair{}, ema(accumulate(descent, 3), 0.8), small_batches(), element<double>, 3);
    Tensors wanted;
    outside.on_iteration([&](auto& t) {
        const Tensors now = tensors_of(t.model());
        const double s = static_cast<double>(t.iteration()), d = std::min(0.8, (s - 1) / (s + 9));
        if (wanted.empty()) wanted = now;
        for (std::size_t p = 0; p < now.size(); ++p)
            for (std::size_t i = 0; i < now[p].size(); ++i) wanted[p][i] = d * wanted[p][i] + (1 - d) * now[p][i];
    });
    outside.run(cpu(), 5);
    CHECK(largest_difference(tensors_of(averaged_model(outside)), wanted) < 1e-12);
}

TEST_CASE("There are no averages before the first update") {
    const auto examine = [](auto optimizer) {
        Trainer trainer("pair", Pair{}, optimizer, small_batches());
        trainer.on_iteration([](auto& t) {
            if (t.iteration() == 1)
                CHECK(error_text<StateError>([&] { averaged_model(t); }) ==
                      "averages of parameters: expected 1 update or more, found 0");
            if (t.iteration() == 2)
                CHECK(error_text<StateError>([&] { with_averages(t, [] { return 1; }); }).starts_with("averages"));
            if (t.iteration() == 3) CHECK_NOTHROW(averaged_model(t));
        });
        trainer.run(cpu(), 1);
    };
    examine(accumulate(ema(Adam{}), 3));
    examine(ema(accumulate(Adam{}, 3)));
}

TEST_CASE("A run that is resumed between updates has the same bits") {
    check_resumed(accumulate(Momentum{}, 4), 13);
    check_resumed(accumulate(ema(AdamW{}, 0.9), 4), 14);
    check_resumed(ema(clip_gradient_norm(accumulate(Adam{}, 4), 1), 0.9), 3);
}

TEST_CASE("Updates from gradients that were found elsewhere accumulate as well") {
    // As groups of devices take them: local gradients, then the update alone.
    Model<Pair, double> parts(3), whole(3);
    BatchTrainer trainer(parts, accumulate(GradientDescent{.learning_rate = 0.1}, 2));
    BatchTrainer large(whole, GradientDescent{.learning_rate = 0.1});
    auto x = Array<double>::from_shape({8, 3}), y = Array<double>::from_shape({8, 2});
    Philox random(11, RandomUse::user, 0);
    random.fill_normal(std::span<double>(x.data(), x.size()), 0.0, 1.0);
    random.fill_normal(std::span<double>(y.data(), y.size()), 0.0, 1.0);
    const auto half = [](const Array<double>& of, std::size_t first) {
        auto some = Array<double>::from_shape({4, of.shape()[1]});
        std::copy_n(of.data() + first * of.shape()[1], some.size(), some.data());
        return some;
    };
    const Tensors first = tensors_of(parts);
    trainer.train_on_batch(half(x, 0), half(y, 0));
    CHECK(tensors_of(parts) == first);
    trainer.train_on_batch(half(x, 4), half(y, 4));
    large.train_on_batch(x, y);
    CHECK(tensors_of(parts) != first);
    CHECK(largest_difference(tensors_of(parts), tensors_of(whole)) < 1e-14);
}

TEST_CASE("A parameter that thaws does not take gradients again that were applied") {
    // Learning from what came since the last update alone: of a parameter without momentum, as if it had not been
    // frozen in those steps in which nothing is applied.
    const auto thawed = [](bool freeze) {
        Trainer trainer("pair", Pair{}, accumulate(GradientDescent{.learning_rate = 0.1}, 3), small_batches(),
                        element<double>, 3);
        trainer.on_iteration([&](auto& t) {
            if (freeze && t.iteration() == 3) t.freeze("1-*");
            if (freeze && t.iteration() == 5) t.unfreeze("1-*");
        });
        trainer.run(cpu(), 5);
        return tensors_of(trainer.model());
    };
    CHECK(thawed(true) == thawed(false));
}

TEST_CASE("One batch or more is accumulated") {
    CHECK(error_text<ArgumentError>([] { accumulate(Adam{}, 0); }) ==
          "batches of accumulate: expected 1 or more, found 0");
    auto optimizer = accumulate(Adam{}, 2);
    optimizer.batches = -1;
    CHECK_THROWS_AS(optimizer.scalars(1), ArgumentError);
    CHECK(detail::updates_after(accumulate(ema(Adam{}), 3), 8) == 2);
    CHECK(detail::updates_after(Adam{}, 8) == 8);
}
