// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/sigma.hpp>

#include <cstddef>

/// What trainers whose checkpoints are tested have in common.
namespace sigma::test::checkpointed {

inline Dataset points(std::size_t records = 22) {
    Numbers x{{records, 3}, {}}, y{{records}, {}};
    for (std::size_t i = 0; i < 3 * records; ++i) x.values.push_back(static_cast<float>((i * 37 + 11) % 101) / 50 - 1);
    for (std::size_t i = 0; i < records; ++i)
        y.values.push_back(x.values[3 * i] + x.values[3 * i + 1] > 0 ? 1.0f : 0.0f);
    return Dataset(x, y, "points");
}

/// Hooks that change the run and keep counts.
template <class T>
void add_hooks(T& trainer) {
    trainer.add(every(3, iteration).then([](auto& t) { t.optimizer.learning_rate *= 0.97; }),
                when(error.decreases(2)).then([](auto& t) { t.optimizer.learning_rate *= 1.1; }),
                when(average(loss, 5).falls_below(0.6)).then([](auto& t) { t.optimizer.learning_rate *= 0.9; }));
}

}  // namespace sigma::test::checkpointed
