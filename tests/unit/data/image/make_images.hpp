// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/data/image/image.hpp>

#include <array>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <png.h>
#include <turbojpeg.h>
#include <zlib.h>

/// What libpng is to write: rows as they lie in the file, packed where depth is below 8.
struct PngToWrite {
    std::uint32_t width = 1, height = 1;
    int depth = 8, colour = PNG_COLOR_TYPE_GRAY;
    std::vector<std::uint8_t> bytes{};
    std::vector<std::array<std::uint8_t, 3>> palette{};
    std::vector<std::uint8_t> opacity{};  // of the palette's colours
    bool interlaced = false;
};

inline std::string png_of(PngToWrite image) {
    std::string file;
    ::png_struct* png = ::png_create_write_struct(
        PNG_LIBPNG_VER_STRING, nullptr, [](::png_struct*, const char* text) { throw std::runtime_error(text); },
        nullptr);
    ::png_info* info = ::png_create_info_struct(png);
    ::png_set_write_fn(
        png, &file,
        [](::png_struct* p, ::png_byte* data, std::size_t size) {
            static_cast<std::string*>(::png_get_io_ptr(p))->append(reinterpret_cast<const char*>(data), size);
        },
        [](::png_struct*) {});
    ::png_set_IHDR(png, info, image.width, image.height, image.depth, image.colour,
                   image.interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                   PNG_FILTER_TYPE_DEFAULT);
    std::vector<::png_color> colours;
    for (const auto& c : image.palette) colours.push_back({c[0], c[1], c[2]});
    if (!colours.empty()) ::png_set_PLTE(png, info, colours.data(), static_cast<int>(colours.size()));
    if (!image.opacity.empty())
        ::png_set_tRNS(png, info, image.opacity.data(), static_cast<int>(image.opacity.size()), nullptr);
    ::png_write_info(png, info);
    const std::size_t stride = ::png_get_rowbytes(png, info);
    image.bytes.resize(stride * image.height);
    std::vector<::png_byte*> rows;
    for (std::size_t y = 0; y < image.height; ++y) rows.push_back(image.bytes.data() + y * stride);
    if (image.interlaced) ::png_set_interlace_handling(png);
    ::png_write_image(png, rows.data());
    ::png_write_end(png, info);
    ::png_destroy_write_struct(&png, &info);
    return file;
}

inline std::string jpeg_of(const sigma::data::Image& image, int sampling = TJSAMP_444, int quality = 95,
                           int flags = 0) {
    ::tjhandle const jpeg = ::tjInitCompress();
    unsigned char* bytes = nullptr;
    unsigned long size = 0;
    const int code =
        ::tjCompress2(jpeg, image.values.data(), static_cast<int>(image.width), 0, static_cast<int>(image.height),
                      image.channels == 1 ? TJPF_GRAY : TJPF_RGB, &bytes, &size, sampling, quality, flags);
    std::string file(reinterpret_cast<const char*>(bytes), size);
    ::tjFree(bytes);
    ::tjDestroy(jpeg);
    if (code != 0) throw std::runtime_error("tjCompress2");
    return file;
}

inline std::string big_endian(std::uint32_t number) {
    return {static_cast<char>(number >> 24), static_cast<char>(number >> 16 & 0xFF),
            static_cast<char>(number >> 8 & 0xFF), static_cast<char>(number & 0xFF)};
}

/// A chunk of a PNG with a right CRC.
inline std::string png_chunk(const std::string& kind, const std::string& data) {
    const std::string body = kind + data;
    const auto crc = ::crc32_z(0, reinterpret_cast<const ::Bytef*>(body.data()), body.size());
    return big_endian(static_cast<std::uint32_t>(data.size())) + body + big_endian(static_cast<std::uint32_t>(crc));
}

inline std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }
