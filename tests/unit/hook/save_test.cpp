// SPDX-License-Identifier: BSL-1.0
#include "support/fake_trainer.hpp"

#include <sigma/core/scope.hpp>
#include <sigma/hook/save.hpp>

#include <catch2/catch.hpp>
#include <support/scratch.hpp>

#include <filesystem>

using namespace sigma;
using namespace sigma::test;

namespace {

std::string content(const Scratch& folder) {
    std::string all;
    for (const std::string& name : names_in(folder.path)) all += (all.empty() ? "" : " ") + name;
    return all;
}
struct Publish : Action<Publish> {
    using Writes = Types<Computed<"accuracy">>;
    std::vector<double> table;
    explicit Publish(std::vector<double> values) : table(std::move(values)) {}
    void run(auto& context) {
        context.template publish<Computed<"accuracy">>(table.at(context.counts()[Moment::epoch] - 1));
    }
    static std::string text() { return "publish"; }
};
auto group(FakeTrainer& trainer, auto... hooks) { return sigma::detail::make_hook_group(trainer, hooks...); }

}  // namespace

TEST_CASE("Numbers have a form that is fit for names of files") {
    using detail::file_name_text;
    CHECK(file_name_text(12) == "12");
    CHECK(file_name_text(-3) == "-3");
    CHECK(file_name_text(12345678) == "12345678");
    CHECK(file_name_text(0.9375) == "0.9375");
    CHECK(file_name_text(1.0 / 3) == "0.333333");
    CHECK(file_name_text(1e-7) == "1e-07");
    CHECK(file_name_text(1e300) == "1e+300");
    CHECK(file_name_text(std::nan("")) == "nan");
    CHECK(file_name_text(HUGE_VAL) == "inf");
    CHECK(file_name_text(-HUGE_VAL) == "-inf");
}

TEST_CASE("A file is written when the hooks are through") {
    const Scratch folder;
    FakeTrainer trainer;
    const auto hooks = group(trainer, every(2, epoch).then(save(folder / "a.sigma")));
    trainer.happen(*hooks);
    CHECK(trainer.log == std::vector<std::string>{"hooks are through"});
    trainer.happen(*hooks);
    CHECK(trainer.log.back() == "save " + (folder / "a.sigma"));
    CHECK(content(folder) == "a.sigma");
}

TEST_CASE("Names of files are put together from values") {
    const Scratch folder;
    FakeTrainer trainer;
    const auto hooks =
        group(trainer, every(1, epoch).then(Publish({0.5, std::nan(""), 0.9375})),
              every(1, epoch).then(save(file(folder / "d-", epoch, "-", accuracy, "-", loss, ".sigma"))));
    for (int i = 0; i < 3; ++i) trainer.happen(*hooks);
    CHECK(content(folder) == "d-1-0.5-0.333333.sigma d-2-nan-0.333333.sigma d-3-0.9375-0.333333.sigma");
}

TEST_CASE("The last files are kept, of those that the action has written") {
    const Scratch folder;
    std::ofstream(folder / "e-0") << "somebody else's";
    FakeTrainer trainer;
    const auto hooks = group(trainer, every(1, epoch).then(save(file(folder / "e-", epoch)).keep_last(2)));
    for (int i = 0; i < 3; ++i) trainer.happen(*hooks);
    CHECK(content(folder) == "e-0 e-2 e-3");

    SECTION("what is not written costs no file that is") {
        trainer.disk_is_full = true;
        CHECK_THROWS_AS(trainer.happen(*hooks), HookError);
        CHECK(content(folder) == "e-0 e-2 e-3");
        trainer.disk_is_full = false;
        trainer.happen(*hooks);
        CHECK(content(folder) == "e-0 e-3 e-5");
    }
    SECTION("who resumes goes on keeping the last") {
        Archive kept;
        hooks->archive(kept);
        FakeTrainer resumed;
        const auto again = group(resumed, every(1, epoch).then(save(file(folder / "e-", epoch)).keep_last(2)));
        resumed.counts_[Moment::epoch] = 3;
        Archive read(kept.words(), kept.blobs());
        again->archive(read);
        CHECK(read.finished());
        resumed.happen(*again);
        CHECK(content(folder) == "e-0 e-3 e-4");
    }
    SECTION("who resumes from the last file deletes what its writer had no time to delete") {
        Archive kept;
        ++trainer.counts_[Moment::epoch];
        hooks->fire(Moment::epoch);
        hooks->archive(kept);  // as it is in the file
        trainer.after.front()();
        trainer.after.clear();
        CHECK(content(folder) == "e-0 e-2 e-3 e-4");
        FakeTrainer resumed;
        resumed.counts_[Moment::epoch] = 4;
        const auto again = group(resumed, every(1, epoch).then(save(file(folder / "e-", epoch)).keep_last(2)));
        Archive read(kept.words(), kept.blobs());
        again->archive(read);
        resumed.happen(*again);
        CHECK(content(folder) == "e-0 e-4 e-5");
    }
}

