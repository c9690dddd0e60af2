// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/idx.hpp>
#include <sigma/data/reader/idx.hpp>
#include <sigma/data/source/file.hpp>
#include <sigma/data/source/memory.hpp>

#include <memory>
#include <utility>

namespace sigma::data::detail {

SIGMA_IMPL Numbers all_numbers(const std::shared_ptr<RecordReader>& reader) {
    std::vector<std::size_t> shape = reader->sections()[0].shape;
    shape.insert(shape.begin(), reader->size().value());
    Block block;
    reader->read(shape[0], block);
    return {std::move(shape), std::move(block.values[0])};
}

}  // namespace sigma::data::detail

namespace sigma::data {

SIGMA_IMPL Numbers parse_idx(std::span<const std::uint8_t> bytes, const std::string& file, std::size_t rank) {
    return detail::all_numbers(
        detail::idx_reader(memory(std::as_bytes(bytes), file), rank, {}, default_limit, bytes.size()));
}

SIGMA_IMPL Numbers read_idx(const Source& source, std::size_t rank, std::size_t limit) {
    return detail::all_numbers(detail::idx_reader(source, rank, {}, limit));
}

SIGMA_IMPL Numbers read_idx(const std::string& path, std::size_t rank, std::size_t limit) {
    return read_idx(file(path), rank, limit);
}

SIGMA_IMPL Dataset read_idx_images(const Source& images_source, const Source& labels_source, std::string name,
                                   std::vector<std::string> classes) {
    Numbers images = read_idx(images_source, 3);
    Numbers labels = read_idx(labels_source, 1);
    if (labels.size() != images.shape[0])
        throw DataError(labels_source.name(), "byte 4", sentence(images.shape[0], " labels, one for each image"),
                        sentence(labels.size()));
    for (std::size_t i = 0; i < labels.size(); ++i)
        if (!(labels.values[i] < static_cast<float>(classes.size())))
            throw DataError(labels_source.name(), sentence("byte ", 8 + i),
                            sentence("a label from 0 to ", classes.size() - 1), sentence(labels.values[i]));
    for (float& pixel : images.values) pixel /= 255.0f;
    return {std::move(images), std::move(labels), std::move(name), std::move(classes)};
}

SIGMA_IMPL Dataset read_idx_images(const std::string& images_path, const std::string& labels_path, std::string name,
                                   std::vector<std::string> classes) {
    return read_idx_images(file(images_path), file(labels_path), std::move(name), std::move(classes));
}

}  // namespace sigma::data
