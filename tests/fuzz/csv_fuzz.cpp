// SPDX-License-Identifier: BSL-1.0
// Any bytes are either refused with a DataError or a table: then it is the same in small pieces, and written with
// quotes it is read again. The first byte chooses a format.
#include <sigma/data/reader/csv.hpp>
#include <sigma/data/reader/csv_scanner.hpp>
#include <sigma/data/source/source.hpp>

#include "target.hpp"

#include <optional>

namespace {

using fuzz::require;
using namespace sigma::data;
using Rows = std::vector<std::vector<std::string>>;

CsvFormat format_of(std::uint8_t choice) {
    constexpr char separators[] = {',', ';', '\t', blanks};
    return {.separator = separators[choice & 3],
            .header = (choice & 4) != 0,
            .comment = (choice & 8) != 0 ? '#' : '\0',
            .trim = (choice & 16) == 0,
            .missing = (choice & 32) != 0 ? std::vector<std::string>{"", "?"} : std::vector<std::string>{},
            .non_finite = (choice & 64) != 0,
            .skip_malformed = (choice & 128) != 0,
            .longest_field = 4096,
            .longest_record = 16384,
            .most_columns = 256};
}

Rows cut(std::string_view text, const CsvFormat& format, std::size_t piece) {
    sigma::data::detail::CsvScanner scanner(memory(std::string(text)).open(), "fuzz.csv", format, piece);
    Rows rows;
    while (scanner.next()) rows.emplace_back(scanner.fields().begin(), scanner.fields().end());
    return rows;
}

/// What it throws where it throws.
template <class Run>
std::optional<std::string> refusal(Run&& run) {
    try {
        run();
    } catch (const sigma::DataError& error) {
        fuzz::require_printable(error);
        return error.what();
    }
    return {};
}

}  // namespace

std::vector<FuzzSeed> fuzz_seeds() {
    std::string quote{'\0', '1', ',', '"'};  // a format, and a quote that does not end
    for (int line = 0; line < 10000; ++line) quote += "a\n";
    return {{"bad_long_quote", quote}};
}

bool fuzz_accepts(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return false;
    const CsvFormat format = format_of(data[0]);
    const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);

    Rows whole, pieces;
    const auto refused = refusal([&] { whole = cut(text, format, 1 << 17); });
    const auto refused_in_pieces = refusal([&] { pieces = cut(text, format, 1 + data[0] % 61); });
    // Which limit is noticed first depends on the pieces.
    if (!refused || refused->find("at most") == std::string::npos)
        require(refused.has_value() == refused_in_pieces.has_value());
    if (!refused) {
        require(whole == pieces);
        std::string written;
        for (const auto& row : whole)
            for (std::size_t c = 0; c < row.size(); ++c) {
                written += c == 0 ? "\"" : format.separator == blanks ? " \"" : std::string(1, format.separator) + "\"";
                for (const char x : row[c]) written += x == '"' ? std::string("\"\"") : std::string(1, x);
                written += c + 1 == row.size() ? "\"\n" : "\"";
            }
        CsvFormat same = format;
        same.longest_record = std::size_t{1} << 20;
        require(cut(written, same, 1 << 17) == whole);
    }

    const auto unread = refusal([&] {
        auto pipeline = csv(memory(std::string(text), "fuzz.csv"), format) >>
                        sections(inputs = columns(0, -2), targets = labels(-1));
        Block block;
        while (pipeline.reader->read(7, block) > 0) {
            require(block.values[1].size() == block.records);
            for (const float label : block.values[1].floats())
                require(label != label || label < static_cast<float>(pipeline.reader->classes().size()));
            for (const float x : block.values[0].floats()) require(format.non_finite || x != x || x - x == 0);
        }
    });
    require(!refused || unread);
    return !unread;
}