TEST_CASE("Files of a place that a resumed run does not write to stay") {
    const Scratch folder, other;
    FakeTrainer trainer;
    const auto hooks = group(trainer, every(1, epoch).then(save(file(folder / "e-", epoch)).keep_last(2)));
    for (int i = 0; i < 3; ++i) trainer.happen(*hooks);
    Archive kept;
    hooks->archive(kept);
    FakeTrainer resumed;
    resumed.counts_[Moment::epoch] = 3;
    const auto again = group(resumed, every(1, epoch).then(save(file(other / "e-", epoch)).keep_last(2)));
    Archive read(kept.words(), kept.blobs());
    again->archive(read);
    for (int i = 0; i < 3; ++i) resumed.happen(*again);
    CHECK(content(folder) == "e-2 e-3");
    CHECK(content(other) == "e-5 e-6");
}

TEST_CASE("A file that is written again is the newest") {
    const Scratch folder;
    FakeTrainer trainer;
    const auto hooks = group(trainer, every(1, epoch).then(Publish({1, 2, 1, 3})),
                             every(1, epoch).then(save(file(folder / "a", accuracy)).keep_last(2)));
    for (int i = 0; i < 3; ++i) trainer.happen(*hooks);
    CHECK(content(folder) == "a1 a2");
    trainer.happen(*hooks);
    CHECK(content(folder) == "a1 a3");
}

TEST_CASE("One sentence in two trainers keeps files of each") {
    const Scratch folder;
    FakeTrainer a, b;
    const auto sentence_ = every(1, epoch).then(save(file(folder / "x", epoch)).keep_last(1));
    const auto first = group(a, sentence_), second = group(b, sentence_);
    b.counts_[Moment::epoch] = 10;
    a.happen(*first), b.happen(*second);
    CHECK(content(folder) == "x1 x11");
}

TEST_CASE("The best is saved, and files are written in the background") {
    const Scratch folder;
    FakeTrainer trainer;
    const auto hooks = group(trainer, every(1, epoch).then(Publish({0.5, 0.25, 0.75, 0.25})),
                             save_best(accuracy, file(folder / "best-", epoch)));
    for (int i = 0; i < 4; ++i) trainer.happen(*hooks);
    CHECK(content(folder) == "best-1 best-3");

    const auto behind =
        group(trainer, every(1, epoch).then(save(file(folder / "b-", epoch)).keep_last(2)).in_background());
    for (int i = 0; i < 4; ++i) {
        trainer.happen(*behind);
        behind->finish();
    }
    CHECK(content(folder) == "b-7 b-8 best-1 best-3");
}

TEST_CASE("Checkpoints are restored when the hooks are through") {
    FakeTrainer trainer;
    const auto hooks =
        group(trainer, at(1, epoch).then(restore("a.sigma")), at(2, epoch).then(restore_parameters("b.sigma")),
              at(3, epoch).then(restore_parameters("c.sigma", "1-*")));
    for (int i = 0; i < 3; ++i) trainer.happen(*hooks);
    const std::string through = "hooks are through";
    CHECK(trainer.log == std::vector<std::string>{through, "load a.sigma", through, "load \"*\" of b.sigma", "changed",
                                                  through, "load \"1-*\" of c.sigma", "changed"});
}

