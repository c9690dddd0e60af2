// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_network_has_no_parameter<.*1.*d.*e.*n.*s.*e
#include <sigma/hook/in_each_worker.hpp>
#include <sigma/hook/report.hpp>
#include <sigma/hook/tensor_values.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/optimizer/gradient_descent.hpp>
#include <sigma/trainer/trainer.hpp>
using namespace sigma;

struct Tiny : Network<Input(2) + Dense(2) + SoftmaxCE()> {};

void train(Trainer<Tiny, GradientDescent>& trainer) {
#ifdef TWIN
    trainer.add(in_each_worker(every(1, epoch).then(report(norm(parameter<"1-dense.weights">())))));
#else
    trainer.add(in_each_worker(every(1, epoch).then(report(norm(parameter<"2-dense.weights">())))));
#endif
}
