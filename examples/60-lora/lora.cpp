// SPDX-License-Identifier: BSL-1.0
// Adapts a network for digits to pictures of clothes by matrices of low rank (LoRA). The layers for digits keep their
// parameters. 9 % as many numbers are trained and stored. At least 75 % of the test clothes are classified correctly,
// and at least 10 percentage points fewer if the layers for digits are used as they are. The merged network classifies
// the same.
#include <sigma/data/mnist.hpp>
#include <sigma/sigma.hpp>

#include <cmath>
#include <cstdio>
#include <string_view>

using namespace sigma;

// [networks]
constexpr auto body = Dense(128, relu) + Dense(64, relu);
struct Digits : Network<Input(28, 28) + body + Dense(10) + SoftmaxCE()> {};
struct Clothes : Network<Input(28, 28) + lora(8, body) + Dense(10) + SoftmaxCE()> {};
// [networks]
struct Unchanged : Network<Input(28, 28) + frozen(body) + Dense(10) + SoftmaxCE()> {};

int main() {
    return run_main([] {
        const data::ImageParts digits = data::mnist(), clothes = data::fashion_mnist();
        Trainer base("digits", Digits{}, Adam{}, minibatches(digits.training, 64));
        base.run(cpu(), 5);
        std::printf("digits: %.1f %% correct\n", 100 * base.evaluate(digits.testing).accuracy);

        // [train]
        Trainer trainer("clothes", Clothes{}, Adam{.learning_rate = 0.002}, minibatches(clothes.training, 64));
        transfer(base, trainer, "*", Transfer::common);
        trainer.run(cpu(), 10);
        // [train]

        // [file]
        const auto is_trained = [](std::string_view name) {
            return name.find("_lora_") != name.npos || name.starts_with("3-dense.");
        };
        save_parameters(trainer.model(), "clothes.safetensors", is_trained);
        // [file]

        // [merge]
        Model<Digits> merged;
        merge_lora(trainer.model(), merged);
        // [merge]
        Trainer unchanged("clothes", Unchanged{}, Adam{.learning_rate = 0.002}, minibatches(clothes.training, 64));
        transfer(base, unchanged, "*", Transfer::common);
        unchanged.run(cpu(), 10);
        const double with_lora = trainer.evaluate(clothes.testing).accuracy;
        const double of_merged = merged.evaluate(clothes.testing).accuracy;
        const double without = unchanged.evaluate(clothes.testing).accuracy;
        std::printf("clothes: %.1f %% correct, merged %.1f %%, without lora %.1f %%\n", 100 * with_lora,
                    100 * of_merged, 100 * without);
        if (with_lora >= 0.75 && std::abs(of_merged - with_lora) < 0.005 && without <= with_lora - 0.1) return 0;
        std::puts("lora should reach 75 %, the same when it is merged, and 10 percentage points more than without it");
        return 1;
    });
}
