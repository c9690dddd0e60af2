// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/execution/machine_group.hpp>

#include <algorithm>
#include <cstdint>

namespace sigma::detail {

SIGMA_IMPL void broadcast(MachineGroup& group, std::vector<std::byte>& bytes) {
    std::uint64_t size = bytes.size();
    group.broadcast(&size, sizeof size);
    bytes.resize(size);
    if (size > 0) group.broadcast(bytes.data(), size);
}

/// What is said of a rank that is not like rank 0, or nothing.
inline std::string difference(const std::string& wanted, const std::string& found, int rank) {
    std::size_t a = 0, b = 0;
    const auto next = [](const std::string& text, std::size_t& at) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        const std::string one = text.substr(at, end - at);
        at = std::min(end + 1, text.size());
        return one;
    };
    while (a < wanted.size() || b < found.size()) {
        const std::string x = next(wanted, a), y = next(found, b);
        if (x == y) continue;
        const std::size_t colon = std::min(x.find(": "), x.size());
        const std::string name = x.substr(0, colon);
        const auto value = [&](const std::string& of) {
            return of.starts_with(name + ": ") ? of.substr(name.size() + 2) : std::string("none");
        };
        return sentence("rank ", rank, " is not like rank 0: expected ", name, " '", value(x), "', found '", value(y),
                        "'");
    }
    return {};
}

SIGMA_IMPL void require_alike(MachineGroup& group, const std::string& lines, double patience) {
    const std::vector<std::string> all = group.texts(lines, patience);
    std::string problem;
    for (std::size_t r = 1; r < all.size() && problem.empty(); ++r)
        problem = difference(lines, all[r], static_cast<int>(r));
    const auto bytes = std::as_bytes(std::span(problem));
    std::vector<std::byte> told(bytes.begin(), bytes.end());
    broadcast(group, told);
    if (!told.empty()) throw MachineError(std::string(reinterpret_cast<const char*>(told.data()), told.size()));
}

}  // namespace sigma::detail
