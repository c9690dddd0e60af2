// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/source/source.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace sigma::data::detail {

/// Throws DataError where a text begins as packed data does: its bytes would pass for a text of strange characters.
/// Readers of texts do not unpack, so that they need no further libraries.
void refuse_packed(std::span<const std::byte> front, const std::string& file);

/// The same stream, of which refuse_packed has seen the front.
std::unique_ptr<ByteStream> plain_text(std::unique_ptr<ByteStream> stream, const std::string& file);

}  // namespace sigma::data::detail

#ifndef SIGMA_COMPILED
#include <sigma/data/source/impl/plain_text.ipp>
#endif
