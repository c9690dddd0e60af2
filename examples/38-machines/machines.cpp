// SPDX-License-Identifier: BSL-1.0
// Learns handwritten digits with several processes: mpirun -n 4 38_machines. Each process computes a part of each
// batch. The result is bit-identical for any number of processes. Then each process has two workers, which train
// separate networks that are averaged from time to time. Without mpirun, the program is one process.
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
    // [workers]
    Trainer apart("apart", Digits{}, Adam{.learning_rate = 0.002}, minibatches(training, 32));
    apart.add(in_each_worker(every(1, epoch).then(report(epoch, error))));
    apart.run(machines(workers(2, {.merge_every = 20})), 3);
    // [workers]
    const double merged = apart.evaluate(testing).accuracy;
    std::printf("rank %d: %.1f %% by the average of %d networks\n", all.rank(), 100 * merged, 2 * all.count());
    return reached > 0.93 && merged > 0.88 ? 0 : 1;
}

}  // namespace

int main() { return run_main(run); }
