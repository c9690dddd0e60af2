// SPDX-License-Identifier: BSL-1.0
// Blocks of the page about named sizes, compiled only.
#include <sigma/sigma.hpp>

#include <cstdint>
#include <cstdlib>
#include <string>

namespace {

using namespace sigma;

// [sizes-table]
struct Table : Network<Input(dim<"features">) + 2 * Dense(dim<"width">, relu) + Dense(dim<"classes">) + SoftmaxCE()> {};
// [sizes-table]
// [sizes-reader]
struct Reader : Network<Input(dim<"steps">) + Embedding(dim<"words">, 4 * dim<"head">) + SinusoidalPositions() +
                        3 * TransformerBlock(4, dim<"hidden">) + GlobalAveragePool() + Dense(2) + SoftmaxCE()> {};
// [sizes-reader]

// [sizes-layer]
struct Scaled : Layer {
    Extent units;
    constexpr explicit Scaled(Extent units_) : units(units_) {}
    static constexpr Text kind = "scaled";
    static constexpr void each_size(auto& self, auto f) { f(self.units); }

    constexpr Tensor forward(Context& context, Tensor x) const {
        const int inputs = x.shape().last();
        const Tensor w = parameter(context, {inputs, units}, "weights", gaussian(1.0));
        return dot(x, w) * (1.0 / inputs);
    }
};
struct Own : Network<Input(dim<"features">) + Scaled(dim<"width">) + Dense(dim<"classes">) + SoftmaxCE()> {};
// [sizes-layer]

[[maybe_unused]] void trained(const Dataset& training, char** argv) {
    // [sizes-trainer]
    Trainer trainer("table", Table{dim<"width"> = std::atoi(argv[1])}, Adam{}, minibatches(training, 32));
    trainer.run(cpu(), 20);
    // [sizes-trainer]
    // [sizes-summary]
    summary(trainer.model());
    // [sizes-summary]
    // [sizes-again]
    Model<Table> model(trainer.model().definition());
    load_parameters(model, "table.safetensors");
    // [sizes-again]
}

[[maybe_unused]] void models(std::uint64_t seed) {
    // [sizes-model]
    Model model(Table{dim<"width"> = 15, dim<"features"> = 4, dim<"classes"> = 3}, seed);
    model.parameter("1-dense.weights").fill(0);  // (4, 15)
    // [sizes-model]
}

}  // namespace
