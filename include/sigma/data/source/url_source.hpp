// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/error.hpp>
#include <sigma/core/task.hpp>
#include <sigma/data/source/cache_entry.hpp>
#include <sigma/data/source/digest.hpp>
#include <sigma/data/source/download.hpp>
#include <sigma/data/source/file_stream.hpp>
#include <sigma/data/source/request.hpp>
#include <sigma/data/source/url_options.hpp>
#include <sigma/storage/cache_directory.hpp>

#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include <curl/curl.h>

namespace sigma::data {
namespace http {

/// An address that libcurl can read. Throws ArgumentError.
class Address {
public:
    explicit Address(const std::string& text);

    bool is_file() const { return is_file_; }
    /// "/a b" of "http://example.org/a%20b?c".
    const std::string& path() const { return path_; }
    /// Without user and password.
    const std::string& shown() const { return shown_; }
    /// What the cache calls it: another one for each address, and always the name of a file.
    const std::string& name() const { return name_; }

private:
    std::string part(::CURLUPart which, unsigned flags = 0) const;
    static std::string safe(std::string name);

    std::unique_ptr<::CURLU, void (*)(::CURLU*)> parts_;
    std::string path_, shown_, name_;
    bool is_file_ = false;
};

}  // namespace http

/// What url() gives for http and https.
class UrlSource final : public ByteSource {
public:
    UrlSource(std::string text, http::Address address, UrlOptions options);

    std::string name() const override { return shown_; }
    /// Asks the server, if it is not in the cache, once; nothing is downloaded.
    bool exists() const override;
    std::unique_ptr<ByteStream> open() const override { return std::make_unique<FileStream>(fetch(), shown_); }
    /// Downloads it where it has no digest and is not in the cache.
    std::string key() const override;
    /// The file in the cache; downloads it where it is not there.
    std::optional<std::string> path() const override;

private:
    std::string directory() const { return options_.cache.empty() ? cache_directory() : options_.cache; }

    bool offline() const;

    /// The file in the cache, of which the digest is right.
    storage::Descriptor fetch() const;

    /// Empty where it is not there or, says `found`, has another digest.
    storage::Descriptor cached(const CacheEntry& entry, std::string& found) const;

    std::string text_, shown_, name_, digest_;
    UrlOptions options_;
    mutable std::mutex mutex_;
    mutable std::string verified_;  // the key of the cached file of which the digest was right
};

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/source/impl/url_source.ipp>
#endif
