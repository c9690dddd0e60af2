// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/source/source.hpp>

#include <cstddef>
#include <memory>

namespace sigma::data {

/// The bytes of a source, unpacked as often as they are packed, which their first bytes tell, not their name: gzip (of
/// any number of members), bzip2, xz, zstd, lzip, lz4, compress, and zip, 7zip and tar with one file in them. Whatever
/// else it is comes as it is. Data that is cut, damaged or followed by something else is a DataError, as are more than
/// `limit` bytes of packed data: a small file can unpack to any size. Of compress, which has no end mark, a cut goes
/// unnoticed.
Source unpacked(const Source& source, std::size_t limit = default_limit);

/// The stream of unpacked(source, limit).
std::unique_ptr<ByteStream> open_unpacked(const Source& source, std::size_t limit = default_limit);

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/source/impl/unpack.ipp>
#endif
