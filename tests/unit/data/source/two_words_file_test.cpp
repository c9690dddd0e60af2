// SPDX-License-Identifier: BSL-1.0
#include "support.hpp"

#include <sigma/data/source/file.hpp>
#include <sigma/hook/average.hpp>
#include <sigma/hook/report.hpp>
#include <sigma/hook/save.hpp>

#include <catch2/catch.hpp>

#include <string>
#include <type_traits>

// Programs use both namespaces, and `file` is a word of both.
using namespace sigma;
using namespace sigma::data;

TEST_CASE("A file with one text is a source, and hooks take it") {
    const sources_test::Directory directory;
    const std::string path = directory.write("a", "abc");
    CHECK(sources_test::text_of(file(path.c_str()) | file("/none")) == "abc");
    CHECK(sources_test::text_of(file("/none") | file(path)) == "abc");
    static_assert(std::is_base_of_v<Source, decltype(file("a"))>);
    static_assert(std::is_same_v<decltype(save(file("a.sigma"))), decltype(save("a.sigma"))>);
    CHECK(save(file("a.sigma")).text() == save("a.sigma").text());
    static_assert(
        std::is_same_v<decltype(report(loss).to(file("log.txt"))), decltype(report(loss).to(sigma::file("log.txt")))>);
}

TEST_CASE("A file with values is one of hooks") {
    CHECK(save(file("digits-", epoch, ".sigma")).text() == "save(file(\"digits-\", epoch, \".sigma\"))");
}
