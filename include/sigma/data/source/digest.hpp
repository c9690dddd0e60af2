// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/error.hpp>
#include <sigma/data/source/source.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include <openssl/evp.h>

namespace sigma::data {

/// SHA-256 of bytes that come in parts (FIPS 180-4), by libcrypto.
class Sha256 {
public:
    Sha256();

    void update(std::span<const std::byte> bytes);
    /// 64 hexadecimal digits. To be called once, at the end.
    std::string finish();

private:
    static void require(bool works);

    std::unique_ptr<::EVP_MD_CTX, void (*)(::EVP_MD_CTX*)> context_;
};

/// 64 hexadecimal digits.
std::string sha256(std::span<const std::byte> bytes);

std::string sha256(std::string_view text);

std::string sha256(ByteStream& stream);

std::string sha256(const Source& source);

/// The digest as sha256() writes it, whatever the case of its digits. Throws ArgumentError where it is none.
std::string sha256_digits(std::string text, const std::string& of);

/// The same bytes, but none before all were found to have this SHA-256 digest: else open() throws DataError. Everything
/// is read once more for that when it is first opened, and again after the key of `source` has changed.
Source verified(Source source, const std::string& sha256_of_bytes);

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/source/impl/digest.ipp>
#endif
