// SPDX-License-Identifier: BSL-1.0
#include <sigma/core/pattern.hpp>

#include <catch2/catch.hpp>

using namespace sigma;

TEST_CASE("A star stands for any characters, also none and dots") {
    CHECK(detail::matches("*", ""));
    CHECK(detail::matches("*.weights", "1-dense.weights"));
    CHECK(detail::matches("*.weights", "2-block.hidden.weights"));
    CHECK(detail::matches("1-*s", "1-dense.weights"));
    CHECK(detail::matches("a*b*c", "abbc"));
    CHECK_FALSE(detail::matches("*.weights", "1-dense.biases"));
    CHECK_FALSE(detail::matches("dense", "1-dense"));
    CHECK_FALSE(detail::matches("", "a"));
}

TEST_CASE("More parts, then more letters in the first part that differs, are more specific") {
    // each is more specific than all before it
    constexpr const char* ascending[] = {"*",
                                         "dense*",
                                         "*.*",
                                         "*.weights*",
                                         "*.weights",
                                         "1-*.*",
                                         "1-*.bias*",
                                         "1-dense.*",
                                         "1-dense.weights",
                                         "*.*.*",
                                         "*.*.weights",
                                         "*.hidden.weights",
                                         "1-block.*.weights",
                                         "1-block.hidden.weights"};
    constexpr int count = sizeof(ascending) / sizeof(*ascending);
    for (int i = 0; i < count; ++i)
        for (int j = 0; j < count; ++j) {
            CAPTURE(ascending[i], ascending[j]);
            const int order = detail::compare_specificity(ascending[i], ascending[j]);
            CHECK((order > 0) == (i > j));
            CHECK((order < 0) == (i < j));
        }
    CHECK(detail::compare_specificity("a.*", "b.*") == 0);
    CHECK(detail::compare_specificity("a*.x", "*a.x") == 0);
    static_assert(detail::compare_specificity("1-dense.weights", "*") > 0);
}
