// SPDX-License-Identifier: BSL-1.0
// Handwritten digits by several processes: mpirun -n 4 38_machines. Each takes a part of each batch; however many they
// are, all end with the same bits. Started alone it is one process.
#include <sigma/data/mnist.hpp>
#include <sigma/machines.hpp>
#include <sigma/sigma.hpp>

#include <cstdio>

using namespace sigma;

struct Digits
    : Network<Input(28, 28) + Dense(128) + BatchNorm() + Dropout(0.2) + Dense(64, relu) + Dense(10) + SoftmaxCE()> {};

namespace {

int run() {
    const auto [training, testing, whole] = data::mnist();
    // [machines]
    const MachineSet all = machines(cpu(1));
    Trainer trainer("digits", Digits{}, Adam{.learning_rate = 0.002}, minibatches(training, 128));
    trainer.add(every(1, epoch).then(
        score(testing), report("epoch {}  error {:.3f}  accuracy {:.3f}", epoch, validation_error, accuracy)));
    trainer.run(all, 3);
    if (all.first()) std::printf("trained by %d processes\n", all.count());
    // [machines]
    const double reached = trainer.evaluate(testing).accuracy;
    std::printf("rank %d: %.1f %% of the digits are right\n", all.rank(), 100 * reached);
    return reached > 0.93 ? 0 : 1;
}

}  // namespace

int main() { return run_main(run); }
