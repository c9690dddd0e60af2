// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/monitor/run_folder.hpp>

#include "json.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace sigma::monitor {

/// Makes the JSON of a parent.
Json parent_answer(const RunParent& parent);
/// Returns the parent in the description of a trainer in run.json; nothing if there is none.
std::optional<RunParent> parent_in(const Json& trainer);

/// A checkpoint as its file describes it.
struct Checkpoint {
    std::string file;
    std::uint64_t iteration = 0;
    double seconds = 0;  ///< running time
};
/// Returns nothing if there is no checkpoint at this path.
std::optional<Checkpoint> checkpoint_at(const std::string& path);

/// Reason for which a monitor cannot save and load for a trainer that it knows by its registry only.
inline constexpr const char* untyped = "the monitor does not know its type; add the trainer with watch";

}  // namespace sigma::monitor
