// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/source/packing.hpp>

#include <cstddef>
#include <memory>
#include <string>

namespace sigma::data::detail {

/// A text as UTF-8, where it is UTF-16 that begins with a byte-order mark (U+FEFF, which it keeps); others as they are.
std::unique_ptr<ByteStream> as_utf8(std::unique_ptr<ByteStream> stream, const std::string& file);

}  // namespace sigma::data::detail

#ifndef SIGMA_COMPILED
#include <sigma/data/source/impl/utf16.ipp>
#endif
