// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace sigma::data {

/// 128 bits of the bytes, as 32 hexadecimal digits: tells bytes apart that nobody has made to collide (for those:
/// digest.hpp). FNV-1a, G. Fowler, L. C. Noll, K.-P. Vo, D. Eastlake, "The FNV Non-Cryptographic Hash Algorithm",
/// draft-eastlake-fnv.
std::string fingerprint(std::span<const std::byte> bytes);

std::string fingerprint(std::string_view text);

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/storage/impl/fingerprint.ipp>
#endif
