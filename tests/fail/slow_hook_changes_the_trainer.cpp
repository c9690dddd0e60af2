// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_action_cannot_run_in_the_background<Changes>
#include <chrono>
#include <sigma/hook/words.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/optimizer/gradient_descent.hpp>
#include <sigma/trainer/trainer.hpp>
using namespace sigma;

struct Changes : Action<Changes> {
    static constexpr bool in_background = false;
    static void run(auto& context) { context.trainer().optimizer.learning_rate = 1; }
    static std::string text() { return "change"; }
};

struct Tiny : Network<Input(2) + Dense(2) + SoftmaxCE()> {};

void train(Trainer<Tiny, GradientDescent>& trainer) {
#ifdef TWIN
    trainer.add(every(1, epoch).then(stop, Changes{}));
#else
    trainer.add(every(1, epoch).then(stop, Changes{}).in_background_if_slower(std::chrono::seconds(1)));
#endif
}
