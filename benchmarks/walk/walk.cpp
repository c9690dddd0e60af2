// SPDX-License-Identifier: BSL-1.0
// Three walks from a call to a kernel, for walk.py: a minibatch of a run, a prediction of one record, and a score.
#include <sigma/sigma.hpp>

#include <string_view>

using namespace sigma;

extern "C" {
void __gcov_reset();
void __gcov_dump();
}
#ifndef WALK_COVERAGE
void __gcov_reset() {}
void __gcov_dump() {}
#endif

struct Iris : Network<Input(4) + Dense(8, relu) + Dense(3) + SoftmaxCE()> {};

int main(int count, char** words) {
    const std::string_view walk = count > 1 ? words[1] : "";
    auto x = Array<float>::from_shape({60, 4});
    auto y = Array<int>::from_shape({60});
    for (std::size_t i = 0; i < x.size(); ++i) x.data()[i] = static_cast<float>(i % 7) / 7;
    for (std::size_t i = 0; i < y.size(); ++i) y.data()[i] = static_cast<int>(i % 3);
    const Dataset data = make_dataset(x, y);
    Trainer trainer("iris", Iris{}, Adam{}, minibatches(data, 10));
    if (walk == "train")
        trainer.on_iteration([](auto& t) {
            if (t.iteration() == 3) __gcov_reset();
            if (t.iteration() == 4) __gcov_dump();
        });
    trainer.run(cpu(1), 1);
    for (int again = 0; again < 2; ++again) {  // the first call makes the session
        if (walk == "train") break;
        __gcov_reset();
        if (walk == "predict") trainer.model().predict({0.1f, 0.2f, 0.3f, 0.4f});
        if (walk == "evaluate") trainer.evaluate(data);
    }
    if (walk != "train") __gcov_dump();
}
