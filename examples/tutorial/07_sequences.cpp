// SPDX-License-Identifier: BSL-1.0
// Tutorial, chapter 7: a recurrent network forecasts the number of airline passengers.
//   tutorial_07_sequences [PICTURE.svg]
#include <sigma/data/series.hpp>
#include <sigma/sigma.hpp>

#include <cmath>
#include <cstdio>
#include "picture.hpp"

using namespace sigma;

// [network]
/// Twelve months -> the change of the next month from the same month a year before.
struct Forecast : Network<Input(12, 1) + GRU(16, {.last = true}) + Dense(1) + Huber(0.1)> {};
// [network]

int main(int count, char** arguments) {
    return run_main([&] {
        // [data]
        const data::Series passengers = data::airline_passengers();  // 144 months, in thousands
        data::Series growth = passengers;                            // logarithm of the growth in a year
        growth.values.clear();
        for (std::size_t i = 12; i < passengers.values.size(); ++i)
            growth.values.push_back(std::log(passengers.values[i] / passengers.values[i - 12]));
        const std::size_t known = 96;  // eight years of growth to learn from; three to forecast
        const Dataset training = data::windows(data::part(growth, 0, known), 12);
        // [data]

        // [train]
        Trainer trainer("forecast", Forecast{}, Adam{.learning_rate = 0.01}, minibatches(training, 16));
        trainer.add(every(50, epoch).then(report("epoch {:3}  loss {:.6f}", epoch, training_loss)));
        trainer.run(cpu(), 200);
        // [train]

        // [forecast]
        double error = 0, naive = 0;
        std::vector<double> months, real, forecast;
        for (std::size_t i = known; i < growth.values.size(); ++i) {
            const std::span<const float> year(growth.values.data() + i - 12, 12);
            const float last_year = passengers.values[i];  // growth starts twelve months later
            const float predicted = last_year * std::exp(trainer.predict(ArrayView(year, {1, 12, 1}))(0, 0));
            const float actual = passengers.values[i + 12];
            error += std::abs(static_cast<double>(predicted - actual));
            naive += std::abs(static_cast<double>(passengers.values[i + 11] - actual));
            months.push_back(static_cast<double>(i + 12));
            real.push_back(static_cast<double>(actual));
            forecast.push_back(static_cast<double>(predicted));
        }
        const double n = static_cast<double>(months.size());
        std::printf("mean error of %zu months: network %.1f thousand, last month's number %.1f thousand\n",
                    months.size(), error / n, naive / n);
        // [forecast]

        if (count > 1) {
            tutorial::Chart chart("Airline passengers, one month ahead", "month", "thousands");
            chart.line("real", months, real);
            chart.line("forecast", months, forecast);
            chart.write(arguments[1]);
        }
        return error < 0.6 * naive ? 0 : 1;
    });
}
