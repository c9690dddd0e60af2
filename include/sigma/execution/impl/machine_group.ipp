// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/execution/machine_group.hpp>

#include <algorithm>
#include <exception>

namespace sigma::detail {

SIGMA_IMPL void report_to_others(MachineGroup& group) noexcept {
    try {
        throw;
    } catch (const MachineError&) {  // of another rank
    } catch (const std::exception& e) { group.fail(e.what()); } catch (...) {
        group.fail("an exception that is not a std::exception");
    }
}
SIGMA_IMPL void with_others(MachineGroup& group, const AnyFunction<void()>& f) {
    try {
        f();
    } catch (...) {
        report_to_others(group);
        throw;
    }
}

/// Returns the text about a rank that differs from rank 0; empty if it does not.
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
        const std::string& named = x.empty() ? y : x;
        const std::string name = named.substr(0, named.find(": "));
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
    broadcast(group, problem);
    if (!problem.empty()) throw MachineError(problem);
}

}  // namespace sigma::detail
