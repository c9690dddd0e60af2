// SPDX-License-Identifier: BSL-1.0
// Weight decay by kind of layer, decided at compile time. Boost.Hana iterates over the network's parameters, a function
// of the layer returns the decay of each, and only parameters with a decay get a modifier.
#include <sigma/data/ready.hpp>
#include <sigma/data/transform/on_datasets.hpp>
#include <sigma/data/transform/transforms.hpp>
#include <sigma/hana.hpp>
#include <sigma/sigma.hpp>

#include <cstdio>
#include <string>

using namespace sigma;
namespace hana = boost::hana;

struct Iris : Network<Input(4) + Dense(16, tanh) + BatchNorm() + Dense(16, tanh) + Dense(3) + SoftmaxCE()> {};

// [hana]
/// Returns the decay of a parameter in a step: most for weights of the last layer, 0 for biases and normalizations.
template <class P>
constexpr double decay_of(P) {
    if (!P::trained || !P::layer.is("dense") || P::shape.rank < 2) return 0;
    return P::layer.output == Iris::output ? 1e-3 : 1e-4;
}
constexpr auto decays = [](auto p) { return hana::bool_c<(decay_of(decltype(p){}) > 0)>; };
constexpr auto decaying = hana::filter(hana::to_tuple(hana::values(parameters(Iris{}))), decays);
static_assert(hana::length(decaying) == hana::size_c<3>);  // fails if a Dense is added, as a reminder
// [hana]

int main() {
    auto [training, testing] = stratified_split(shuffled(data::iris(), 7), 2.0 / 3, 1.0 / 3);
    const data::Preprocessing standardized = fitted(data::standardize(data::inputs), training);
    training = training >> standardized;
    testing = testing >> standardized;
    Trainer trainer("iris", Iris{}, Adam{.learning_rate = 0.01}, minibatches(training, 10));
    hana::for_each(decaying, [&](auto p) {
        trainer.modify(p.name.view(), scale(1 - decay_of(p)));
        std::printf("%-16s decays by %g a step\n", std::string(p.name.view()).c_str(), decay_of(p));
    });
    trainer.run(cpu(), 60);

    hana::for_each(parameters(trainer.model()), [](auto pair) {
        auto p = hana::second(pair);
        double squares = 0;
        for (const float w : p.elements) squares += static_cast<double>(w) * static_cast<double>(w);
        std::printf("%-24s of a layer '%s': mean square %.4f\n", std::string(p.name.view()).c_str(),
                    std::string(p.layer.kind.view()).c_str(), squares / static_cast<double>(p.elements.size()));
    });
    const double right = trainer.evaluate(testing).accuracy;
    std::printf("accuracy %.3f\n", right);
    return right > 0.9 ? 0 : 1;
}
