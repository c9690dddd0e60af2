// SPDX-License-Identifier: BSL-1.0
#include "support.hpp"

#include <sigma/data/source/source.hpp>
#include <sigma/hook/over_time.hpp>
#include <sigma/hook/report.hpp>
#include <sigma/hook/save.hpp>

#include <catch2/catch.hpp>

#include <filesystem>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

// `file` is a word of both namespaces: programs use one or the other, or both.
namespace of_data {
using namespace sigma::data;

template <class Path>
Source source_at(Path&& path) {
    return file(std::forward<Path>(path));
}
}  // namespace of_data

namespace of_hooks {
using namespace sigma;

template <class Path>
auto saved_at(Path&& path) {
    return save(file(std::forward<Path>(path)));
}
static_assert(std::is_same_v<decltype(report(loss).to(file("a"))), decltype(report(loss).to(data::file("a")))>);
}  // namespace of_hooks

namespace of_neither {
inline auto saved() { return save(sigma::file("a-", sigma::epoch)); }
}  // namespace of_neither

using namespace sigma;
using namespace sigma::data;

namespace {

template <class Path>
Source both_source_at(Path&& path) {
    return file(std::forward<Path>(path));
}
template <class Path>
auto both_saved_at(Path&& path) {
    return save(file(std::forward<Path>(path)));
}

/// Whatever the type of a path, in lvalues and rvalues: a source where that can be, and the name of a file for hooks.
template <class Path>
void check_path(Path& path, const std::string& text) {
    CHECK(of_data::source_at(path).name() == text);
    CHECK(of_data::source_at(std::as_const(path)).name() == text);
    CHECK(both_source_at(path).name() == text);
    CHECK(both_source_at(std::as_const(path)).name() == text);
    const std::string saves = sentence("save(\"", text, "\")");
    CHECK(of_hooks::saved_at(path).text() == saves);
    CHECK(of_hooks::saved_at(std::as_const(path)).text() == saves);
    CHECK(both_saved_at(path).text() == saves);
    CHECK(both_saved_at(std::as_const(path)).text() == saves);
}

}  // namespace

TEST_CASE("A file at a path of any type is a source, whichever namespaces are in use") {
    const std::string text = "folder/a.csv";
    std::string string = text;
    std::filesystem::path path = text;
    std::string_view view = text;
    const char* pointer = text.c_str();
    char* changeable = string.data();
    char array[] = "folder/a.csv";
    check_path(string, text);
    check_path(path, text);
    check_path(view, text);
    check_path(pointer, text);
    check_path(changeable, text);
    check_path(array, text);
    check_path("folder/a.csv", text);

    char* arguments[] = {changeable};
    char** argv = arguments;
    const Source sources[] = {
        file(argv[0]),        file(path.parent_path() / "a.csv"),     file(text.substr(0, 8) + ".csv"),
        file(view.substr(0)), file(std::string_view("folder/a.csv")), file("folder/a.csv")};
    for (const Source& source : sources) CHECK(source.name() == text);
    CHECK(both_saved_at(path / "b").text() == "save(\"folder/a.csv/b\")");
    CHECK(save(file(path, "-", epoch, view)).text() == "save(file(\"folder/a.csv\", \"-\", epoch, \"folder/a.csv\"))");
    const std::string to = report(loss).to(file(path)).text();
    CHECK(to == report(loss).to(sigma::file("folder/a.csv")).text());
    CHECK(to == report(loss).to(sigma::data::file(view)).text());
}

TEST_CASE("A file with one text is a source, and hooks take it") {
    const Scratch directory;
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
    CHECK(of_neither::saved().text() == "save(file(\"a-\", epoch))");
    CHECK(save(file("digits-", epoch, ".sigma")).text() == "save(file(\"digits-\", epoch, \".sigma\"))");
}
