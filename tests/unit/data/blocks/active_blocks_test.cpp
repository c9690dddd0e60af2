// SPDX-License-Identifier: BSL-1.0
#include <sigma/data/blocks/active.hpp>

#include "../support.hpp"
#include "generated.hpp"

#include <thread>

using namespace sigma;
using namespace sigma::data;

namespace {

/// 10 blocks of 10 records, the last one of 5.
std::shared_ptr<GeneratedBlocks> ten() { return std::make_shared<GeneratedBlocks>(95, 10); }

}  // namespace

TEST_CASE("As many blocks are in memory as there may be, those used last") {
    const auto source = ten();
    ActiveBlocks blocks(source, "ten", {.blocks = 3});
    CHECK(blocks.most() == 3);
    for (const std::size_t n : {0u, 1u, 2u}) blocks.get(n);
    CHECK(source->loads == 3);
    blocks.get(0);
    blocks.get(3);  // in the place of 1
    blocks.get(0);
    blocks.get(2);
    CHECK(source->loads == 4);
    CHECK(blocks.active() == 3);
    blocks.get(1);
    CHECK(source->loads == 5);
    CHECK(blocks.get(9)->records == 5);
    CHECK(blocks.loads() == 6);
    blocks.clear();
    CHECK(blocks.active() == 0);
    CHECK(blocks.get(4)->values[0].floats()[2] == generated(41, 0));
}

TEST_CASE("The limit may be one of bytes") {
    // A block has 10 records of 3 floats.
    CHECK(ActiveBlocks(ten(), "ten", {.bytes = 120 * 4 + 119}).most() == 4);
    CHECK(ActiveBlocks(ten(), "ten", {.blocks = 2, .bytes = 1200}).most() == 2);
    CHECK(error_text([] { ActiveBlocks(ten(), "ten", {.bytes = 119}); }) ==
          "blocks of dataset 'ten': expected room for at least one block of 120 bytes, found 24 blocks and 119 bytes");
    CHECK_THROWS_AS(ActiveBlocks(ten(), "ten", {.blocks = 0}), ArgumentError);
}

TEST_CASE("A block that is held stays, and its memory is used again after that") {
    const auto source = ten();
    auto blocks = std::make_unique<ActiveBlocks>(source, "ten", BlockLimits{.blocks = 2});
    BlockHold first = blocks->get(0), second = blocks->get(1), third = blocks->get(2);
    CHECK(blocks->active() == 3);  // all are held
    CHECK(first->values[0].floats()[0] == generated(0, 0));
    CHECK(third->values[0].floats()[0] == generated(20, 0));
    second = {};
    third = {};
    BlockHold fourth = blocks->get(3);
    CHECK(blocks->active() == 2);
    fourth = {};
    fourth = blocks->get(4);
    blocks->get(0);
    CHECK(source->loads == 5);
    fourth = {};
    blocks.reset();
    CHECK(first->values[0].floats()[19] == generated(9, 1));  // also when the others are gone
}

TEST_CASE("Blocks take the memory of the blocks that went before") {
    ActiveBlocks blocks(ten(), "ten", {.blocks = 1});
    const float* const memory = blocks.get(0)->values[0].floats().data();
    for (std::size_t n = 1; n < 10; ++n) CHECK(blocks.get(n)->values[0].floats().data() == memory);
}

TEST_CASE("A block that cannot be loaded can be asked for again") {
    const auto source = ten();
    ActiveBlocks blocks(source, "ten", {.blocks = 2});
    source->failing = 3;
    for (int i = 0; i < 5; ++i) CHECK_THROWS_AS(blocks.get(3), DataError);
    CHECK(blocks.get(2)->values[1].floats()[0] == generated_label(20));
    source->failing = 4;
    CHECK(blocks.get(3)->values[1].floats()[0] == generated_label(30));
    CHECK(blocks.active() <= 2);
}

TEST_CASE("Numbers of blocks are checked when they are loaded") {
    const auto source = ten();
    source->not_finite = 73;
    ActiveBlocks blocks(source, "ten", {.blocks = 2});
    CHECK_NOTHROW(blocks.get(6));
    CHECK(error_text([&] { blocks.get(7); }) ==
          "dataset 'ten', section 'targets', record 73, target 0: expected a finite number, found inf");
}

TEST_CASE("Threads that want a block get the same one") {
    const auto source = std::make_shared<GeneratedBlocks>(4000, 40);
    ActiveBlocks blocks(source, "many", {.blocks = 5});
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < 4; ++t)
        threads.emplace_back([&, t] {
            for (std::size_t i = 0; i < 2000; ++i) {
                const std::size_t number = (i / 7 * (t + 1) + i) % 100;
                const BlockHold block = blocks.get(number);
                const BlockHold copy = block;
                if (copy->values[0].floats()[3] != generated(number * 40 + 1, 1) ||
                    copy->values[1].floats()[39] != generated_label(number * 40 + 39))
                    ++wrong;
            }
        });
    for (auto& thread : threads) thread.join();
    CHECK(wrong == 0);
    CHECK(blocks.active() <= 5 + 4);
    CHECK(source->loads == blocks.loads());

    ActiveBlocks all(source, "many", {.blocks = 100});
    const std::size_t before = source->loads;
    threads.clear();
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&] {
            for (std::size_t n = 0; n < 100; ++n) all.get(n);
        });
    for (auto& thread : threads) thread.join();
    CHECK(source->loads - before == 100);  // each by one thread
}
