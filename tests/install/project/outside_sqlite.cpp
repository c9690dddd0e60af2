// SPDX-License-Identifier: BSL-1.0
// Reads a query of a database without tables. SQLite is linked, and its header is not needed with the library.
#include <sigma/data/pipeline/dataset.hpp>
#include <sigma/data/reader/sqlite.hpp>

#include <cstdio>
#include <string>

int main() {
    using namespace sigma::data;
    // The beginning of an empty database: a page of 512 bytes.
    std::string page("SQLite format 3\0\2\0\1\1\0\100\40\40", 24);
    page += std::string("\0\0\0\1\0\0\0\1", 8) + std::string(8, '\0') + std::string("\0\0\0\0\0\0\0\4", 8) +
            std::string(8, '\0') + std::string("\0\0\0\1", 4) + std::string(32, '\0') +
            std::string("\0\0\0\1\0\56\64\40", 8);
    page += std::string("\15\0\0\0\0\2\0\0", 8);
    page.resize(512, '\0');
    const auto numbers =
        sqlite(memory(page, "empty.db"), {"select ? as x, 'a' as kind union all select 2, 'b'", {1}}) >>
        sections(inputs = column("x"), targets = labels("kind")) >> dataset("numbers");
    std::printf("%zu records\n", numbers.size());
    return numbers.size() == 2 && numbers.input(0)[0] == 1 ? 0 : 1;
}
