// SPDX-License-Identifier: BSL-1.0
// Losses and their gradients, here and in libtorch, in double precision.
#include <sigma/sigma.hpp>

#include <torch/torch.h>

#include "unit/layer/loss_support.hpp"

#include <functional>

namespace {

using namespace sigma;
using test::Numbers_;
namespace F = torch::nn::functional;

template <Shape S>
torch::Tensor torch_of(const Numbers_& numbers) {
    std::vector<std::int64_t> extents;
    for (int i = 0; i < S.rank; ++i)
        extents.push_back(S[i] > 0 ? S[i] : static_cast<std::int64_t>(numbers.size()) / S.count());
    return torch::from_blob(const_cast<double*>(numbers.data()), extents, torch::kDouble).clone();
}

/// Both sides sum in their own order; values here are at most a few hundred.
template <auto layer, Shape Z, Shape Y>
void compare(const Numbers_& z, const Numbers_& y,
             const std::function<torch::Tensor(torch::Tensor, torch::Tensor)>& theirs) {
    const auto found = test::differentiated<layer, Z, Y>(z, y, 1.75);
    torch::Tensor scores = torch_of<Z>(z).requires_grad_(true);
    const torch::Tensor l = 1.75 * theirs(scores, torch_of<Y>(y));
    l.backward();
    CHECK(found.value == Approx(l.item<double>()).epsilon(1e-13).margin(1e-13));
    const torch::Tensor gradient = scores.grad().contiguous();
    double worst = 0;
    for (std::size_t i = 0; i < z.size(); ++i)
        worst = std::max(worst, std::abs(found.gradient[i] - gradient.data_ptr<double>()[i]));
    CHECK(worst < 1e-12);
}

constexpr Shape rows{batch, 5}, labels{batch}, sequences{batch, 4, 3}, positions{batch, 4};
const Numbers_ z = test::random_numbers(1, 35, -3, 3), classes{0, 4, 2, 3, 1, 2, 2};
const Numbers_ scores = test::random_numbers(2, 36, -3, 3), over_time{0, 2, 1, 1, 2, 2, 0, 1, 2, 0, 0, 1};

torch::Tensor weights() { return torch::tensor({1.0, 2.0, 0.5, 0.25, 3.0}, torch::kDouble); }
constexpr auto weighted = SoftmaxCE({.smoothing = 0.1, .ignore = 2}).weighted(1, 2, 0.5, 0.25, 3);

TEST_CASE("cross-entropy agrees with libtorch", "[oracle]") {
    using Options = F::CrossEntropyFuncOptions;
    compare<SoftmaxCE{}, rows, labels>(z, classes,
                                       [](auto a, auto b) { return F::cross_entropy(a, b.to(torch::kLong)); });
    compare<SoftmaxCE({.smoothing = 0.1}), rows, labels>(z, classes, [](auto a, auto b) {
        return F::cross_entropy(a, b.to(torch::kLong), Options().label_smoothing(0.1));
    });
    compare<SoftmaxCE({.ignore = 2}), rows, labels>(
        z, classes, [](auto a, auto b) { return F::cross_entropy(a, b.to(torch::kLong), Options().ignore_index(2)); });
    compare<SoftmaxCE({.reduction = Reduction::total}), rows, labels>(z, classes, [](auto a, auto b) {
        return F::cross_entropy(a, b.to(torch::kLong), Options().reduction(torch::kSum));
    });
    compare<weighted, rows, labels>(z, classes, [](auto a, auto b) {
        return F::cross_entropy(a, b.to(torch::kLong),
                                Options().label_smoothing(0.1).ignore_index(2).weight(weights()));
    });
    compare<SoftmaxCE({.smoothing = 0.2, .ignore = 1}), sequences, positions>(scores, over_time, [](auto a, auto b) {
        return F::cross_entropy(a.transpose(1, 2), b.to(torch::kLong), Options().label_smoothing(0.2).ignore_index(1));
    });
    compare<SoftmaxDistributionCE({.smoothing = 0.1}), rows, rows>(
        z, test::random_distributions(3, 7, 5),
        [](auto a, auto b) { return F::cross_entropy(a, b, Options().label_smoothing(0.1)); });
}

TEST_CASE("losses of numbers agree with libtorch", "[oracle]") {
    const Numbers_ y = test::random_numbers(4, 35), share = test::random_numbers(5, 35, 0, 1);
    compare<MeanSquaredError{}, rows, rows>(z, y, [](auto a, auto b) { return F::mse_loss(a, b); });
    compare<SquaredDiff({.reduction = Reduction::total}), rows, rows>(
        z, y, [](auto a, auto b) { return F::mse_loss(a, b, F::MSELossFuncOptions(torch::kSum)); });
    compare<AbsoluteError{}, rows, rows>(z, y, [](auto a, auto b) { return F::l1_loss(a, b); });
    compare<Huber(0.75), rows, rows>(
        z, y, [](auto a, auto b) { return F::huber_loss(a, b, F::HuberLossFuncOptions().delta(0.75)); });
    compare<BinaryCE{}, rows, rows>(z, share, [](auto a, auto b) { return F::binary_cross_entropy_with_logits(a, b); });
    compare<BinaryCE({.positive_weight = 3.5}), rows, rows>(z, share, [](auto a, auto b) {
        const auto weight = torch::full({1}, 3.5, torch::kDouble);
        return F::binary_cross_entropy_with_logits(a, b,
                                                   F::BinaryCrossEntropyWithLogitsFuncOptions().pos_weight(weight));
    });
    compare<Hinge{}, rows, rows>(z, y, [](auto a, auto b) { return (1 - torch::sign(b) * a).clamp_min(0).mean(); });
}

TEST_CASE("losses of rows agree with libtorch", "[oracle]") {
    const Numbers_ q = test::random_distributions(6, 7, 5), y = test::random_numbers(7, 35);
    compare<KLDivergence{}, rows, rows>(z, q, [](auto a, auto b) {
        return F::kl_div(F::log_softmax(a, 1), b, F::KLDivFuncOptions(torch::kBatchMean));
    });
    compare<CosineLoss{}, rows, rows>(
        z, y, [](auto a, auto b) { return F::cosine_embedding_loss(a, b, torch::ones({7}, torch::kDouble)); });
    compare<MulticlassHinge{}, rows, labels>(
        z, classes, [](auto a, auto b) { return 5 * F::multi_margin_loss(a, b.to(torch::kLong)); });
    compare<NLL{}, rows, rows>(test::random_distributions(8, 7, 5), q,
                               [](auto a, auto b) { return -(b * a.clamp(1e-7, 1 - 1e-7).log()).sum(1).mean(); });
}

TEST_CASE("CTC agrees with libtorch", "[oracle]") {
    constexpr Shape heard{batch, 12, 5}, spelled{batch, 4};
    const Numbers_ y{1, 2, 3, 4, 2, 2, 1, 0, 3, 0, 0, 0};
    const auto theirs = [](auto reduction) {
        return [reduction](torch::Tensor a, torch::Tensor b) {
            return F::ctc_loss(F::log_softmax(a, 2).transpose(0, 1), b.to(torch::kLong),
                               torch::tensor({12, 12, 12}, torch::kLong), torch::tensor({4, 3, 1}, torch::kLong),
                               F::CTCLossFuncOptions().blank(0).reduction(reduction));
        };
    };
    const Numbers_ a = test::random_numbers(9, 180, -3, 3);
    compare<CTC(4, {.reduction = Reduction::total}), heard, spelled>(a, y, theirs(torch::kSum));
    compare<CTC(4, {.reduction = Reduction::over_elements}), heard, spelled>(a, y, theirs(torch::kMean));
}

}  // namespace
