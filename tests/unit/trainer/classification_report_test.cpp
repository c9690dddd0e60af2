// SPDX-License-Identifier: BSL-1.0
#include <sigma/layer/binary_ce.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/network/costs.hpp>
#include <sigma/network/wrappers.hpp>
#include <sigma/trainer/terminal/classification_report.hpp>

#include <catch2/catch.hpp>

#include <cmath>
#include <utility>
#include <vector>

using namespace sigma;

namespace {

struct Copy : Network<Input(3) + Dense(3) + SoftmaxCE()> {};
struct Answer : Network<Input(3) + Dense(1) + BinaryCE()> {};
struct Both : Network<Input(3) + Dense(3) + Costs(SquaredDiff(), named("kind", SoftmaxCE()))> {};
struct Two : Network<Input(3) + Dense(3) + Costs(named("animal", SoftmaxCE()), named("size", SoftmaxCE()))> {};

/// Returns records of class `first` with inputs that point to class `second`; the last target is the class.
Dataset pairs(const std::vector<std::pair<int, int>>& of, bool amounts = false) {
    Numbers x{{of.size(), 3}, std::vector<float>(3 * of.size())}, y{{of.size()}, {}};
    for (std::size_t i = 0; i < of.size(); ++i) {
        x.values[3 * i + static_cast<std::size_t>(of[i].second)] = 1;
        y.values.push_back(static_cast<float>(of[i].first));
    }
    std::vector<NamedNumbers> targets;
    if (amounts) targets.push_back({"", x});
    targets.push_back({amounts ? "kind" : "", y});
    return {{{"", x}}, std::move(targets), "pairs", {"ant", "bee", "cow"}};
}
const std::vector<std::pair<int, int>> known{{0, 0}, {0, 0}, {0, 1}, {1, 1}, {2, 0}, {2, 2}, {2, 2}, {2, 2}};

template <class M>
void copy_inputs(M& model) {
    auto weights = model.parameter(0), biases = model.parameter(1);
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j) weights(i, j) = i == j ? 5.0f : 0.0f;
    for (std::size_t i = 0; i < 3; ++i) biases(i) = 0;
}

}  // namespace

TEST_CASE("A report has precision, recall, F1 and support of each class, and both means") {
    Model<Copy> model;
    copy_inputs(model);
    const ClassificationReport report = classification_report(model, pairs(known));
    CHECK(report.text() ==
          "           precision      recall          f1   support\n"
          "ant           0.6667      0.6667      0.6667         3\n"
          "bee           0.5000      1.0000      0.6667         1\n"
          "cow           1.0000      0.7500      0.8571         4\n"
          "macro         0.7222      0.8056      0.7302         8\n"
          "weighted      0.8125      0.7500      0.7619         8\n"
          "accuracy 75.00 % of 8 records\n");
    CHECK(report.classes()[2].name == "cow");
    CHECK(report.classes()[2].support == 4);
    CHECK(report.weighted().precision == 0.8125);
    CHECK(report.accuracy() == 0.75);
    CHECK(report.matrix().count(0, 1) == 1);
}

TEST_CASE("Of a network that answers yes or no the classes are 0 and 1, or called as the data call them") {
    Model<Answer> model;
    auto weights = model.parameter(0);
    for (std::size_t i = 0; i < 3; ++i) weights(i, 0) = i == 1 ? 5.0f : -5.0f;
    model.parameter(1)(0) = 0;
    const std::vector<std::pair<int, int>> answers{{0, 0}, {0, 2}, {0, 1}, {1, 1}, {1, 1}, {1, 0}, {0, 0}};
    const ClassificationReport report = classification_report(model, pairs(answers));
    CHECK(report.text() ==
          "           precision      recall          f1   support\n"
          "0             0.7500      0.7500      0.7500         4\n"
          "1             0.6667      0.6667      0.6667         3\n"
          "macro         0.7083      0.7083      0.7083         7\n"
          "weighted      0.7143      0.7143      0.7143         7\n"
          "accuracy 71.43 % of 7 records\n");
    CHECK(report.accuracy() == Approx(model.evaluate(pairs(answers)).accuracy));
    const Array<float> x({2, 3}, {0, 1, 0, 1, 0, 0});
    const auto unnamed = classification_report(model, make_dataset(x, std::vector<int>{1, 1})).classes();
    CHECK(unnamed[0].name == "0");
    CHECK(unnamed[1].recall == 0.5);
    const Dataset named(Numbers{{1, 3}, {0, 1, 0}}, {{1}, {1}}, "named", {"no", "yes"});
    CHECK(classification_report(model, named).classes()[1].name == "yes");
    // Arrays give the scores of a data set made of them.
    CHECK(model.evaluate(x, std::vector<int>{1, 1}).accuracy == 0.5);
    CHECK(model.evaluate(x, Array<float>({2, 1}, {1, 0})).accuracy == 1);
}

TEST_CASE("Names are of the cost that tells so many classes apart") {
    struct Split
        : Network<Input(3) + Costs(named("big", Dense(2) + SoftmaxCE()), named("animal", Dense(3) + SoftmaxCE()))> {};
    struct OneHot : Network<Input(3) + Dense(3) + BinaryCE()> {};
    const Numbers x{{2, 3}, std::vector<float>(6)}, big{{2}, {0, 1}}, animal{{2}, {1, 2}};
    const Dataset data({{"", x}}, {{"big", big}, {"animal", animal}}, "both", {"ant", "bee", "cow"});
    CHECK(classification_report<"big">(Model<Split>(), data).classes()[1].name == "1");
    CHECK(classification_report<"animal">(Model<Split>(), data).classes()[2].name == "cow");
    CHECK(classification_report(Model<OneHot>(), Dataset(x, x, "hot", {"ant", "bee", "cow"})).classes()[1].name == "1");
}

TEST_CASE("A class that does not occur has no scores") {
    Model<Copy> model;
    copy_inputs(model);
    const ClassificationReport report = classification_report(model, pairs({{0, 0}, {2, 2}}));
    CHECK(std::isnan(report.classes()[1].precision));
    CHECK(report.text().find("bee                -           -           -         0\n") != std::string::npos);
    CHECK(report.macro().f1 == 1);
    CHECK(report.weighted().recall == 1);
}

TEST_CASE("The classes of the data are those of the first cost that classifies") {
    Model<Two> model;
    copy_inputs(model);
    Numbers x{{2, 3}, {1, 0, 0, 0, 1, 0}}, y{{2}, {0, 1}};
    const Dataset both{{{"", x}}, {{"animal", y}, {"size", y}}, "two", {"ant", "bee", "cow"}};
    CHECK(classification_report<"animal">(model, both).text().find("bee") != std::string::npos);
    CHECK(classification_report<"size">(model, both).text().find("bee") == std::string::npos);
}

TEST_CASE("Of several costs the one that is named") {
    Model<Both> model;
    copy_inputs(model);
    CHECK(classification_report<"kind">(model, pairs(known, true)).accuracy() == 0.75);
}
