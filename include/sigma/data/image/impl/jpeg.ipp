// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/image/jpeg.hpp>

#include <utility>

namespace sigma::data {

SIGMA_IMPL JpegDecoder::JpegDecoder(std::string_view bytes, std::string name)
    : bytes_(bytes), name_(std::move(name)), jpeg_(::tjInitDecompress(), &::tjDestroy) {
    if (!jpeg_) throw DataError(name_, "", "a decoder of libjpeg-turbo", "none");
    int width = 0, height = 0, sampling = 0, colours = 0;
    if (::tjDecompressHeader3(jpeg_.get(), data(), bytes_.size(), &width, &height, &sampling, &colours) != 0) fail();
    if (colours == TJCS_CMYK || colours == TJCS_YCCK)
        throw DataError(name_, "", "a JPEG of grey, YCbCr or RGB", "one of CMYK");
    info_ = {static_cast<std::size_t>(height), static_cast<std::size_t>(width),
             colours == TJCS_GRAY ? std::size_t{1} : std::size_t{3}};
}

SIGMA_IMPL Image JpegDecoder::decode(const DecodeOptions& options, std::size_t channels) {
    // A block of 64 pixels takes at least a bit; subsampling at most divides their number by 16.
    detail::check_pixels(info_, options, 64 * 8 * 16 * bytes_.size(), name_);
    Image image{info_.height, info_.width, channels, std::vector<unsigned char>(info_.height * info_.width * channels)};
    const int flags = TJFLAG_ACCURATEDCT | TJFLAG_STOPONWARNING | TJFLAG_LIMITSCANS;
    if (::tjDecompress2(jpeg_.get(), data(), bytes_.size(), image.values.data(), static_cast<int>(info_.width), 0,
                        static_cast<int>(info_.height), channels == 1 ? TJPF_GRAY : TJPF_RGB, flags) != 0)
        fail();
    return image;
}

SIGMA_IMPL void JpegDecoder::fail() const {
    throw DataError(name_, "", "a JPEG that libjpeg-turbo reads", storage::quotation(::tjGetErrorStr2(jpeg_.get())));
}

}  // namespace sigma::data
