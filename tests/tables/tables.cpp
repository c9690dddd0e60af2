// SPDX-License-Identifier: BSL-1.0
// tables DIRECTORY COUNT: prints the tables N.jsonl, N.npy and N.db (its table t) of a directory, from 0 to COUNT - 1.
// A line has the kind and number of a table, and the name of a column, texts in hexadecimal digits, or numbers with all
// digits.
#include <sigma/core/number_text.hpp>
#include <sigma/data/reader/json_lines.hpp>
#include <sigma/data/reader/npy_table.hpp>
#ifdef SIGMA_SQLITE
#include <sigma/data/reader/sqlite.hpp>
#endif

#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

using namespace sigma::data;

std::string digits_of(const std::string& text) {
    std::string all = "x";
    for (const char c : text) sigma::detail::append_hexadecimal(all, static_cast<unsigned char>(c), 2);
    return all;
}

void print(const char* kind, int number, const Table& table) {
    const TableValues values = read_table(table);
    for (const TableColumn& column : values.columns) {
        std::string line = sigma::sentence(kind, " ", number, " ", digits_of(column.name));
        for (const double x : column.numbers) line += sigma::sentence(" ", x);
        for (const std::string& text : column.texts) line += sigma::sentence(" ", digits_of(text));
        std::puts(line.c_str());
    }
}

}  // namespace

int main(int count, char** arguments) {
    if (count != 3) return 2;
    const std::string folder = arguments[1];
    for (int i = 0; i < std::atoi(arguments[2]); ++i) {
        const std::string name = sigma::sentence(folder, "/", i);
        print("jsonl", i, json_lines(file(sigma::sentence(name, ".jsonl"))));
        print("npy", i, npy_table(file(sigma::sentence(name, ".npy"))));
#ifdef SIGMA_SQLITE
        print("db", i, sqlite(file(sigma::sentence(name, ".db")), "select * from t order by rowid"));
#endif
    }
}
