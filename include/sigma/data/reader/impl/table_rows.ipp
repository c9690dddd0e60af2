// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/error.hpp>
#include <sigma/core/number_text.hpp>
#include <sigma/data/reader/table_rows.hpp>
#include <sigma/storage/utf8.hpp>

#include <cmath>

namespace sigma::data::detail {

SIGMA_IMPL std::string_view text_of(const TableCell& cell, bool words, std::string& memory) {
    using enum TableCell::Kind;
    if (cell.kind == missing) return "";
    if (cell.kind == truth) return cell.number != 0 ? (words ? "true" : "1") : words ? "false" : "0";
    if (cell.kind != number || !cell.text.empty()) return cell.text;
    memory.clear();
    if (std::abs(cell.number) < 0x1p53 && cell.number == std::floor(cell.number))
        sigma::detail::append_exact(memory, static_cast<long long>(cell.number));
    else sigma::detail::append_exact(memory, cell.number);
    return memory;
}

SIGMA_IMPL std::string place_of_column(const std::vector<std::string>& names, std::size_t column) {
    if (column == 0) return "";
    return sentence(", column ", column <= names.size() ? storage::quotation(names[column - 1]) : sentence(column));
}

}  // namespace sigma::data::detail
