// Learns to tell whether a point is inside a circle. Replace the network and the data by yours.
#include <sigma/sigma.hpp>

#include <cstdio>
#include <random>
#include <vector>

using namespace sigma;

struct Circle : Network<Input(2) + 2 * Dense(16, tanh) + Dense(2) + SoftmaxCE()> {};

int main() {
    return run_main([] {
        constexpr std::size_t records = 2000;
        auto points = Array<float>::from_shape({records, 2});
        std::vector<int> inside(records);
        std::mt19937 random(1);
        std::uniform_real_distribution<float> coordinate(-1, 1);
        for (std::size_t i = 0; i < records; ++i) {
            const float x = points(i, 0) = coordinate(random), y = points(i, 1) = coordinate(random);
            inside[i] = x * x + y * y < 0.6f;
        }
        const Dataset data = make_dataset(points, inside, "points");
        const auto [training, testing] = split(data, 0.8, 0.2);

        auto trained = fit(Circle{}, training, Adam{.learning_rate = 0.01}, {.epochs = 30, .quiet = true});
        const double accuracy = trained.evaluate(testing).accuracy;
        std::printf("%.1f %% of %zu points are classified correctly\n", 100 * accuracy, testing.size());
        return accuracy > 0.95 ? 0 : 1;
    });
}
