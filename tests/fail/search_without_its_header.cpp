// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_word_is_not_included<.*include_sigma_trainer_search_hpp
#ifdef TWIN
#include <sigma/trainer/search.hpp>
#endif
#include <sigma/sigma.hpp>
using namespace sigma;

auto use() {
    return search({.trials = 16}, [](Trial& trial) { return trial.real("learning_rate", 0.001, 0.1); });
}
