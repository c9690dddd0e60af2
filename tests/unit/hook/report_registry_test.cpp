// SPDX-License-Identifier: BSL-1.0
#include <sigma/hook/report.hpp>
#include <sigma/hook/score.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/optimizer/gradient_descent.hpp>
#include <sigma/trainer/registry.hpp>
#include <sigma/trainer/trainer.hpp>

#include <catch2/catch.hpp>

using namespace sigma;

namespace {
struct Line : Network<Input(1) + Dense(1) + SquaredDiff()> {};
}  // namespace

TEST_CASE("Whatever the registry holds is reported by pattern") {
    const Dataset data(Numbers{{2, 1}, {1, 2}}, Numbers{{2, 1}, {3, 4}}, "two");
    Trainer trainer("line", Line{}, GradientDescent{.learning_rate = 0.25}, minibatches(data, 2));
    std::vector<std::string> lines;
    trainer.output = [&](std::string_view line) { lines.emplace_back(line); };
    trainer.add(every(1, epoch).then(score(data), report_registry("optimizer.learning*", "shared.validation*")));
    trainer.run(cpu(1), 1);
    REQUIRE(lines.size() == 2);
    CHECK(lines[0] == "optimizer.learning_rate  0.25");
    CHECK(lines[1] == sentence("shared.validation_error  ", trainer.registry().to_text("shared.validation_error")));

    trainer.add(every(1, epoch).then(report_registry("nothing.*")));
    CHECK_THROWS_WITH(trainer.run(cpu(1), 1),
                      Catch::Contains("report_registry: expected a pattern that matches a name, found 'nothing.*'"));
}
