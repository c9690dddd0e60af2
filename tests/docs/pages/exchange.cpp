// SPDX-License-Identifier: BSL-1.0
// Code of docs/model-files.md.
#include <sigma/exchange.hpp>
#include <sigma/sigma.hpp>

#include <span>
#include <string>

using namespace sigma;

namespace {

struct Net : Network<Input(4) + Dense(6) + named("hidden", Dense(5)) + named("tower", 2 * Dense(5)) + Dense(3)> {};
struct Loop : Network<Input(5, 4) + LSTM(6, {.last = true, .stateful = true}) + Dense(2)> {};

[[maybe_unused]] void tapped(const Model<Net>& model, const Array<float>& x) {
    // [tapped]
    const auto hidden = model.predict<"hidden">(x);                    // (records, …)
    const auto [a, b] = model.predict<"1-dense", "tower/2-dense">(x);  // up to four at once; states begin with zeros
    // [tapped]
}

[[maybe_unused]] void stream(const Model<Loop>& model, std::span<const float> input, std::span<float> result) {
    const Predictor predictor(model);
    // [stream]
    auto sensor = predictor.stream();
    sensor.step(input, result);  // one record in, one record out; the next step continues from here
    // [stream]
}

[[maybe_unused]] void small(const Model<Net>& model, const Dataset& training) {
    // [small]
    const auto small = quantize(model, training);  // a Predictor
    save_model(small.model(), "small.sigma");      // its weights need a quarter of the memory
    // [small]
}

}  // namespace
