// SPDX-License-Identifier: BSL-1.0
// Any bytes are either refused or a table: then it is the same read at once and record by record. The first bytes
// choose the kind: a .npy file, a SQLite database with a table t, or JSON lines.
#include <sigma/data/reader/json_lines.hpp>
#include <sigma/data/reader/npy_table.hpp>
#include <sigma/data/source/source.hpp>
#ifdef SIGMA_SQLITE
#include <sigma/data/reader/sqlite.hpp>
#endif

#include "records.hpp"

namespace {

using namespace sigma::data;

Table table_of(std::span<const std::byte> bytes) {
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    const TableOptions options{.missing = {""}, .longest_record = 1 << 16, .most_columns = 1 << 10};
    if (text.starts_with("\x93NUMPY")) return npy_table(memory(bytes), options);
#ifdef SIGMA_SQLITE
    if (text.starts_with("SQLite")) return sqlite(memory(bytes), "select * from t limit 1000", options);
#endif
    return json_lines(memory(bytes), {.missing = {""}, .longest_record = 1 << 16, .most_columns = 1 << 10});
}

}  // namespace

bool fuzz_accepts(const std::uint8_t* data, std::size_t size) try {
    const auto bytes = std::as_bytes(std::span(data, size));
    fuzz::require_same_records(*(table_of(bytes) >> sections(inputs = columns(0, -2) + labels(-1))).reader);
    read_table(table_of(bytes));
    return true;
} catch (const sigma::DataError& refusal) {
    fuzz::require_printable(refusal);
    return false;
} catch (const sigma::ArgumentError& refusal) {  // a database without the table t
    fuzz::require_printable(refusal);
    return false;
}
