// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_word_is_not_included<.*include_sigma_trainer_terminal_classification_report_hpp
#ifdef TWIN
#include <sigma/trainer/terminal/classification_report.hpp>
#endif
#include <sigma/sigma.hpp>
using namespace sigma;

struct Tiny : Network<Input(4) + Dense(8, relu) + Dense(3) + SoftmaxCE()> {};
auto use(const Model<Tiny>& model, const Dataset& data) { return classification_report(model, data); }
