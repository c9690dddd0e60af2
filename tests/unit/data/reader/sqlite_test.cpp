// SPDX-License-Identifier: BSL-1.0
#include <sigma/core/philox.hpp>
#include <sigma/data/iterate.hpp>
#include <sigma/data/pipeline/dataset.hpp>
#include <sigma/data/reader/sqlite.hpp>
#include <sigma/data/split.hpp>
#include <sigma/data/transform/transforms.hpp>

#include "csv_support.hpp"

#include <array>
#include <cmath>
#include <fstream>

#include <sqlite3.h>

using namespace sigma;
using namespace sigma::data;
using Names = std::vector<std::string>;

namespace {

/// A database in a file, made by these statements.
std::string database(const Scratch& scratch, const std::string& sql, const std::string& name = "x.db") {
    const std::string path = scratch / name;
    sqlite3* open = nullptr;
    REQUIRE(sqlite3_open(path.c_str(), &open) == SQLITE_OK);
    char* reason = nullptr;
    if (sqlite3_exec(open, sql.c_str(), nullptr, nullptr, &reason) != SQLITE_OK) FAIL(reason);
    sqlite3_close(open);
    return path;
}
std::string bytes_of(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}
constexpr const char* fruits =
    "create table fruits(id integer primary key, weight real, width, kind text, picture blob);"
    "insert into fruits values (1, 150, 7.5, 'apple', x'0102'), (2, 1.1e2, '6', 'lemon', null),"
    "(3, 5.25, 3, 'fig', null), (4, 120, 8, 'lemon', null);";

}  // namespace

TEST_CASE("A query becomes a data set") {
    const Scratch scratch;
    const std::string path = database(scratch, fruits);
    const std::string query = "select weight, width as w, kind from fruits where id < ? order by id";
    for (const Source& source :
         {Source(file(path)), memory(bytes_of(path), "x.db"), text_source(bytes_of(path), 999)}) {
        const Table table = sqlite(source, {query, {4}});
        CHECK(table.names() == Names{"weight", "w", "kind"});
        const auto pipeline =
            table >> sections(inputs = columns({"w", "weight"}), targets = labels("kind")) >> min_max(inputs);
        const Dataset set = pipeline >> dataset("fruits");
        CHECK(set.size() == 3);
        CHECK(set.classes() == Names{"apple", "fig", "lemon"});
        CHECK(set.label(1) == 2);
        CHECK(set.input(0)[0] == 1);
        CHECK(set.input(2)[0] == 0);
        CHECK(set.input_size() == 2);
        const auto [some, others] = stratified_split(shuffled(set, 3), 0.7, 0.3);
        CHECK(some.size() + others.size() == 3);
        std::size_t records = 0;
        for (const Batch& some_records : epoch_of(minibatches(set, 2), 0)) records += some_records.size();
        CHECK(records == 3);
    }
}

TEST_CASE("The query of the page") {
    const Scratch scratch;
    const std::string path = database(scratch, fruits);
    // [sqlite]
    const std::string some = "select weight, width as w, kind from fruits where id < ? order by id";
    const auto fruits_of_file = sqlite(file(path), {some, {4}}) >>
                                sections(inputs = columns({"w", "weight"}), targets = labels("kind")) >>
                                dataset("fruits");
    // [sqlite]
    CHECK(fruits_of_file.size() == 3);
    CHECK(fruits_of_file.input(1)[1] == 110);
}

