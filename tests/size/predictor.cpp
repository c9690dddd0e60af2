// SPDX-License-Identifier: BSL-1.0
// The smallest program that predicts: `predictor MODEL` prints what a model of one input says of a record of halves.
#include <sigma/core/run_main.hpp>
#include <sigma/exchange/model_file.hpp>
#include <sigma/network/predictor.hpp>

#include <cstdio>
#include <vector>

int main(int count, char** arguments) {
    return sigma::run_main([&] {
        if (count != 2) throw sigma::ArgumentError("command line", "a model's file", "another");
        const auto model = sigma::load_model(arguments[1]);
        const sigma::Predictor<sigma::DynamicNetwork> predictor(model);
        const std::vector<float> x(static_cast<std::size_t>(model.records.inputs[0].count()), 0.5f);
        std::vector<float> y(static_cast<std::size_t>(model.records.costs[0].prediction.count()));
        predictor.predict(x.data(), y.data(), 1);
        for (const float each : y) std::printf("%g ", static_cast<double>(each));
        std::puts("");
        return 0;
    });
}
