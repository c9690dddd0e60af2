// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/network/parameters_file.hpp>

namespace sigma::detail {

SIGMA_IMPL std::vector<std::uint64_t> extents_of(const Shape& shape) {
    std::vector<std::uint64_t> extents;
    for (int i = 0; i < shape.rank; ++i) extents.push_back(static_cast<std::uint64_t>(shape[i]));
    return extents;
}

SIGMA_IMPL bool verified(const SafetensorsFile& file) {
    if (file.verify()) return true;
    const std::string* const format = file.metadata("format");
    if (format != nullptr && format->starts_with("sigma ") && *format != "sigma trainer 1")
        throw DataError(file.path(), "metadata", sentence("'", storage::checksum_key, "'"), "none");
    return false;
}

SIGMA_IMPL bool Differences::missing(const std::string& what) {
    add(wanted_, what);
    add(found_, "no such tensor");
    return false;
}

SIGMA_IMPL void Differences::unknown(const std::string& name, const std::vector<std::uint64_t>& shape) {
    add(wanted_, "no such tensor");
    add(found_, sentence("'", name, "' ", shape_text(shape)));
}

SIGMA_IMPL void Differences::throw_if_any(const std::string& where) const {
    if (count_ > 0) throw MismatchError(where, wanted_, found_);
}

SIGMA_IMPL void Differences::add(std::string& list, const std::string& what) {
    if (!list.empty()) list += ", ";
    list += what;
    ++count_;
}

}  // namespace sigma::detail
