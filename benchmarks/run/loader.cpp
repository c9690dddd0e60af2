// SPDX-License-Identifier: BSL-1.0
// Minibatches of 100 of MNIST, and the step that takes them; loader_torch.cpp is the other side. SIGMA_DATA names a
// directory with all of MNIST. A case of epochs is 600 batches an epoch.
#include <support/direct_step.hpp>
#include "support/contender.hpp"

#include <sigma/data/blocks/active.hpp>
#include <sigma/data/iterate.hpp>
#include <sigma/data/minibatches.hpp>
#include <sigma/data/mnist.hpp>
#include <sigma/data/ready/published.hpp>
#include <sigma/data/transform/augmentations.hpp>
#include <sigma/execution/step.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/network/network.hpp>
#include <sigma/optimizer/gradient_descent.hpp>

#include <chrono>
#include <memory>
#include <numeric>
#include <thread>

using namespace sigma;
using contender::Work;

namespace {

struct Digits : Network<Input(784) + Dense(128, relu) + Dense(64, relu) + Dense(10) + SoftmaxCE()> {};

struct Training {
    Model<Digits> model{1};
    sigma::test::DirectStep<Digits, GradientDescent> step{model};
    std::uint64_t number = 0;

    void operator()(const Batch& b) {
        step(GradientDescent{.learning_rate = 1e-3}, ++number, b.inputs().data(), b.targets().data(),
             static_cast<std::ptrdiff_t>(b.size()));
    }
};

Dataset read_digits() {
    return data::detail::read_images(data::detail::mnist_training(), "", "mnist",
                                     {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"});
}
const Dataset& digits() {
    static const Dataset all = read_digits();
    return all;
}
void take(BatchIterator& iterator, std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i) contender::keep(iterator.next().inputs().data());
}
std::function<Work()> epochs(const std::function<Minibatches()>& made) {
    return [made]() -> Work {
        const auto iterator = std::make_shared<BatchIterator>(made());
        return [iterator] { take(*iterator, iterator->minibatches().batches_per_epoch()); };
    };
}
/// From the packed files to the last batch.
std::function<Work()> from_files(std::uint64_t count) {
    return [count]() -> Work {
        return [count] {
            BatchIterator iterator(minibatches(read_digits(), 100));
            take(iterator, count * iterator.minibatches().batches_per_epoch());
        };
    };
}
/// Training on `batches`, an epoch at a time.
std::function<Work()> training(const std::function<Minibatches()>& made) {
    return [made]() -> Work {
        const auto iterator = std::make_shared<BatchIterator>(made());
        const auto train = std::make_shared<Training>();
        return [=] {
            for (std::uint64_t i = 0; i < iterator->minibatches().batches_per_epoch(); ++i) (*train)(iterator->next());
        };
    };
}

/// Digits in blocks of 500, each of which takes 5 ms to load, as from a slow disk.
class SlowBlocks : public data::Blocks {
public:
    const std::vector<data::SectionInfo>& sections() const override { return sections_; }
    std::size_t records() const override { return 10000; }
    std::size_t block_records() const override { return 500; }
    void load(std::size_t number, data::Block& to) const override {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        std::vector<std::size_t> positions(block_records());
        std::iota(positions.begin(), positions.end(), number * block_records());
        to.records = positions.size();
        to.values.resize(2);
        to.values[0].resize(784 * positions.size());
        to.values[1].resize(positions.size());
        digits().copy_inputs(positions, to.values[0].floats().data(), 784);
        digits().copy_targets(positions, to.values[1].floats().data(), 1);
    }
    std::string key() const override { return "slow"; }

private:
    std::vector<data::SectionInfo> sections_{{"inputs", {784}, false}, {"targets", {}, true}};
};
Minibatches slow(int depth) {
    const Dataset all(
        std::make_shared<data::ActiveBlocks>(std::make_shared<SlowBlocks>(), "slow", data::BlockLimits{.blocks = 4}));
    return minibatches(all, 100) >> data::prefetch(depth);
}

}  // namespace

int main() {
    const auto plain = [] { return minibatches(digits(), 100); };
    const contender::Cases cases{
        {"epoch", epochs(plain)},
        {"epoch-prefetch", epochs([=] { return plain() >> data::prefetch(2); })},
        {"epoch-augmented", epochs([=] { return plain() >> data::augment(data::shift(2), data::flip_horizontal()); })},
        {"epoch-drawn", epochs([=] { return plain() >> data::balanced; })},
        {"epoch-trained", training(plain)},
        {"epoch-trained-prefetch", training([=] { return plain() >> data::prefetch(2); })},
        {"files-1-epoch", from_files(1)},
        {"files-10-epochs", from_files(10)},
        {"step",
         []() -> Work {
             const auto iterator = std::make_shared<BatchIterator>(minibatches(digits(), 100));
             const auto train = std::make_shared<Training>();
             const Batch& same = iterator->next();
             return [=, &same] {
                 (void)iterator;
                 (*train)(same);
             };
         }},
        {"slow-100-batches", epochs([] { return slow(0); })},
        {"slow-100-batches-trained", training([] { return slow(0); })},
        {"slow-100-batches-trained-prefetch", training([] { return slow(2); })},
    };
    return contender::serve(cases, "Sigma");
}
