// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/data/dataset.hpp>
#include <sigma/data/gzip.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace sigma::data {

namespace detail {

template <class Bits>
constexpr Bits big_endian(const std::uint8_t* bytes) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < sizeof(Bits); ++i) value = value << 8 | bytes[i];
    return static_cast<Bits>(value);
}

/// Element types of IDX files by their code.
struct IdxType {
    std::uint8_t code;
    std::size_t size;
    float (*read)(const std::uint8_t*);
};

template <class T, class Bits>
float read_idx_number(const std::uint8_t* bytes) {
    return static_cast<float>(std::bit_cast<T>(big_endian<Bits>(bytes)));
}

inline constexpr std::array<IdxType, 6> idx_types{{
    {0x08, 1, &read_idx_number<std::uint8_t, std::uint8_t>},
    {0x09, 1, &read_idx_number<std::int8_t, std::uint8_t>},
    {0x0B, 2, &read_idx_number<std::int16_t, std::uint16_t>},
    {0x0C, 4, &read_idx_number<std::int32_t, std::uint32_t>},
    {0x0D, 4, &read_idx_number<float, std::uint32_t>},
    {0x0E, 8, &read_idx_number<double, std::uint64_t>},
}};

inline std::string hexadecimal(std::span<const std::uint8_t> bytes) {
    std::string text = "0x";
    for (const std::uint8_t byte : bytes) {
        std::array<char, 3> digits{};
        std::snprintf(digits.data(), digits.size(), "%02x", unsigned{byte});
        text += digits.data();
    }
    return text;
}

}  // namespace detail

/// The array in an IDX file: two zero bytes, type, rank, each extent in 4 bytes, the elements; all big-endian
/// (Y. LeCun, C. Cortes, C. Burges, "The MNIST database of handwritten digits"). `rank` 3 for images, 1 for labels,
/// 0 for any. The extents are checked against the length of the file before anything is allocated for them.
inline Numbers parse_idx(std::span<const std::uint8_t> bytes, const std::string& file, std::size_t rank = 0) {
    const auto fail = [&](std::size_t byte, const std::string& expected, const std::string& found) {
        throw DataError(file, sentence("byte ", byte), expected, found);
    };
    const auto need = [&](std::size_t end, const std::string& what) {
        if (bytes.size() < end) fail(bytes.size(), what, "the end of the file");
    };
    const auto ranks = [](std::size_t n) {
        return sentence(n, n == 1 ? " axis (labels)" : n == 3 ? " axes (images)" : " axes");
    };

    need(4, "the 4 bytes at which an IDX file begins");
    const detail::IdxType* type = nullptr;
    for (const detail::IdxType& known : detail::idx_types)
        if (known.code == bytes[2]) type = &known;
    if (bytes[0] != 0 || bytes[1] != 0 || type == nullptr || bytes[3] == 0)
        fail(0, "an IDX file, which begins with 0x0000, a type and a rank", detail::hexadecimal(bytes.first(4)));
    if (rank != 0 && bytes[3] != rank) fail(3, ranks(rank), ranks(bytes[3]));

    const std::size_t header = 4 + 4 * std::size_t{bytes[3]};
    const std::size_t available = bytes.size() < header ? 0 : (bytes.size() - header) / type->size;
    std::vector<std::size_t> shape;
    std::size_t count = 1;
    bool fits = true;
    for (std::size_t at = 4; at < header; at += 4) {
        need(at + 4, sentence("extent ", shape.size() + 1, " of ", bytes[3]));
        shape.push_back(detail::big_endian<std::uint32_t>(&bytes[at]));
        if (shape.back() == 0) fail(at, "an extent above 0", "0");
        fits = fits && shape.back() <= available / count;
        if (fits) count *= shape.back();
    }
    const auto elements =
        sentence(shape_text(shape), " elements of ", type->size, type->size == 1 ? " byte" : " bytes");
    if (!fits || bytes.size() - header != count * type->size)
        fail(header, elements, sentence(bytes.size() - header, " bytes"));

    Numbers numbers{std::move(shape), std::vector<float>(count)};
    for (std::size_t i = 0; i < count; ++i) numbers.values[i] = type->read(&bytes[header + i * type->size]);
    return numbers;
}

/// The array in an IDX file, packed by gzip or not.
inline Numbers read_idx(const std::string& path, std::size_t rank = 0, std::size_t limit = std::size_t{1} << 30) {
    return parse_idx(read_bytes(path, limit), path, rank);
}

/// Images with their labels, pixels scaled from 0 ... 255 to 0 ... 1.
inline Dataset read_idx_images(const std::string& images_path, const std::string& labels_path, std::string name,
                               std::vector<std::string> classes) {
    Numbers images = read_idx(images_path, 3);
    Numbers labels = read_idx(labels_path, 1);
    if (labels.size() != images.shape[0])
        throw DataError(labels_path, "byte 4", sentence(images.shape[0], " labels, one for each image"),
                        sentence(labels.size()));
    for (std::size_t i = 0; i < labels.size(); ++i)
        if (!(labels.values[i] < static_cast<float>(classes.size())))
            throw DataError(labels_path, sentence("byte ", 8 + i), sentence("a label from 0 to ", classes.size() - 1),
                            sentence(labels.values[i]));
    for (float& pixel : images.values) pixel /= 255.0f;
    return {std::move(images), std::move(labels), std::move(name), std::move(classes)};
}

}  // namespace sigma::data
