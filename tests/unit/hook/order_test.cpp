// SPDX-License-Identifier: BSL-1.0
#include <support/hook_trainer.hpp>

#include <catch2/catch.hpp>

using namespace sigma;
using namespace sigma::test;

namespace {

using Lines = std::vector<std::string>;
constexpr auto a = value<"a">;
constexpr auto b = value<"b">;
using A = Value<"a">;
using B = Value<"b">;

}  // namespace

TEST_CASE("Hooks run after those that compute what they read, then by priority, then as declared") {
    HookTrainer trainer;
    Lines ran;
    trainer.add(every(1, epoch).then(Notes<B>(&ran, "late")).priority<3>(),
                when(b.reaches(0)).then(Notes<A, B>(&ran, "when")),
                every(1, epoch).then(Makes<"b", A>(10, &ran)).priority<-9>(),
                every(1, epoch).then(Notes<>(&ran, "first")).priority<-1>(),
                every(1, epoch).then(Notes<>(&ran, "second")).priority<-1>(),
                every(1, epoch).then(Makes<"a">(1, &ran)).priority<9>());
    trainer.train(2);
    CHECK(ran == Lines{"first", "second", "a", "b", "when a=1 b=11", "late b=11"});
}

TEST_CASE("Actions of one hook run in order and see what those before have computed") {
    HookTrainer trainer;
    Lines ran;
    trainer.add(every(2, iteration)
                    .then(
                        Makes<"a">(4), Notes<A>(&ran), [&] { ran.push_back("function"); },
                        [&](auto& t) { ran.push_back(std::to_string(t.iteration())); }));
    trainer.train(4);
    CHECK(ran == Lines{"notes a=4", "function", "2", "notes a=4", "function", "4"});
}

TEST_CASE("Hooks on computed values look when these were computed, not at each moment") {
    HookTrainer trainer;
    Lines ran;
    trainer.add(every(1, epoch).when(epoch.changes()).then(Makes<"a", EpochWord>{}),  // not at the first epoch
                when(a.increases()).then(Notes<A>(&ran)),
                when(a.reaches(0) || loss.equals(3)).then(Notes<>(&ran, "either")));
    trainer.train(8);
    CHECK(ran == Lines{"either", "either", "notes a=3", "notes a=4"});
}

TEST_CASE("What is new each iteration is looked at once an iteration") {
    HookTrainer trainer;
    int fired = 0;
    // Two iterations an epoch, and a look at the epoch's end would find the loss unchanged.
    trainer.add(when(loss.increases(4) || at(99, epoch)).then([&] { ++fired; }));
    trainer.train(5);
    CHECK(fired == 1);
}

TEST_CASE("A hook that depends on another must not have the smaller interval") {
    HookTrainer trainer;
    const auto add = [&](int writer, int reader) {
        trainer.add(every(reader, epoch).then(Notes<A>{}).named("reader"),
                    every(writer, epoch).then(Makes<"a">{}).named("writer"));
    };
    CHECK_NOTHROW(add(1, 2));
    CHECK_NOTHROW(add(2, 2));
    CHECK_THROWS_WITH(
        add(3, 2),
        "hook 'reader': expected an interval of 3 or more, because 'writer' computes what it reads, found 2");
    CHECK_THROWS_AS(trainer.add(every(1, epoch).when(a.reaches(1)).then(Notes<>{}), every(2, epoch).then(Makes<"a">{})),
                    ArgumentError);
    CHECK_NOTHROW(trainer.add(when(a.reaches(1)).then(Notes<>{}), every(2, epoch).then(Makes<"a">{})));
    CHECK_NOTHROW(trainer.add(every(1, iteration).then(Notes<LossValue>{}), every(2, epoch).then(Makes<"a">{})));
}

TEST_CASE("What a hook throws names the hook, or is printed, as it wants") {
    HookTrainer trainer;
    int after = 0;
    const auto fails = [](auto&) { throw std::runtime_error("no paper"); };
    const auto thrown = [](HookTrainer& t) {
        try {
            t.train(1);
        } catch (const HookError& e) {
            try {
                std::rethrow_if_nested(e);
            } catch (const std::exception& nested) { return std::string(e.what()) + " <- " + nested.what(); }
        }
        return std::string("nothing");
    };
    SECTION("the run ends") {
        trainer.add(every(1, iteration).then(fails, [&] { ++after; }));
        CHECK(thrown(trainer) ==
              "hook 'when(every(1, iteration)).then(a function, a function)', iteration 1: no paper <- no paper");
    }
    SECTION("by name") {
        trainer.add(every(1, iteration).then(fails).named("printer"));
        CHECK(thrown(trainer) == "hook 'printer', iteration 1: no paper <- no paper");
    }
    SECTION("it is told, and the others go on") {
        trainer.add(every(1, iteration).then(fails, [&] { ++after; }).named("printer").on_error(OnError::report),
                    every(1, iteration).then([&] { after += 10; }));
        trainer.train(2);
        CHECK(trainer.lines() ==
              Lines{"hook 'printer', iteration 1: no paper", "hook 'printer', iteration 2: no paper"});
        CHECK(after == 20);
    }
    SECTION("something else than an exception") {
        trainer.add(every(1, iteration).then([] { throw 3; }).named("odd"));
        CHECK_THROWS_WITH(trainer.train(1), "hook 'odd', iteration 1: an exception that is not a std::exception");
    }
}

TEST_CASE("The state of a group goes through an archive") {
    const auto add = [](HookTrainer& t, Lines& ran) -> auto& {
        return t.add(every(2, epoch).then(Makes<"a", LossValue>{}), when(a.increases()).then(Notes<A>(&ran)),
                     when(loss.increases(3)).then(Notes<LossValue>(&ran)));
    };
    HookTrainer whole, first;
    Lines all, ran;
    add(whole, all);
    whole.train(12);
    auto& before = add(first, ran);
    first.train(5);
    Archive out;
    before.archive(out);
    first.groups.clear();
    auto& after = add(first, ran);
    Archive in(out.words(), out.blobs());
    after.archive(in);
    CHECK(in.finished());
    first.train(7);
    CHECK(ran == all);
    CHECK(all == Lines{"notes loss=4", "notes loss=7", "notes a=8", "notes loss=10", "notes a=12"});
    Archive less({1, 2}, {});
    CHECK_THROWS_AS(after.archive(less), MismatchError);
}

TEST_CASE("A restarted group begins anew") {
    HookTrainer trainer;
    Lines ran;
    auto& group = trainer.add(every(3, iteration).times(1).then(Makes<"a", IterationWord>{}),
                              when(a.changes() || a.reaches(0)).then(Notes<A>(&ran)));
    trainer.train(4);
    CHECK(ran == Lines{"notes a=3"});
    group.restart();
    trainer.train(4);
    CHECK(ran == Lines{"notes a=3", "notes a=7"});
}

TEST_CASE("A group says its sentences and lists what it computes") {
    HookTrainer trainer;
    auto& group = trainer.add(every(1, epoch).then(Makes<"a">(2)), when(a.exceeds(1)).then(Notes<>{}, [] {}));
    trainer.train(2);
    CHECK(group.text() == "when(every(1, epoch)).then(make a)\nwhen(a.exceeds(1)).then(note, a function)\n");
    Lines computed;
    group.visit_computed([&](std::string_view name, const detail::SharedOwner<const detail::Slot>& slot) {
        computed.push_back(sentence(name, "=", double{slot->value}));
    });
    CHECK(computed == Lines{"a=2"});
}
