// SPDX-License-Identifier: BSL-1.0
// The words of hooks and of data side by side, in a program that opens both namespaces and knows POSIX' pause, too.
#include <sigma/data/data.hpp>
#include <sigma/sigma.hpp>

#include <unistd.h>
#include <catch2/catch.hpp>
#include <support/scratch.hpp>

#include <fstream>
#include <string>
#include <vector>

using namespace sigma;
using namespace sigma::data;

namespace {

struct OpenNet : Network<Input(2) + Dense(1) + SquaredDiff()> {};

}  // namespace

TEST_CASE("Hooks hold, report to tables and step where both namespaces are open") {
    const Scratch folder;
    const std::string curve = (folder.path / "curve.csv").string();
    const sigma::Dataset table = csv(memory("1,2,3\n4,5,6\n7,8,9\n", "rows")) >>
                                 sections(inputs = columns(0, 1), targets = column(2)) >> dataset("rows");
    Trainer trainer("open", OpenNet{}, GradientDescent{.learning_rate = 0.001}, minibatches(table, 1));
    int held = 0;
    trainer.add(every(epoch).then(report(epoch, training_loss).to(csv(curve))), at(2, iteration).then(hold),
                at(hold).then([&](auto& t) { ++held, t.resume(); }));
    trainer.run(cpu(), 2);
    CHECK(held == 1);
    std::ifstream written(curve);
    std::vector<std::string> lines;
    for (std::string line; std::getline(written, line);) lines.push_back(line);
    REQUIRE(lines.size() == 3);
    CHECK(lines[0] == "epoch,error");
    CHECK(lines[1].starts_with("1,"));
    CHECK_THROWS_AS(trainer.step(), StateError);  // a command, to a run that is held
}
