// SPDX-License-Identifier: BSL-1.0
// Forecasts the sunspots of the next year, month by month, from the eight years before. Trains on 1749 to 1943 and
// forecasts each year from 1944 to 1983. The mean error of a month is at most 21 spots. For comparison, the value of
// one cycle (eleven years) before has an error of 34.5, and the mean of the last twelve months 30.2.
//   13_forecast [EPOCHS]    (default: 12)
#include <sigma/core/run_main.hpp>
#include <sigma/data/minibatches.hpp>
#include <sigma/data/series.hpp>
#include <sigma/hook/report.hpp>
#include <sigma/hook/score.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/recurrent.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/network/graph.hpp>
#include <sigma/optimizer/adam.hpp>
#include <sigma/trainer/trainer.hpp>

#include <cmath>
#include <cstdio>
#include <cstdlib>

using namespace sigma;

constexpr int seen = 96, ahead = 12;

/// Predicts the next year as the mean of the last year plus the output of a GRU: (batch, 96, 1) -> (batch, 12).
struct Forecast : Network<Input(seen, 1) + [](auto x) {
    const auto state = layer(GRU(24, {.last = true}), x);
    const auto change = layer(Dense(ahead), state);
    return mean(slice(x, axis(1), seen - 12, seen), axis(1)) + change;
} + Huber(0.2)> {};

namespace {

/// Draws one column for each half year: '*' the observed value, 'o' the forecast, '@' both.
std::string plot(const std::vector<float>& actual, const std::vector<float>& forecast, std::size_t first) {
    constexpr std::size_t rows = 16, months = 6;
    constexpr float high = 225;
    std::vector<std::string> lines(rows, std::string((actual.size() - first) / months, ' '));
    for (std::size_t column = 0; column < lines[0].size(); ++column)
        for (const auto& [values, sign] : {std::pair{&actual, '*'}, std::pair{&forecast, 'o'}}) {
            float mean = 0;
            for (std::size_t i = 0; i < months; ++i) mean += (*values)[first + column * months + i] / months;
            char& c =
                lines[static_cast<std::size_t>(std::lround((1 - std::min(mean / high, 1.0f)) * (rows - 1)))][column];
            c = c == '*' ? '@' : sign;
        }
    std::string text;
    for (std::size_t row = 0; row < rows; ++row) {
        std::string label = row % 5 == 0 ? std::to_string(225 - 15 * row) : "";
        text += sentence(std::string(4 - label.size(), ' '), label, " |", lines[row], "\n");
    }
    return text + "      1944                1954                1964                1974\n";
}

int run(int epochs) {
    const data::Series sunspots = data::sunspots();
    data::Series roots = sunspots;  // their noise is equal at the maximum and the minimum of a cycle
    for (float& value : roots.values) value = std::sqrt(value) / 10;

    const std::size_t months = sunspots.values.size(), learned = 195 * 12;
    const Dataset training = data::windows(data::part(roots, 0, learned), seen, ahead);
    std::printf("%s\n", summary<Forecast>().c_str());
    Trainer trainer("forecast", Forecast{}, Adam{.learning_rate = 0.003}, minibatches(training, 32));

    std::vector<float> forecast(months);
    double error = 0, as_last_year = 0, as_last_cycle = 0;
    const auto judge = [&] {
        error = as_last_year = as_last_cycle = 0;
        const auto add = [&](double& to, float said, float was) {
            to += std::abs(static_cast<double>(said - was)) / static_cast<double>(months - learned);
        };
        for (std::size_t first = learned; first < months; first += ahead) {
            trainer.model().predict(roots.values.data() + first - seen, forecast.data() + first, 1);
            float last_year = 0;
            for (std::size_t i = first - 12; i < first; ++i) last_year += sunspots.values[i] / 12;
            for (std::size_t i = first; i < first + ahead; ++i) {
                forecast[i] = 100 * forecast[i] * forecast[i];
                add(error, forecast[i], sunspots.values[i]);
                add(as_last_year, last_year, sunspots.values[i]);
                add(as_last_cycle, sunspots.values[i - 132], sunspots.values[i]);
            }
        }
    };
    trainer.add(every(epoch).then(report("epoch {:2}  loss {:.5f}", epoch, training_loss)),
                when(after(8, epoch)).then([](auto& t) { t.optimizer.learning_rate /= 5; }));
    trainer.run(cpu(), epochs);
    judge();

    std::printf("\nmean of each half year: * observed, o forecast, @ both\n%s",
                plot(sunspots.values, forecast, learned).c_str());
    std::printf("\nmean error of a month: forecast %.1f, mean of the last year %.1f, previous cycle %.1f\n", error,
                as_last_year, as_last_cycle);

    constexpr double wanted = 21;
    if (error <= wanted) return 0;
    std::printf("the mean error should be at most %.0f\n", wanted);
    return 1;
}

}  // namespace

int main(int count, char** arguments) {
    return run_main([&] { return run(count > 1 ? std::atoi(arguments[1]) : 12); });
}
