// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_hooks_wait_for_each_other<.*hook_number<1>.*hook_number<2>
#include <sigma/hook/words.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/optimizer/gradient_descent.hpp>
#include <sigma/trainer/trainer.hpp>
using namespace sigma;

template <Text key, class... Read>
struct Makes : Action<Makes<key, Read...>> {
    using Reads = Types<Read...>;
    using Writes = Types<Computed<key>>;
    static void run(auto& context) { context.template publish<Computed<key>>((1 + ... + context.get(Read{}))); }
    static std::string text() { return "make"; }
};

struct Tiny : Network<Input(2) + Dense(2) + SoftmaxCE()> {};

void train(Trainer<Tiny, GradientDescent>& trainer) {
#ifdef TWIN
    trainer.add(every(1, epoch).then(Makes<"smoothness", Computed<"roughness">>{}),
                every(1, epoch).then(Makes<"roughness">{}));
#else
    trainer.add(every(1, epoch).then(Makes<"smoothness", Computed<"roughness">>{}),
                every(1, epoch).then(Makes<"roughness", Computed<"smoothness">>{}));
#endif
}
