// SPDX-License-Identifier: BSL-1.0
// A loss and an optimizer of your own. Two networks learn the lower and the upper end of the range of 80 % of noisy
// measurements, with the loss of a quantile and the sign of a momentum. The noise grows with x, so the range must grow,
// too. 77 to 83 % of 4000 new measurements lie within it. Data and parameters are in double.
#include <sigma/sigma.hpp>

#include <array>
#include <cmath>
#include <cstdio>
#include <xtensor/xmath.hpp>
#include <xtensor/xrandom.hpp>

using namespace sigma;

// [own-loss]
/// The loss of a quantile (Koenker and Bassett 1978): a prediction that is too low costs `share` per unit, one that is
/// too high 1 - share. So the best prediction is the number below which that share of the targets lies.
struct Quantile : ElementLoss<Quantile, Reduction::over_elements> {
    double share;

    constexpr explicit Quantile(double s, Options o = {}) : ElementLoss(o), share(s) {}

    static constexpr Text kind = "quantile";
    constexpr Tensor term(Tensor z, Tensor y) const {
        const Tensor missing = y - z;
        const Tensor too_low = share * missing;
        return max(too_low, (share - 1) * missing);
    }
};
// [own-loss]

/// An optimizer: w ← w − rate · sign(v), v ← μv + (1−μ)g (Bernstein et al. 2018, Signum).
struct Signum {
    double learning_rate = 0.001;
    double momentum = 0.9;

    static constexpr Text name = "signum";
    constexpr std::array<double, 3> scalars(std::uint64_t) const { return {learning_rate, momentum, 1 - momentum}; }
    static constexpr void update(Update& u, Variable w, Variable g) {
        const Variable v = u.state("velocity", w.shape());
        const Variable kept = u.scalar(1) * v;
        const Variable next = kept + u.scalar(2) * g;
        u.assign(v, next);
        u.assign(w, w - u.scalar(0) * sign(next));
    }
};

struct Lower : Network<Input(1) + 2 * Dense(24, tanh) + Dense(1) + Quantile(0.1)> {};
struct Upper : Network<Input(1) + 2 * Dense(24, tanh) + Dense(1) + Quantile(0.9)> {};

namespace {

Dataset measured(std::size_t records, unsigned seed) {
    xt::random::seed(seed);
    const xt::xtensor<double, 2> x = xt::random::rand<double>({records, std::size_t{1}}, 0, 2);
    const xt::xtensor<double, 2> noise = xt::random::randn<double>({records, std::size_t{1}});
    const xt::xtensor<double, 2> y = xt::sin(3 * x) + (0.1 + 0.3 * x) * noise;
    return make_dataset(x, y, "measured");
}

template <class N>
Array<double> ends(const char* name, const Dataset& training, const Dataset& testing) {
    Trainer trainer(name, N{}, Signum{.learning_rate = 0.003}, minibatches(training, 100), element<double>, 3);
    trainer.add(schedule(exponential(0.93), epoch),
                every(20, epoch).then(report("epoch {:2}  loss {:.4f}", epoch, average(loss).per(epoch))));
    trainer.run(cpu(), 60);
    return trainer.predict(testing.inputs<double>());
}

int run() {
    const Dataset training = measured(4000, 1), testing = measured(4000, 2);
    const Array<double> low = ends<Lower>("lower", training, testing), high = ends<Upper>("upper", training, testing);
    const Array<double> y = testing.targets<double>();
    std::size_t within = 0;
    for (std::size_t r = 0; r < testing.size(); ++r) within += y(r, 0) >= low(r, 0) && y(r, 0) <= high(r, 0) ? 1 : 0;
    const double share = static_cast<double>(within) / static_cast<double>(testing.size());
    std::printf("%.1f %% of new measurements lie within the range\n", 100 * share);
    if (share >= 0.77 && share <= 0.83) return 0;
    std::puts("it should be 77 to 83 %");
    return 1;
}

}  // namespace

int main() { return run_main(run); }
