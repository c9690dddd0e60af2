// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/data/image/image.hpp>
#include <sigma/storage/utf8.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace sigma::data {

/// PGM and PPM, plain (P2, P3) and raw (P5, P6), as Netpbm describes them
/// (https://netpbm.sourceforge.net/doc/pgm.html): one image, numbers up to 65535, two bytes each above 255. Numbers
/// become 0 … 255 by rounding. Nothing but white space and comments may follow a plain image, nothing at all a raw one.
/// Throws DataError with the byte.
class PnmDecoder {
public:
    PnmDecoder(std::string_view bytes, std::string name);
    const ImageInfo& info() const { return info_; }

    Image decode(const DecodeOptions& options);

private:
    [[noreturn]] void refuse(std::size_t byte, std::string expected, std::string found) const;
    std::string rest() const;
    static bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

    void skip_blanks();
    std::size_t number(const char* what, std::size_t most);
    std::size_t raw(std::size_t wide);
    /// As a number from 0 to `to`.
    std::size_t scaled(std::size_t value, std::size_t to) const;

    std::string_view bytes_;
    std::string name_;
    std::size_t at_ = 0;
    bool plain_ = false;
    ImageInfo info_;
    std::size_t largest_ = 0;
};

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/image/impl/pnm.ipp>
#endif
