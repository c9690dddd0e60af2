// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/data/dataset.hpp>
#include <sigma/data/source/source.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace sigma::data {

/// The array in the bytes of an IDX file, see reader/idx.hpp. `rank` 3 for images, 1 for labels, 0 for any. The extents are
/// checked against the number of bytes before anything is allocated for them.
Numbers parse_idx(std::span<const std::uint8_t> bytes, const std::string& file, std::size_t rank = 0);

/// The array in an IDX file, packed or not; more than `limit` bytes of packed data are refused.
Numbers read_idx(const Source& source, std::size_t rank = 0, std::size_t limit = std::size_t{1} << 30);
Numbers read_idx(const std::string& path, std::size_t rank = 0, std::size_t limit = std::size_t{1} << 30);

/// Images with their labels, pixels scaled from 0 ... 255 to 0 ... 1.
Dataset read_idx_images(const Source& images_source, const Source& labels_source, std::string name,
                        std::vector<std::string> classes);
Dataset read_idx_images(const std::string& images_path, const std::string& labels_path, std::string name,
                        std::vector<std::string> classes);

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/impl/idx.ipp>
#endif
