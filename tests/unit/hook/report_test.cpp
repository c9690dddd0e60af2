// SPDX-License-Identifier: BSL-1.0
#include "support/reported_trainer.hpp"

#include <sigma/hook/compute.hpp>
#include <sigma/hook/report.hpp>

#include <catch2/catch.hpp>
#include <support/comma_locale.hpp>
#include <support/scratch.hpp>

using namespace sigma;
using test::ReportedTrainer;

namespace {

using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("Reports are lines of values and texts") {
    ReportedTrainer trainer;
    Lines called;
    trainer.add(every(1, epoch).then(
        compute<"gap">(error, [](double e) { return e > 0.5 ? NAN : 2 * e; }),
        report("after", epoch, error, value<"gap">, std::string("of it")), report(error).decimals(5), report("done"),
        report(iteration, learning_rate).to([&](std::string_view line) { called.emplace_back(line); })));
    trainer.counts_now[Moment::iteration] = 12'345'678;
    for (const double e : {0.75, 0.2134}) {
        trainer.error_now = e;
        trainer.happen(Moment::epoch);
    }
    CHECK(trainer.lines == Lines{"after  epoch 1  error 0.750  gap -  of it", "error 0.75000", "done",
                                 "after  epoch 2  error 0.213  gap 0.427  of it", "error 0.21340", "done"});
    CHECK(called == Lines{"iteration 12345678  learning_rate 0.100", "iteration 12345678  learning_rate 0.100"});
    CHECK(trainer.group().text() ==
          "when(every(1, epoch)).then(compute<\"gap\">(error, a function), report(\"after\", epoch, error, gap, \"of "
          "it\"), "
          "report(error).decimals(5), report(\"done\"), report(iteration, learning_rate).to(a function))\n");
    CHECK_THROWS_WITH(report(error).decimals(0), "decimals of report: expected 1 to 6, found 0");
}

TEST_CASE("A report has a layout") {
    ReportedTrainer trainer;
    const ScratchFile log("layout.txt"), table("layout.csv");
    trainer.add(every(1, epoch).then(
        compute<"gap">(error, [](double e) { return e > 0.5 ? NAN : -e; }),
        report("epoch {:3}  loss {:.4f}", epoch, training_loss),
        report("{{{:<4}|{:05.1%}|{:+.1e}|{:8}|{:7.2f}}}", epoch, error, error, error, value<"gap">),
        report("{:04d}. {}", epoch, error).to(file(log.name)), report("{}", error).to(csv(table.name))));
    for (const double e : {0.75, 0.12345}) {
        trainer.error_now = e;
        trainer.happen(Moment::epoch);
    }
    CHECK(trainer.lines == Lines{"epoch   1  loss 0.7500", "{1   |75.0%|+7.5e-01|   0.750|      -}",
                                 "epoch   2  loss 0.1235", "{2   |12.3%|+1.2e-01|   0.123|  -0.12}"});
    CHECK(file_text(log.name) == "0001. 0.750\n0002. 0.123\n");
    CHECK(file_text(table.name) == "error\n0.75\n0.12345\n");
    CHECK(report("epoch {:3}  loss {:.4f}", epoch, training_loss).text() ==
          "report(\"epoch {:3}  loss {:.4f}\", epoch, error)");
    CHECK_THROWS_WITH(report("{}", error).decimals(2),
                      "decimals of report: expected digits in the layout, such as {:.2f}, found .decimals(2)");
}

TEST_CASE("Layouts do not know the locale") {
    const CommaLocale locale;
    ReportedTrainer trainer;
    trainer.error_now = 0.5;
    trainer.add(every(1, epoch).then(report("{:.2f} {:.2e} {:g} {:.0%}", error, error, error, error)));
    trainer.happen(Moment::epoch);
    CHECK(trainer.lines == Lines{"0.50 5.00e-01 0.5 50%"});
}

TEST_CASE("Reports come after what they read, in whatever order hooks are added") {
    ReportedTrainer trainer;
    trainer.add(every(1, epoch).then(report(value<"second">)),
                every(1, epoch).then(compute<"second">(value<"first">, [](double x) { return x + 1; })),
                every(1, epoch).then(compute<"first">([](auto& t) { return static_cast<double>(t.epoch()); })));
    trainer.happen(Moment::epoch);
    trainer.happen(Moment::epoch);
    CHECK(trainer.lines == Lines{"second 2.000", "second 3.000"});
}

TEST_CASE("Reports to a file are appended") {
    const ScratchFile log("log.txt");
    for (int run = 0; run < 2; ++run) {
        ReportedTrainer trainer;
        trainer.error_now = 0.5;
        trainer.add(every(1, epoch).then(report(epoch, error).to(file(log.name))));
        trainer.happen(Moment::epoch);
        CHECK(file_text(log.name).back() == '\n');  // at once
        trainer.happen(Moment::epoch);
        CHECK(trainer.lines.empty());
    }
    CHECK(file_text(log.name) ==
          "epoch 1  error 0.500\nepoch 2  error 0.500\nepoch 1  error 0.500\nepoch 2  error 0.500\n");
}

TEST_CASE("Reports to a table keep all digits") {
    const ScratchFile curve("curve.csv");
    ReportedTrainer trainer;
    trainer.add(
        every(1, epoch).then(compute<"a \"b\", c">([](auto& t) { return t.epoch() == 1 ? NAN : 1.0 / 3; }),
                             report("no column", value<"a \"b\", c">, epoch, "none", error).to(csv(curve.name))));
    trainer.error_now = 0.1;
    trainer.happen(Moment::epoch);
    trainer.happen(Moment::epoch);
    CHECK(file_text(curve.name) == "\"a \"\"b\"\", c\",epoch,error\n,1,0.1\n0.3333333333333333,2,0.1\n");

    SECTION("and begin anew after a reset") {
        trainer.counts_now = {};
        trainer.group().restart();
        trainer.happen(Moment::epoch);
        CHECK(file_text(curve.name) == "\"a \"\"b\"\", c\",epoch,error\n,1,0.1\n");
    }
    SECTION("and go on after a checkpoint") {
        Archive kept;
        trainer.group().archive(kept);
        ReportedTrainer next;
        next.add(
            every(1, epoch).then(compute<"a \"b\", c">([](auto&) { return 5.0; }),
                                 report("no column", value<"a \"b\", c">, epoch, "none", error).to(csv(curve.name))));
        Archive reading(kept.words(), kept.blobs());
        next.group().archive(reading);
        next.counts_now = trainer.counts_now;
        next.happen(Moment::epoch);
        CHECK(file_text(curve.name) == "\"a \"\"b\"\", c\",epoch,error\n,1,0.1\n0.3333333333333333,2,0.1\n5,3,0\n");
    }
}

TEST_CASE("Reports say which file they cannot write") {
    ReportedTrainer trainer;
    trainer.add(every(1, epoch).then(report(error).to(file("/nowhere/log.txt"))));
    CHECK_THROWS_WITH(
        trainer.happen(Moment::epoch),
        "hook 'when(every(1, epoch)).then(report(error).to(file(\"/nowhere/log.txt\")))', iteration 0: file "
        "'/nowhere/log.txt': expected a file that can be written, found No such file or directory");
}
