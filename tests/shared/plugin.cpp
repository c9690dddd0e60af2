// SPDX-License-Identifier: BSL-1.0
// A shared library with a network of its own. Nothing of Sigma is visible outside.
#include "plugin.hpp"

#include <sigma/sigma.hpp>

using namespace sigma;

struct Xor : Network<Input(2) + Dense(SIGMA_PLUGIN_UNITS, tanh) + Dense(1, sigmoid) + SquaredDiff()> {};

extern "C" __attribute__((visibility("default"))) double sigma_plugin_learn(int epochs) {
    Trainer trainer("xor", Xor{}, Adam{.learning_rate = 0.05}, minibatches(xor_records(), 4));
    trainer.run({.epochs = epochs, .device = cpu(1), .quiet = true});
    try {  // exceptions of the library pass through its own files
        trainer.predict(Array<float>{{1, 2, 3}});
    } catch (const ShapeError&) { return trainer.evaluate(xor_records()).error; }
    return -1;
}
