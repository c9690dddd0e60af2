// SPDX-License-Identifier: BSL-1.0
#include <sigma/hook/report.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/optimizer/gradient_descent.hpp>
#include <sigma/trainer/terminal/confusion.hpp>
#include <sigma/trainer/trainer.hpp>

#include <catch2/catch.hpp>

using namespace sigma;

namespace {

struct Copy : Network<Input(3) + Dense(3) + SoftmaxCE()> {};

/// Returns records of class `first` with inputs that point to class `second`.
Dataset pairs(const std::vector<std::pair<int, int>>& of, std::vector<std::string> classes = {"ant", "bee", "cow"}) {
    Numbers x{{of.size(), 3}, std::vector<float>(3 * of.size())}, y{{of.size()}, {}};
    for (std::size_t i = 0; i < of.size(); ++i) {
        x.values[3 * i + static_cast<std::size_t>(of[i].second)] = 1;
        y.values.push_back(static_cast<float>(of[i].first));
    }
    return {x, y, "pairs", std::move(classes)};
}

}  // namespace

TEST_CASE("A known confusion is found and printed") {
    std::vector<std::pair<int, int>> known{{0, 0}, {0, 0}, {0, 1}, {1, 1}, {2, 0}, {2, 2}, {2, 2}, {2, 2}};
    const Dataset data = pairs(known);
    Trainer trainer("copy", Copy{}, GradientDescent{.learning_rate = 0.0}, minibatches(data, 4));
    auto weights = trainer.model().parameter(0), biases = trainer.model().parameter(1);
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j) weights(i, j) = i == j ? 5.0f : 0.0f;
    for (std::size_t i = 0; i < 3; ++i) biases(i) = 0;

    std::vector<std::string> lines;
    trainer.output = [&](std::string_view line) { lines.emplace_back(line); };
    const Confusion confusion, again;
    CHECK(confusion.matrix().classes() == 0);
    // The table comes last, though it is named first.
    trainer.add(every(1, epoch).then(confusion_matrix(confusion)),
                every(1, epoch).then(report(value<"confusion_accuracy">, value<"macro_precision">,
                                            value<"macro_recall">, value<"macro_f1">)),
                every(1, epoch).then(score(data, confusion), score<"again">(data, again)));
    trainer.run(cpu(1), 1);

    const ConfusionMatrix matrix = confusion.matrix();
    std::vector<std::size_t> counts;
    for (std::size_t a = 0; a < 3; ++a)
        for (std::size_t p = 0; p < 3; ++p) counts.push_back(matrix.count(a, p));
    CHECK(counts == std::vector<std::size_t>{2, 1, 0, 0, 1, 0, 1, 0, 3});
    REQUIRE(lines.size() == 2);
    CHECK(lines[0] ==
          "        predicted\n"
          "actual  ant bee cow   recall\n"
          "ant       2   1   .   66.67 %\n"
          "bee       .   1   .  100.00 %\n"
          "cow       1   .   3   75.00 %\n"
          "accuracy 75.00 % of 8 records");
    // Precisions 2/3, 1/2 and 1; recalls 2/3, 1 and 3/4; f1 2/3, 2/3 and 6/7.
    CHECK(lines[1] == "confusion_accuracy 0.750  macro_precision 0.722  macro_recall 0.806  macro_f1 0.730");

    SECTION("with all names that the model knows, also of data that lack some") {
        for (const auto& names : std::vector<std::vector<std::string>>{{}, {"ant"}}) {
            const Confusion few;
            trainer.add(every(1, epoch).then(score(pairs(known, names), few)));
            trainer.run(cpu(1), 1);
            CHECK(few.matrix().table() == matrix.table());
        }
    }
    SECTION("also in the background") {
        Trainer other("other", Copy{}, GradientDescent{.learning_rate = 0.0}, minibatches(data, 4));
        other.model() = trainer.model();
        const Confusion behind;
        std::string table;
        other.output = [&](std::string_view line) { table = line; };
        other.add(every(1, iteration).then(confusion_matrix(behind)).in_background(9),
                  every(1, iteration).then(score(data, behind)).in_background(9));
        other.run(cpu(1), 2);
        CHECK(table == lines[0]);
        CHECK(behind.matrix().table() == matrix.table());
    }
}
