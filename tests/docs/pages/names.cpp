// SPDX-License-Identifier: BSL-1.0
// Blocks of docs/networks.md about names, compiled only. The file has no global `using namespace sigma;`.
#include <sigma/sigma.hpp>

#include <cstdio>

// [names-qualified]
namespace sg = sigma;

struct Digits : sg::Network<sg::Input(28, 28) + 2 * sg::Dense(128, sg::relu) + sg::Dense(10) + sg::SoftmaxCE()> {};

void train(const sg::Dataset& training, const sg::Dataset& testing) {
    sg::Trainer trainer("digits", Digits{}, sg::Adagrad{.learning_rate = 0.02f}, sg::minibatches(training, 100));
    trainer.add(sg::every(1, sg::epoch).then(sg::score(testing), sg::report(sg::epoch, sg::error, sg::accuracy)),
                sg::when(sg::accuracy.reaches(0.98) || sg::after(20, sg::epoch)).then(sg::stop));
    trainer.run(sg::cpu(2));
}
// [names-qualified]

// [names-inside]
int epoch = 0;  // a variable of the program
struct Error {};

namespace networks {
using namespace sigma;  // valid up to the end of this namespace

struct Digits : Network<Input(28, 28) + 2 * Dense(128, relu) + Dense(10) + SoftmaxCE()> {};

void stop_late(Trainer<Digits, Adam>& trainer) { trainer.add(after(20, sigma::epoch).then(stop)); }
}  // namespace networks

struct Watched {
    networks::Digits network;
    Error last;
    int at = epoch;
};
// [names-inside]

Watched names_page() { return {}; }

// [version]
#if SIGMA_VERSION < 100  // 10000 * major + 100 * minor + patch: 100 is 0.1.0
#error "This program needs Sigma 0.1.0 or newer"
#endif

int main() { std::printf("headers %s, library %s\n", SIGMA_VERSION_TEXT, sigma::version()); }
// [version]
