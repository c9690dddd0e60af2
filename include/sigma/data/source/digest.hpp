// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// SHA-256 digests of bytes, texts, streams and sources. Include it yourself.

#include <sigma/core/error.hpp>
#include <sigma/data/source/source.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include <openssl/evp.h>

namespace sigma::data {

/// Computes the SHA-256 digest of bytes that come in parts (FIPS 180-4), by libcrypto.
///
/// @see sha256
class Sha256 {
public:
    /// Constructs a digest of no bytes.
    /// @throws Error  if libcrypto cannot compute SHA-256
    Sha256();

    /// Adds bytes.
    /// @param bytes  the next bytes
    /// @throws Error  if libcrypto cannot compute SHA-256
    void update(std::span<const std::byte> bytes);
    /// Returns the digest as 64 hexadecimal digits. Call it once, at the end.
    /// @throws Error  if libcrypto cannot compute SHA-256, for example in a second call
    std::string finish();

private:
    static void require(bool works);

    std::unique_ptr<::EVP_MD_CTX, void (*)(::EVP_MD_CTX*)> context_;
};

/// Returns the SHA-256 digest of bytes as 64 hexadecimal digits.
/// @param bytes  the bytes
///
/// @see UrlOptions::sha256
std::string sha256(std::span<const std::byte> bytes);

/// Returns the SHA-256 digest of a text as 64 hexadecimal digits.
/// @param text  the text
std::string sha256(std::string_view text);

/// Returns the SHA-256 digest of the rest of a stream as 64 hexadecimal digits.
/// @param stream  the stream
std::string sha256(ByteStream& stream);

/// Returns the SHA-256 digest of a source as 64 hexadecimal digits.
/// @param source  the source
std::string sha256(const Source& source);

/// Converts a digest to the form that `sha256` returns: 64 digits in lower case.
/// @param text  the digest, in any case
/// @param of    name of the bytes, for the error
/// @return the digest, 64 digits in lower case
/// @throws ArgumentError  if the text is no digest
///
/// @see sha256
std::string sha256_digits(std::string text, const std::string& of);

/// Returns a source of the same bytes that gives no byte before it has verified the digest of all bytes.
///
/// Opening throws DataError for another digest. Everything is read twice when the source is first opened, and again
/// after the key of `source` has changed.
///
/// @param source           the source
/// @param sha256_of_bytes  the digest, 64 hexadecimal digits
/// @return a source
/// @throws ArgumentError  if the digest is no SHA-256 digest
///
/// @see sha256, UrlOptions::sha256
Source verified(Source source, const std::string& sha256_of_bytes);

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/source/impl/digest.ipp>
#endif
