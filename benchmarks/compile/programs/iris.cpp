// SPDX-License-Identifier: BSL-1.0
// Iris with HOOKS hooks: 0 to 5.
#include <sigma/data/ready.hpp>
#include <sigma/sigma.hpp>

#if HOOKS >= 5
#include <chrono>
using namespace std::chrono_literals;
#endif

using namespace sigma;

struct Iris : Network<Input(4) + 2 * Dense(12, tanh) + Dense(3) + SoftmaxCE()> {};

int main() {
    const auto [training, validation] = split(data::iris(), 0.8, 0.2);
    Trainer trainer("iris", Iris{}, Adam{.learning_rate = 0.01}, minibatches(training, 10));
#if HOOKS
    trainer.add(every(1, epoch).then(report(epoch, error))
#if HOOKS >= 2
                    ,
                every(1, epoch).then(score(validation))
#endif
#if HOOKS >= 3
                    ,
                when(accuracy.reaches(0.98) || after(20, epoch)).then(stop)
#endif
#if HOOKS >= 4
                    ,
                when(loss.falls_below(0.1).in_a_row(3) && after(5, epoch)).then(report("low", loss))
#endif
#if HOOKS >= 5
                    ,
                every(30s).then(report(iteration, samples_per_second))
#endif
    );
#endif
    trainer.run(cpu(1), 20);
}
