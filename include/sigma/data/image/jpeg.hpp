// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/data/image/image.hpp>
#include <sigma/storage/utf8.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include <turbojpeg.h>

namespace sigma::data {

/// JPEG through libjpeg-turbo, with its accurate transform: what it only warns of, an early end above all, is an error
/// here. Grey comes from the luma as it is stored. Colours other than grey, YCbCr and RGB are refused. Throws
/// DataError.
class JpegDecoder {
public:
    static constexpr std::string_view signature = "\xFF\xD8\xFF";

    JpegDecoder(std::string_view bytes, std::string name);
    const ImageInfo& info() const { return info_; }

    /// `channels` is 1 or 3.
    Image decode(const DecodeOptions& options, std::size_t channels);

private:
    const unsigned char* data() const { return reinterpret_cast<const unsigned char*>(bytes_.data()); }
    [[noreturn]] void fail() const;

    std::string_view bytes_;
    std::string name_;
    std::unique_ptr<void, int (*)(::tjhandle)> jpeg_;
    ImageInfo info_;
};

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/image/impl/jpeg.ipp>
#endif