TEST_CASE("Values of SQLite of all types") {
    const Scratch scratch;
    const auto read = [&](const std::string& value, const auto& chosen, const TableOptions& options = {}) {
        const Block all = all_of(sqlite(memory(bytes_of(database(scratch, "create table if not exists t(x);")), "x.db"),
                                        "select " + value + " as x, null as y", options) >>
                                 sections(inputs = chosen));
        return all.values[0].floats()[0];
    };
    const auto refused = [&](const std::string& value, const auto& chosen, const TableOptions& options = {}) {
        return error_text([&] { read(value, chosen, options); });
    };
    CHECK(read("0.1", column("x")) == 0.1f);
    CHECK(read("-7", column("x")) == -7);
    CHECK(read("9223372036854775807", column("x")) == 9223372036854775807.0f);
    CHECK(read("'1e2'", column("x")) == 100);
    CHECK(std::isnan(read("null", column("x"))));
    CHECK(std::isnan(read("'NA'", column("x"), {.missing = {"NA"}})));
    CHECK(std::isnan(read("-1", column("x"), {.missing = {"-1"}})));
    CHECK(read("9007199254740993", labels("x", {"9007199254740992", "9007199254740993"})) == 1);
    CHECK(read("3.0", labels("x", {"2", "3"})) == 1);
    CHECK(read("3.0", classes("x")) == 3);
    CHECK(read("'1970-01-11'", date("x")) == 10);
    CHECK(read("86400", date("x", {.format = "%s"})) == 1);
    CHECK(read("'o'", mapped("x", {{"x", 1}, {"o", -1}})) == -1);
    CHECK(read("9e999", column("x"), {.non_finite = true}) == std::numeric_limits<float>::infinity());
    const std::string place = "file 'x.db', row 1, column 'x': expected ";
    CHECK(refused("9e999", column("x")) == place + "a finite number, found 'inf'");
    CHECK(refused("'abc'", column("x")) == place + "a finite number, found 'abc'");
    CHECK(refused("''", column("x")) == place + "a finite number, found an empty field (see .missing)");
    CHECK(refused("x'00ff'", column("x")) == place + "a finite number, found a BLOB of 2 bytes");
    CHECK(refused("x'00ff'", labels("x")) == place + "the name of a class, found a BLOB of 2 bytes");
    CHECK(refused("x'00ff'", classes("x", 4)) == place + "a class from 0 to 3, found a BLOB of 2 bytes");
    CHECK(refused("1e300", column("x")) ==
          place + "a number of at most 3.4e38, the largest float, or {.doubles = true}, found '1e+300'");
    CHECK(refused("-1", classes("x")) == place + "a class, a whole number from 0, found '-1'");
    CHECK(refused("cast(x'61ff' as text)", labels("x")) == place + "the name of a class in UTF-8, found 'a\\xff'");
    CHECK(refused("'a' || char(0) || 'b'", labels("x")) == place + "the name of a class in UTF-8, found 'a\\x00b'");
    CHECK(refused("'1' || char(0)", column("x")) == place + "a finite number, found '1\\x00'");
    CHECK(refused("1", column("z")) == "file 'x.db', columns of the query: expected a column 'z', found 'x', 'y'");
    CHECK(refused("1", column(2)) == "file 'x.db', row 1: expected a column 2, found 2 columns");
    CHECK(refused("1 as x, 2", column("x")) ==
          "file 'x.db', columns of the query: expected one column 'x', found several");
    CHECK(refused("zeroblob(1000)", column("y"), {.longest_record = 999}) ==
          "file 'x.db', row 1: expected a record of at most 999 bytes, found more");
    CHECK(refused("1", column("x"), {.most_columns = 1}) == "file 'x.db': expected at most 1 columns, found 2");
}

TEST_CASE("Doubles of SQLite keep all digits, and tables in memory") {
    const Scratch scratch;
    PhiloxSequence random{Philox(5)};
    std::string sql = "create table t(x real, n integer, s text);begin;";
    std::vector<double> wanted;
    for (int i = 0; i < 500; ++i) {
        wanted.push_back(std::ldexp(2 * random.uniform<double>() - 1, static_cast<int>(random.below(200)) - 100));
        sql += sentence("insert into t values (", wanted.back(), ", ", i, ", 't", i % 7, "');");
    }
    const std::string path = database(scratch, sql + "commit;");
    const TableValues table = read_table(sqlite(file(path), "select * from t"));
    CHECK(table.records == 500);
    CHECK(table["s"].texts[8] == "t1");
    CHECK(table["n"].numbers[499] == 499);
    const auto pipeline = sqlite(file(path), "select x from t", {.doubles = true}) >> sections(inputs = column(0));
    Block block;
    std::size_t at = 0;
    while (pipeline.reader->read(7, block) > 0)
        for (const double x : block.values[0].doubles()) {
            CHECK(table["x"].numbers[at] == x);
            CHECK(std::abs(x - wanted[at]) <= 1e-15 * std::abs(x));
            ++at;
        }
    CHECK(at == 500);
    pipeline.reader->rewind();
    CHECK(pipeline.reader->read(1000, block) == 500);
}

TEST_CASE("Wrong queries are refused") {
    const Scratch scratch;
    const std::string path = database(scratch, fruits);
    const auto refused = [&](const std::string& query, std::vector<SqliteValue> parameters = {}) {
        const Source source = memory(bytes_of(path), "x.db");
        return error_text([&] { sqlite(source, {query, parameters}).names(); });
    };
    CHECK(refused("select * from fruits;  -- all\n") == "no error");
    CHECK(refused("select wide from fruits") ==
          "query of 'x.db': expected a statement that SQLite accepts, found no such column: wide");
    CHECK(refused("selct") ==
          "query of 'x.db': expected a statement that SQLite accepts, found near \"selct\": syntax error");
    CHECK(refused(" -- none") == "query of 'x.db': expected one statement of SQL, found none");
    CHECK(refused("select 1; select 2") == "query of 'x.db': expected one statement of SQL, found several");
    CHECK(refused("select 1; drop table fruits") == "query of 'x.db': expected one statement of SQL, found several");
    CHECK(
        refused("delete from fruits returning id").find("expected a statement that returns rows and changes nothing") !=
        std::string::npos);
    CHECK(refused("create table a(b)").find("expected a statement that returns rows and changes nothing") !=
          std::string::npos);
    CHECK(refused(std::string("select 1\0", 9)).find("without '\\0'") != std::string::npos);
    CHECK(refused("select ?") == "query of 'x.db': expected 1 parameter, found 0");
    CHECK(refused("select 1", {2}) == "query of 'x.db': expected 0 parameters, found 1");
    CHECK(error_text([&] {
              all_of(sqlite(file(path), "select * from fruits where id > 9") >> sections(inputs = column(0)));
          }) == sentence("file '", path, "': expected at least one record, found none"));
    CHECK_THROWS_AS(SqliteValue(~0ull), ArgumentError);
    const auto first = [&](SqliteValue value) {
        const Block all =
            all_of(sqlite(file(path), {"select ? as x", {std::move(value)}}) >> sections(inputs = column("x")));
        return all.values[0].floats()[0];
    };
    CHECK(first(2.5) == 2.5f);
    CHECK(first("7") == 7);
    CHECK(first(std::string("8")) == 8);
    CHECK(first(true) == 1);
    CHECK(std::isnan(first(nullptr)));
}

