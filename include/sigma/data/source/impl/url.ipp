// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/error.hpp>
#include <sigma/core/task.hpp>
#include <sigma/data/source/digest.hpp>
#include <sigma/data/source/download.hpp>
#include <sigma/data/source/file_stream.hpp>
#include <sigma/data/source/request.hpp>
#include <sigma/data/source/url.hpp>
#include <sigma/storage/cache_directory.hpp>
#include <sigma/storage/cache_entry.hpp>

#include <cstdlib>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>

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
    storage::Descriptor cached(const storage::CacheEntry& entry, std::string& found) const;

    std::string text_, shown_, name_, digest_;
    UrlOptions options_;
    mutable std::mutex mutex_;
    mutable std::string verified_;  // the key of the cached file of which the digest was right
};

}  // namespace sigma::data

namespace sigma::data::http {

SIGMA_IMPL Address::Address(const std::string& text) : parts_(::curl_url(), &::curl_url_cleanup) {
    const ::CURLUcode code = ::curl_url_set(parts_.get(), CURLUPART_URL, text.c_str(), 0);
    const std::string scheme = code == CURLUE_OK ? part(CURLUPART_SCHEME) : "";
    if (code != CURLUE_OK || text.find('\0') != text.npos ||
        (scheme != "http" && scheme != "https" && scheme != "file"))
        throw ArgumentError(
            sentence("url '", text.c_str(), "'"), "an address of http, https or file",
            code == CURLUE_OK ? sentence("one of '", scheme, "'") : sentence("'", ::curl_url_strerror(code), "'"));
    is_file_ = scheme == "file";
    path_ = part(CURLUPART_PATH, CURLU_URLDECODE);
    if (part(CURLUPART_USER).empty() && part(CURLUPART_PASSWORD).empty()) {
        shown_ = text;
    } else {
        ::curl_url_set(parts_.get(), CURLUPART_USER, nullptr, 0);
        ::curl_url_set(parts_.get(), CURLUPART_PASSWORD, nullptr, 0);
        shown_ = part(CURLUPART_URL);
    }
    name_ = sentence(sigma::data::sha256(text).substr(0, 16), '-', safe(path_.substr(path_.rfind('/') + 1)));
}

SIGMA_IMPL std::string Address::part(::CURLUPart which, unsigned flags) const {
    char* text = nullptr;
    if (::curl_url_get(parts_.get(), which, &text, flags) != CURLUE_OK) return {};
    const std::unique_ptr<char, void (*)(void*)> owned(text, &::curl_free);
    return text;
}

SIGMA_IMPL std::string Address::safe(std::string name) {
    for (char& c : name) {
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (!plain && std::string_view("._-").find(c) == std::string_view::npos) c = '_';
    }
    return name.size() <= 100 ? name : name.substr(name.size() - 100);
}

}  // namespace sigma::data::http

namespace sigma::data {

SIGMA_IMPL UrlSource::UrlSource(std::string text, http::Address address, UrlOptions options)
    : text_(std::move(text)), shown_(address.shown()), name_(address.name()), options_(std::move(options)) {
    if (!options_.sha256.empty()) digest_ = sha256_digits(options_.sha256, shown_);
    static const ::CURLcode ready = ::curl_global_init(CURL_GLOBAL_DEFAULT);
    if (ready != CURLE_OK) throw Error("libcurl: expected it to begin, found that it cannot");
}

SIGMA_IMPL bool UrlSource::offline() const { return options_.offline || downloads_are_off(); }

SIGMA_IMPL bool UrlSource::exists() const {
    if (storage::CacheEntry(directory(), name_).open()) return true;
    if (offline()) return false;
    const Task task(TaskKind::prepare, shown_);
    for (const bool head : {true, false}) {
        http::Request request(text_, options_);
        if (head) request.ask_for_head();
        if (!request.run([](auto) { return false; }, [&] { task.check(); }).problem.empty()) return false;
        if (request.status() == 200) return true;
        // Servers that give the file, but do not answer this question.
        if (request.status() != 403 && request.status() != 405 && request.status() != 501) return false;
    }
    return false;
}

SIGMA_IMPL std::string UrlSource::key() const {
    if (!digest_.empty()) return sentence("sha256:", digest_);
    fetch();
    return file_key(storage::CacheEntry(directory(), name_).path(), shown_);
}

SIGMA_IMPL std::optional<std::string> UrlSource::path() const {
    fetch();
    return storage::CacheEntry(directory(), name_).path();
}

SIGMA_IMPL storage::Descriptor UrlSource::fetch() const {
    const std::scoped_lock lock(mutex_);
    const storage::CacheEntry entry(directory(), name_);
    std::string found = "nothing there";
    if (storage::Descriptor file = cached(entry, found)) return file;
    if (offline())
        throw DownloadError(shown_,
                            sentence("it in the cache directory '", directory(), "', as downloads are switched off (",
                                     options_.offline ? "offline" : "SIGMA_OFFLINE", ")"),
                            found);
    Task task(TaskKind::download, shown_);
    storage::CacheEntry::Part part(entry, [&] { task.check(); });
    // Somebody else may have downloaded it in the meantime.
    if (storage::Descriptor file = cached(entry, found)) return file;
    http::Download(text_, shown_, digest_, options_, part, task).run();
    part.commit();
    storage::Descriptor file = entry.open();
    if (!file) throw DownloadError(shown_, "its file to stay in the cache", "that it was removed");
    if (!digest_.empty()) verified_ = file_key(entry.path(), shown_);
    return file;
}

SIGMA_IMPL storage::Descriptor UrlSource::cached(const storage::CacheEntry& entry, std::string& found) const {
    storage::Descriptor file = entry.open();
    if (!file || digest_.empty()) return file;
    // What has the same key before and after it was opened and read is one and the same file.
    const std::string key = file_key(entry.path(), shown_);
    file = entry.open();
    std::string digest = digest_;
    if (key != verified_) {
        FileStream stream(entry.open(), shown_);
        digest = sha256(stream);
    }
    if (file && digest == digest_ && file_key(entry.path(), shown_) == key) {
        verified_ = key;
        return file;
    }
    found = sentence("a file with another SHA-256 digest, ", digest);
    return {};
}

SIGMA_IMPL bool downloads_are_off() {
    const char* variable = std::getenv("SIGMA_OFFLINE");
    return variable != nullptr && *variable != '\0' && std::string_view(variable) != "0";
}

SIGMA_IMPL Source url(const std::string& address, UrlOptions options) {
    http::Address parsed(address);
    if (!parsed.is_file()) return Source(std::make_shared<UrlSource>(address, std::move(parsed), std::move(options)));
    return options.sha256.empty() ? file(parsed.path()) : verified(file(parsed.path()), options.sha256);
}

}  // namespace sigma::data
