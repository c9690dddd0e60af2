// SPDX-License-Identifier: BSL-1.0
#include <sigma/core/philox.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/optimizer/adam.hpp>
#include <sigma/optimizer/gradient_descent.hpp>
#include <sigma/optimizer/rmsprop.hpp>
#include <sigma/trainer/trainer.hpp>

#include <catch2/catch.hpp>

#include <cstring>
#include <limits>

using namespace sigma;

// Rows of parameters take whole vectors in memory. The elements behind the last one must not matter.
namespace {

struct Odd : Network<Input(5) + Dense(19, tanh) + Dense(3) + SoftmaxCE()> {};

template <class O, class T>
auto odd_trainer(O optimizer, detail::Element<T> type) {
    Numbers x{{30, 5}, std::vector<float>(150)}, y{{30}, {}};
    Philox(3, RandomUse::user, 0).fill_normal(std::span(x.values));
    for (int i = 0; i < 30; ++i) y.values.push_back(static_cast<float>(i % 3));
    return std::make_unique<Trainer<Odd, O, T>>("odd", Odd{}, optimizer, minibatches(Dataset(x, y, "points"), 10),
                                                type);
}
template <class T>
std::vector<T> real_elements(Model<Odd, T>& model) {
    std::vector<T> all;
    for (int p = 0; p < Model<Odd, T>::parameter_count; ++p) {
        const auto rows = parameter_rows(model, p);
        for (std::size_t r = 0; r < rows.count; ++r) all.insert(all.end(), rows[r].begin(), rows[r].end());
    }
    return all;
}
/// Sets all padding in the model's memory to NaN. Returns the number of padding elements.
template <class T>
std::size_t spoil_padding(Model<Odd, T>& model) {
    std::vector<char> used(model.parameter_memory().size(), 0);
    for (int p = 0; p < Model<Odd, T>::parameter_count; ++p) {
        const auto rows = parameter_rows(model, p);
        for (std::size_t r = 0; r < rows.count; ++r)
            for (const T& x : rows[r]) used[static_cast<std::size_t>(&x - model.parameter_memory().data())] = 1;
    }
    std::size_t spoilt = 0;
    for (std::size_t i = 0; i < used.size(); ++i)
        if (!used[i]) {
            model.parameter_memory()[i] = std::numeric_limits<T>::quiet_NaN();
            ++spoilt;
        }
    return spoilt;
}
template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), sizeof(T) * a.size()) == 0;
}

}  // namespace

TEMPLATE_TEST_CASE("NaN between the rows of parameters neither stops training nor reaches a result", "",
                   GradientDescent, Momentum, Nesterov, Adagrad, Adadelta, Adam, AdamW, RMSprop, NAdam, RAdam, Lion) {
    const auto clean = odd_trainer(TestType{}, element<float>), spoilt = odd_trainer(TestType{}, element<float>);
    CHECK(spoil_padding(spoilt->model()) > 0);
    clean->run(cpu(), 3);
    spoilt->run(cpu(), 3);
    CHECK(same_bits(real_elements(clean->model()), real_elements(spoilt->model())));
    CHECK(clean->training_loss() == spoilt->training_loss());
    const auto x = clean->minibatches().dataset.inputs();
    CHECK(std::ranges::equal(clean->predict(x), spoilt->predict(x)));
    CHECK(clean->evaluate(clean->minibatches().dataset).error == spoilt->evaluate(clean->minibatches().dataset).error);
}

TEST_CASE("The same in double, and a parameter that really is NaN still stops the run") {
    const auto clean = odd_trainer(Adam{}, element<double>), spoilt = odd_trainer(Adam{}, element<double>);
    CHECK(spoil_padding(spoilt->model()) > 0);
    clean->run(cpu(), 2);
    spoilt->run(cpu(), 2);
    CHECK(same_bits(real_elements(clean->model()), real_elements(spoilt->model())));
    spoilt->model().template parameter<"1-dense.weights">()(4, 18) = std::numeric_limits<double>::infinity();
    CHECK(detail::NanReplay<double>::find_parameter(spoilt->model()) == "1-dense");
    CHECK_THROWS_AS(spoilt->run(cpu(), 1), NumericError);
}