TEST_CASE("Files that are no sound database are refused") {
    const Scratch scratch;
    const std::string path =
        database(scratch, std::string(fruits) +
                              "with recursive n(i) as (select 5 union all select i + 1 from n where i < 2000)"
                              "insert into fruits select i, i, i, 'k' || (i % 9), null from n;");
    const std::string sound = bytes_of(path);
    const auto refused = [&](const std::string& bytes) {
        return error_text([&] {
            all_of(sqlite(memory(bytes, "x.db"), "select weight, width, kind from fruits order by kind") >>
                   sections(inputs = columns(0, 1), targets = labels(2)));
        });
    };
    CHECK(refused(sound) == "no error");
    CHECK(refused("") ==
          "file 'x.db', byte 0: expected a SQLite database, which begins with 'SQLite format 3', found an empty file");
    CHECK(refused("<!doctype html>").find("found '<!doctype html>'") != std::string::npos);
    CHECK(refused("\x1F\x8B\x08").find("gzip") != std::string::npos);
    CHECK(error_text([&] { sqlite(file(scratch / "none.db"), "select 1").names(); }).find("none.db") !=
          std::string::npos);
    CHECK(error_text([&] { sqlite(file(":memory:"), "select 1").names(); }).find(":memory:") != std::string::npos);
    for (const std::size_t size : std::array<std::size_t, 5>{16, 100, 4096, 5000, 20000})
        if (size < sound.size()) CHECK(refused(sound.substr(0, size)).find("file 'x.db'") == 0);
    PhiloxSequence random{Philox(3)};
    std::size_t noticed = 0;
    for (int i = 0; i < 300; ++i) {
        std::string damaged = sound;
        for (int k = 0; k < 8; ++k)
            damaged[random.below(i % 2 == 0 ? damaged.size() : 200)] = static_cast<char>(random.below(256));
        const std::string found = refused(damaged);
        noticed += found != "no error" ? 1 : 0;
        const bool clear = found == "no error" || found.find("file 'x.db'") == 0 || found.find("query of 'x.db'") == 0;
        CHECK(clear);
    }
    CHECK(noticed > 100);
}

TEST_CASE("The key of a query changes with the database, the query and its parameters") {
    const Scratch scratch;
    const std::string path = database(scratch, fruits);
    const auto key = [&](const std::string& query, std::vector<SqliteValue> parameters = {}) {
        return (sqlite(file(path), {query, std::move(parameters)}) >> sections(inputs = column(0))).reader->key();
    };
    CHECK(key("select 1") == key("select 1"));
    CHECK(key("select 1") != key("select 2"));
    CHECK(key("select ?", {1}) != key("select ?", {2}));
    CHECK(key("select ?", {1}) != key("select ?", {"1"}));
    CHECK(key("select ?", {nullptr}) != key("select ?", {0}));
    const std::string before = key("select 1");
    // A program that writes keeps changes beside the file.
    sqlite3* open = nullptr;
    REQUIRE(sqlite3_open(path.c_str(), &open) == SQLITE_OK);
    REQUIRE(sqlite3_exec(open, "pragma journal_mode = wal; insert into fruits values (9, 9, 9, 'x', null)", nullptr,
                         nullptr, nullptr) == SQLITE_OK);
    const std::string logged = key("select 1");
    CHECK(logged != before);
    REQUIRE(sqlite3_exec(open, "insert into fruits values (10, 9, 9, 'x', null)", nullptr, nullptr, nullptr) ==
            SQLITE_OK);
    CHECK(key("select 1") != logged);
    CHECK(read_table(sqlite(file(path), "select id from fruits")).records == 6);
    sqlite3_close(open);
    CHECK((sqlite(file(path), "select 1") >> sections(inputs = column(0))).reader->origins()[0].reader == "sqlite");
}
