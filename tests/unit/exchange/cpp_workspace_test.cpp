// SPDX-License-Identifier: BSL-1.0
#include "cpp/workspace.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstddef>
#include <random>
#include <vector>

using namespace sigma::detail::cpp;

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// A chain: each statement reads what the one before has written.
long long size_of_chain(const std::vector<long long>& sizes, bool same_place) {
    std::vector<Storage> storages;
    std::vector<Statement> statements;
    for (int i = 0; i < static_cast<int>(sizes.size()); ++i) {
        storages.push_back({.size = sizes[at(i)]});
        statements.push_back({.writes = i});
        if (i > 0) statements.back().reads.push_back({i - 1, same_place});
    }
    return place(storages, statements);
}

}  // namespace

TEST_CASE("A chain needs the memory of two neighbours, or of one where they may share it") {
    CHECK(size_of_chain({10, 20, 30, 20, 5}, false) == 50);
    CHECK(size_of_chain({30, 30, 30}, false) == 60);
    CHECK(size_of_chain({30, 30, 30}, true) == 30);
    CHECK(size_of_chain({}, false) == 0);
}

TEST_CASE("What stands before a loop is kept until it ends") {
    std::vector<Storage> storages(3, Storage{.size = 8});
    std::vector<Statement> statements(4);
    statements[0] = {.writes = 0};
    statements[1] = {.reads = {{0, true}}, .writes = 1, .loop = 0};  // reads it again in the next step
    statements[2] = {.reads = {{1, false}}, .writes = 2, .loop = 0};
    statements[3] = {.reads = {{2, false}}};
    CHECK(place(storages, statements) == 24);
    CHECK(storages[0].last == 2);
}

TEST_CASE("What lasts from step to step has its place during the whole loop") {
    std::vector<Storage> storages(3, Storage{.size = 8});
    storages[1].lasts = true;
    std::vector<Statement> statements(3);
    statements[0] = {.writes = 0, .loop = 0};
    statements[1] = {.reads = {{0, false}}, .writes = 1, .loop = 0};
    statements[2] = {.reads = {{1, false}}, .writes = 2};
    place(storages, statements);
    CHECK(storages[1].first == 0);
    CHECK(storages[0].offset != storages[1].offset);
}

TEST_CASE("Parts that live at the same time never overlap") {
    std::mt19937 random(7);
    const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
    for (int trial = 0; trial < 300; ++trial) {
        const int n = 2 + below(20);
        std::vector<Storage> storages;
        std::vector<Statement> statements;
        for (int i = 0; i < n; ++i) {
            storages.push_back({.size = 1 + below(40)});
            statements.push_back({.writes = i});
            for (int k = below(3); i > 0 && k-- > 0;) statements.back().reads.push_back({below(i), below(2) == 0});
        }
        const long long size = place(storages, statements);
        long long sum = 0;
        for (int i = 0; i < n; ++i) {
            const Storage& x = storages[at(i)];
            sum += x.size;
            if (x.within >= 0) {
                REQUIRE(storages[at(home(storages, i))].size == x.size);
                continue;
            }
            REQUIRE(x.offset + x.size <= size);
            for (int k = 0; k < i; ++k) {
                const Storage& y = storages[at(k)];
                if (y.within >= 0 || y.last < x.first || x.last < y.first) continue;
                REQUIRE((x.offset + x.size <= y.offset || y.offset + y.size <= x.offset));
            }
        }
        REQUIRE(size <= sum);
    }
}
