// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "recording.hpp"

#include <string>
#include <string_view>

// A recorded network as text, in the metadata "model" of a model file: lines of words. The first word of a line names
// the meaning of the others.
namespace sigma::detail {

inline constexpr std::string_view model_key = "model";
inline constexpr int model_format = 1;

std::string model_text(Recording& network);
/// Reads a recorded network. Throws DataError if the text is malformed, or the network cannot be computed.
Recording read_model_text(std::string_view text, const std::string& file);

}  // namespace sigma::detail
