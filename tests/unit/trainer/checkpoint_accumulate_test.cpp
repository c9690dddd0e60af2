// SPDX-License-Identifier: BSL-1.0
#include <sigma/layer/dense.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/optimizer/accumulate.hpp>
#include <sigma/optimizer/adam.hpp>
#include <sigma/optimizer/average.hpp>
#include <sigma/trainer/trainer.hpp>

#include <catch2/catch.hpp>
#include <support/scratch.hpp>
#include <support/thrown.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

using namespace sigma;

namespace {

struct SummedPair : Network<Input(2) + Dense(1) + SquaredDiff()> {};

Minibatches six_batches() {
    Numbers x{{12, 2}, std::vector<float>(24)}, y{{12, 1}, std::vector<float>(12)};
    for (std::size_t i = 0; i < 24; ++i) x.values[i] = static_cast<float>(i % 5) / 5;
    for (std::size_t i = 0; i < 12; ++i) y.values[i] = static_cast<float>(i % 3);
    return minibatches(Dataset(x, y, "sums"), 2);
}
auto trainer_of(auto optimizer) { return Trainer("sums", SummedPair{}, optimizer, six_batches()); }

void save_after(auto optimizer, std::uint64_t iterations, const std::string& file) {
    auto trainer = trainer_of(optimizer);
    trainer.on_iteration([&](auto& t) {
        if (t.iteration() == iterations) t.save(file);
    });
    trainer.run(cpu(), 1);
}
std::string refusal(auto optimizer, const std::string& file) {
    auto trainer = trainer_of(optimizer);
    const auto weight = [&] { return *trainer.model().template parameter<"1-dense.weights">().begin(); };
    const float before = weight();
    const std::string text = error_text<MismatchError>([&] { trainer.load(file); });
    CHECK(weight() == before);
    CHECK(trainer.iteration() == 0);
    const std::string begin = sentence("checkpoint '", file, "' for trainer 'sums': ");
    return text.starts_with(begin) ? text.substr(begin.size()) : text;
}

}  // namespace

TEST_CASE("A checkpoint of another accumulation is refused, within a sum and after one") {
    const Scratch folder;
    const std::string file = (folder.path / "a.sigma").string();
    for (const std::uint64_t at : {3u, 4u}) {
        save_after(accumulate(Adam{}, 4), at, file);
        CHECK(refusal(accumulate(Adam{}, 3), file) == "expected batches of accumulate '3', found '4'");
        auto alike_trainer = trainer_of(accumulate(Adam{}, 4));
        alike_trainer.load(file);
        CHECK(alike_trainer.iteration() == at);
    }
    save_after(ema(accumulate(Adam{}, 2), 0.9), 2, file);
    CHECK(refusal(ema(accumulate(Adam{}, 5), 0.9), file) == "expected batches of accumulate '5', found '2'");
}

TEST_CASE("Neither does one with accumulation fit a trainer without") {
    const Scratch folder;
    const std::string file = (folder.path / "a.sigma").string();
    save_after(accumulate(Adam{}, 4), 3, file);
    CHECK(refusal(Adam{}, file).find("optimizer.gradient_sum.1-dense.weights") != std::string::npos);
    save_after(Adam{}, 3, file);
    CHECK(refusal(accumulate(Adam{}, 4), file).find("optimizer.gradient_sum.1-dense.weights") != std::string::npos);
}
