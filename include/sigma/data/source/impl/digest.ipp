// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/number_text.hpp>
#include <sigma/data/source/digest.hpp>

#include <array>
#include <utility>
#include <vector>

namespace sigma::data {

/// A source that gives bytes only after all of them were found to have this digest.
class VerifiedSource final : public ByteSource {
public:
    VerifiedSource(Source source, const std::string& digest)
        : source_(std::move(source)), digest_(sha256_digits(digest, source_.name())) {}

    std::string name() const override { return source_.name(); }
    bool exists() const override { return source_.exists(); }
    std::unique_ptr<ByteStream> open() const override { return verify(); }
    /// Returns the digest as a key, for which no file has to be read.
    std::string key() const override { return sentence("sha256:", digest_); }
    std::optional<std::string> path() const override {
        const std::optional<std::string> path = source_.path();
        if (path) verify();
        return path;
    }

private:
    /// Returns a stream of the bytes that were verified now or in an earlier call. Opens it before it gets the key
    /// again: if another file has replaced the first in the meantime, the keys differ.
    std::unique_ptr<ByteStream> verify() const {
        const std::scoped_lock lock(mutex_);
        const std::string before = source_.key();
        std::string found = before == seen_ ? digest_ : sha256(source_);
        std::unique_ptr<ByteStream> stream = source_.open();
        if (source_.key() != before) found = "a file that was replaced while it was read";
        if (found != digest_) {
            seen_.clear();
            throw DataError(name(), "", sentence("bytes with the SHA-256 digest ", digest_), found);
        }
        seen_ = before;
        return stream;
    }

    Source source_;
    std::string digest_;
    mutable std::mutex mutex_;
    mutable std::string seen_;  // the key under which the digest was right
};

SIGMA_IMPL Sha256::Sha256() : context_(::EVP_MD_CTX_new(), &::EVP_MD_CTX_free) {
    require(context_ && ::EVP_DigestInit_ex(context_.get(), ::EVP_sha256(), nullptr) == 1);
}

SIGMA_IMPL void Sha256::update(std::span<const std::byte> bytes) {
    require(::EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()) == 1);
}

SIGMA_IMPL std::string Sha256::finish() {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned size = 0;
    require(::EVP_DigestFinal_ex(context_.get(), digest.data(), &size) == 1);
    std::string text;
    for (unsigned i = 0; i < size; ++i) sigma::detail::append_hexadecimal(text, digest[i], 2);
    return text;
}

SIGMA_IMPL void Sha256::require(bool works) {
    if (!works) throw Error("SHA-256: libcrypto cannot compute it");
}

SIGMA_IMPL std::string sha256(std::span<const std::byte> bytes) {
    Sha256 digest;
    digest.update(bytes);
    return digest.finish();
}

SIGMA_IMPL std::string sha256(std::string_view text) { return sha256(std::as_bytes(std::span(text))); }

SIGMA_IMPL std::string sha256(ByteStream& stream) {
    Sha256 digest;
    std::vector<std::byte> block(std::size_t{1} << 18);
    while (const std::size_t count = stream.read(block)) digest.update(std::span(block).first(count));
    return digest.finish();
}

SIGMA_IMPL std::string sha256(const Source& source) { return sha256(*source.open()); }

SIGMA_IMPL std::string sha256_digits(std::string text, const std::string& of) {
    for (char& c : text)
        if (c >= 'A' && c <= 'F') c = static_cast<char>(c - 'A' + 'a');
    if (text.size() != 64 || text.find_first_not_of("0123456789abcdef") != text.npos)
        throw ArgumentError(sentence("sha256 of '", of, "'"), "64 hexadecimal digits", sentence("'", text, "'"));
    return text;
}

SIGMA_IMPL Source verified(Source source, const std::string& sha256_of_bytes) {
    return Source(std::make_shared<VerifiedSource>(std::move(source), sha256_of_bytes));
}

}  // namespace sigma::data
