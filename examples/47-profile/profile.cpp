// SPDX-License-Identifier: BSL-1.0
// Shows which kernels of a training step and of predictions take the time. Synthetic data, so that it needs no files.
// The tables appear on the terminal. Open profile_trace.json in https://ui.perfetto.dev or chrome://tracing.
#include <sigma/profile.hpp>
#include <sigma/sigma.hpp>

#include <cstdio>

using namespace sigma;

struct Digits : Network<Input(28, 28, 1) + Conv2D(8, 3, relu) + MaxPool(2) + Dense(32, relu) + Dropout(0.25) +
                        Dense(10) + SoftmaxCE()> {};

int main() {
    return run_main([] {
        constexpr std::size_t records = 640;
        Numbers images{{records, 28, 28, 1}, std::vector<float>(records * 784)}, classes{{records}, {}};
        Philox(1, RandomUse::user, 0).fill_uniform(std::span(images.values));
        for (std::size_t i = 0; i < records; ++i) classes.values.push_back(static_cast<float>(i % 10));
        const Dataset data(images, classes, "images");

        Trainer trainer("digits", Digits{}, Adam{}, minibatches(data, 64));
        const Profile measured = profile(trainer, 40, iteration);
        std::fputs(measured.text().c_str(), stdout);
        measured.write_trace("profile_trace.json");

        const ProfileRow* slowest = nullptr;
        for (const ProfileRow& row : measured["training step"].rows)
            if (slowest == nullptr || row.seconds > slowest->seconds) slowest = &row;
        std::printf("slowest kernel: %s of layer %s\n", slowest->kernel.c_str(), slowest->layer.c_str());

        const Profile predictions = profile([&] { trainer.predict(data.inputs()); });
        std::printf("a prediction of %.0f records takes %.3g ms\n", predictions["prediction"].records,
                    1e3 * predictions["prediction"].seconds);
        return 0;
    });
}