TEST_CASE("save alone writes a file of the trainer's name") {
    const Scratch folder;
    const auto before = std::filesystem::current_path();
    std::filesystem::current_path(folder.path);
    const sigma::detail::AtExit back([&] { std::filesystem::current_path(before); });
    FakeTrainer trainer;
    trainer.name_ = "digits 2";
    const auto hooks = group(trainer, every(1, epoch).then(save, save(file("at-", epoch))));
    const auto behind = group(trainer, every(1, epoch).then([] {}, save).in_background());
    trainer.happen(*hooks);
    trainer.name_ = "behind";
    trainer.happen(*behind);
    behind->finish();
    CHECK(content(folder) == "at-1 behind.sigma digits 2.sigma");
    CHECK(when(error.decreases(5)).then(save).text().ends_with(".then(save)"));
    for (const char* const name : {"a/b", "/", ""}) {
        trainer.name_ = name;
        CHECK_THROWS_AS(group(trainer, every(1, epoch).then(save)), ArgumentError);
    }
    CHECK_THROWS_WITH(
        group(trainer, every(1, epoch).then(save)),
        "save: expected the name of a file, or a trainer with a name without '/', found a trainer without a name");
    trainer.name_ = "../a";
    CHECK_THROWS_WITH(group(trainer, every(1, epoch).then(save)),
                      "save: expected the name of a file, or a trainer with a name without '/', found trainer '../a'");
    CHECK_NOTHROW(group(trainer, every(1, epoch).then(save("a.sigma"))));
}

TEST_CASE("Saving and restoring say what they do") {
    CHECK(save("a.sigma").text() == "save(\"a.sigma\")");
    CHECK(save(file("a-", epoch, ".sigma")).keep_last(3).text() ==
          "save(file(\"a-\", epoch, \".sigma\")).keep_last(3)");
    CHECK(restore("a.sigma").text() == "restore(\"a.sigma\")");
    CHECK(restore_parameters("a.sigma", "1-*").text() == "restore_parameters(\"a.sigma\", \"1-*\")");
    CHECK(save_best(error, "a").text() == "when(error.new_minimum()).then(save(\"a\"))");
    CHECK_THROWS_WITH(save("a").keep_last(0), "keep_last: expected 1 or more, found 0");
    CHECK_THROWS_WITH(save(""), "save: expected the name of a file, found an empty text");
    CHECK_THROWS_WITH(restore(""), "restore: expected the name of a file, found an empty text");
}

TEST_CASE("Names of files are known by their parts, and left out where hooks are compared") {
    using sigma::detail::could_name;
    using sigma::detail::without_file_names;
    const auto parts = file("a/e-", epoch, "-", accuracy, ".sigma").parts;
    CHECK(could_name(parts, "a/e-12-0.5.sigma"));
    CHECK(could_name(parts, "a/e-12--inf.sigma"));
    for (const char* other : {"b/e-12-0.5.sigma", "a/e-12-0.5.sigm", "a/e-12.sigma", "", "a/e-", "/a/e-1-2.sigma"})
        CHECK_FALSE(could_name(parts, other));
    CHECK(could_name(file("x").parts, "x"));
    CHECK_FALSE(could_name(file("x").parts, "xx"));
    CHECK(could_name(file(epoch).parts, "7"));
    const auto text = [](const auto& hook) { return without_file_names(hook.text()); };
    CHECK(text(save("a")) == "save");
    CHECK(text(save("b (1)/file")) == "save");
    CHECK(text(save(file("a)(", epoch)).keep_last(2)) == "save.keep_last(2)");
    CHECK(text(restore("a")) == text(restore("b")));
    CHECK(text(restore_parameters("a", "1-*")) == text(restore_parameters("b", "1-*")));
    CHECK(text(restore_parameters("a", "1-*")) != text(restore_parameters("a", "2-*")));
    CHECK(text(restore("a")) != text(save("a")));
    CHECK(without_file_names("every(3, epoch).then(report(\"save(x) {}\", error).to(csv(\"b\")))") ==
          "every(3, epoch).then(report(\"save(x) {}\", error).to(csv))");
    CHECK(without_file_names("then(freeze(\"save(x)\")); saved(\"a\")") == "then(freeze(\"save(x)\")); saved(\"a\")");
    CHECK(without_file_names("then(save(\"no end") == "then(save");
}
