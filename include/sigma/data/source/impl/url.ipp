// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/task.hpp>
#include <sigma/data/source/digest.hpp>
#include <sigma/data/source/url.hpp>
#include <sigma/storage/cache_entry.hpp>
#include <sigma/storage/workspace.hpp>

#include <curl/curl.h>
#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>
#include <thread>

namespace sigma::data::http {

/// The end of a request. `problem` is "" if the whole reply has arrived, whatever its status.
struct Outcome {
    std::string expected, problem;
    bool passing = false;  // a retry may succeed
};

/// One HTTP request by libcurl, with its redirects.
class Request {
public:
    using Clock = std::chrono::steady_clock;

    Request(const std::string& address, const UrlOptions& options)
        : options_(options), easy_(::curl_easy_init(), &::curl_easy_cleanup),
          multi_(::curl_multi_init(), &::curl_multi_cleanup), headers_(nullptr, &::curl_slist_free_all) {
        if (!easy_ || !multi_) throw Error("libcurl: cannot create a handle");
        set(CURLOPT_URL, address.c_str());
        // A redirect from https to http would lose the protection by TLS, unless a digest protects the bytes. Never
        // file.
        const bool secure = ::curl_strnequal(address.c_str(), "https:", 6) != 0 && options.sha256.empty();
        set(CURLOPT_PROTOCOLS_STR, "http,https");
        set(CURLOPT_REDIR_PROTOCOLS_STR, secure ? "https" : "http,https");
        set(CURLOPT_FOLLOWLOCATION, 1L);
        set(CURLOPT_MAXREDIRS, static_cast<long>(options.redirects));
        set(CURLOPT_SSL_VERIFYPEER, 1L);
        set(CURLOPT_SSL_VERIFYHOST, 2L);
        if (!options.certificates.empty()) set(CURLOPT_CAINFO, options.certificates.c_str());
        if (options.proxy) {
            set(CURLOPT_PROXY, options.proxy->c_str());
            set(CURLOPT_NOPROXY, "");
        }
        set(CURLOPT_USERAGENT, options.user_agent.c_str());
        set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(options.connect_timeout.count()));
        set(CURLOPT_NOSIGNAL, 1L);
        set(CURLOPT_ERRORBUFFER, message_.data());
        set(CURLOPT_WRITEFUNCTION, &Request::take_body);
        set(CURLOPT_WRITEDATA, this);
        set(CURLOPT_HEADERFUNCTION, &Request::take_header);
        set(CURLOPT_HEADERDATA, this);
    }

    /// Requests whether the file exists, not its contents.
    void ask_for_head() { set(CURLOPT_NOBODY, 1L); }
    /// Requests the bytes from `offset` on, provided that `validator`, an ETag or a date, still matches.
    void ask_for_rest(std::uint64_t offset, const std::string& validator) {
        set(CURLOPT_RANGE, sentence(offset, '-').c_str());
        if (validator.empty()) return;
        headers_.reset(::curl_slist_append(headers_.release(), sentence("If-Range: ", validator).c_str()));
        set(CURLOPT_HTTPHEADER, headers_.get());
    }

    /// Runs the request. `body` receives the bytes of the reply as they arrive, and returns false to end the request.
    /// `watch` is called all the time. Exceptions of both leave this function.
    Outcome run(const std::function<bool(std::span<const std::byte>)>& body, const std::function<void()>& watch) {
        body_ = &body;
        ::curl_multi_add_handle(multi_.get(), easy_.get());
        const std::unique_ptr<Request, void (*)(Request*)> added(
            this, [](Request* self) { ::curl_multi_remove_handle(self->multi_.get(), self->easy_.get()); });
        Clock::time_point since = Clock::now();
        std::uint64_t before = 0;
        for (int running = 1; running != 0;) {
            if (const CURLMcode code = ::curl_multi_perform(multi_.get(), &running); code != CURLM_OK)
                return {"a transfer", sentence("'", ::curl_multi_strerror(code), "'"), false};
            if (thrown_) std::rethrow_exception(thrown_);
            if (running == 0) break;
            watch();
            if (number(CURLINFO_PRETRANSFER_TIME_T) == 0) since = Clock::now();  // connect_timeout applies
            const std::chrono::duration<double> waited = Clock::now() - since;
            if (waited >= std::chrono::milliseconds(options_.stall_timeout.count())) {
                if (static_cast<double>(received_ - before) < waited.count() * static_cast<double>(options_.slowest))
                    return {sentence("at least ", options_.slowest, " bytes a second"),
                            sentence(received_ - before, " bytes in ", waited.count(), " seconds"), true};
                since = Clock::now();
                before = received_;
            }
            ::curl_multi_poll(multi_.get(), nullptr, 0, 20, nullptr);
        }
        int left = 0;
        const ::CURLMsg* ended = ::curl_multi_info_read(multi_.get(), &left);
        return outcome(ended == nullptr ? CURLE_OK : ended->data.result);
    }

    long status() const {
        long status = 0;
        ::curl_easy_getinfo(easy_.get(), CURLINFO_RESPONSE_CODE, &status);
        return status;
    }
    /// Returns a header of the last reply, or "" without it.
    std::string header(const char* name) const {
        ::curl_header* found = nullptr;
        return ::curl_easy_header(easy_.get(), name, 0, CURLH_HEADER, -1, &found) == CURLHE_OK ? found->value : "";
    }
    /// Returns the length that the reply declares.
    std::optional<std::uint64_t> length() const {
        const ::curl_off_t length = number(CURLINFO_CONTENT_LENGTH_DOWNLOAD_T);
        return length < 0 ? std::nullopt : std::optional(static_cast<std::uint64_t>(length));
    }
    /// Returns how long the server requests to wait.
    std::chrono::seconds retry_after() const { return std::chrono::seconds(number(CURLINFO_RETRY_AFTER)); }

private:
    template <class Value>
    void set(::CURLoption option, Value value) {
        if (const CURLcode code = ::curl_easy_setopt(easy_.get(), option, value); code != CURLE_OK)
            throw Error(
                sentence("libcurl: cannot set option ", static_cast<int>(option), ": ", ::curl_easy_strerror(code)));
    }
    ::curl_off_t number(::CURLINFO what) const {
        ::curl_off_t value = 0;
        ::curl_easy_getinfo(easy_.get(), what, &value);
        return value;
    }

    Outcome outcome(CURLcode code) const {
        if (flooded_) return {sentence("at most ", most_header_bytes, " bytes of headers"), "more"};
        if (code == CURLE_OK || (code == CURLE_WRITE_ERROR && refused_)) return {};
        const std::string found =
            sentence("'", message_[0] != '\0' ? message_.data() : ::curl_easy_strerror(code), "'");
        switch (code) {
            case CURLE_TOO_MANY_REDIRECTS: return {sentence("at most ", options_.redirects, " redirects"), "more"};
            case CURLE_UNSUPPORTED_PROTOCOL:
                return {"redirects to http and https only, and not from https to http", found};
            case CURLE_PARTIAL_FILE: return {"the whole file", found, true};
            case CURLE_OPERATION_TIMEDOUT:
            case CURLE_COULDNT_CONNECT: return {"a connection", found, true};
            case CURLE_COULDNT_RESOLVE_HOST:
            case CURLE_COULDNT_RESOLVE_PROXY: return {"a connection", found};
            case CURLE_GOT_NOTHING:
            case CURLE_SEND_ERROR:
            case CURLE_RECV_ERROR:
            case CURLE_SSL_CONNECT_ERROR:
            case CURLE_HTTP2:
            case CURLE_HTTP2_STREAM: return {"a reply", found, true};
            default: return {"a reply", found};
        }
    }

    // libcurl is C: exceptions are kept until it has returned.
    template <class Call>
    std::size_t guarded(std::size_t size, Call&& call) {
        received_ += size;
        try {
            if (call()) return size;
            refused_ = true;
        } catch (...) { thrown_ = std::current_exception(); }
        return CURL_WRITEFUNC_ERROR;
    }
    static std::size_t take_body(char* data, std::size_t, std::size_t size, void* self) {
        auto& request = *static_cast<Request*>(self);
        return request.guarded(size, [&] { return (*request.body_)(std::as_bytes(std::span(data, size))); });
    }
    /// Limits the headers, which libcurl would all keep in memory.
    static std::size_t take_header(char*, std::size_t, std::size_t size, void* self) {
        auto& request = *static_cast<Request*>(self);
        return request.guarded(
            size, [&] { return !(request.flooded_ = (request.header_bytes_ += size) > most_header_bytes); });
    }

    static constexpr std::size_t most_header_bytes = std::size_t{1} << 20;

    const UrlOptions& options_;
    std::array<char, CURL_ERROR_SIZE> message_{};
    std::unique_ptr<::CURL, void (*)(::CURL*)> easy_;
    std::unique_ptr<::CURLM, ::CURLMcode (*)(::CURLM*)> multi_;
    std::unique_ptr<::curl_slist, void (*)(::curl_slist*)> headers_;
    const std::function<bool(std::span<const std::byte>)>* body_ = nullptr;
    std::exception_ptr thrown_;
    std::uint64_t received_ = 0;
    std::size_t header_bytes_ = 0;
    bool refused_ = false, flooded_ = false;
};

/// A range of bytes: 100 and 1000 in "bytes 100-199/1000", or no total with "*".
struct ContentRange {
    std::uint64_t begin = 0;
    std::optional<std::uint64_t> total;

    static std::optional<ContentRange> parse(const std::string& text) {
        ContentRange range;
        const char* const end = text.data() + text.size();
        if (!text.starts_with("bytes ")) return {};
        if (std::from_chars(text.data() + 6, end, range.begin).ec != std::errc{}) return {};
        const std::size_t slash = text.find('/');
        std::uint64_t total = 0;
        if (slash != text.npos && std::from_chars(text.data() + slash + 1, end, total).ec == std::errc{})
            range.total = total;
        return range;
    }
};

/// Downloads the bytes of an address into a part of a cache. Retries resume at the end of the last attempt if the
/// server supports it and the bytes have not changed.
class Download {
public:
    using Clock = std::chrono::steady_clock;

    /// Constructs a download. `printable` is the address for errors; `digest` is the result of sha256_digits(), or "".
    Download(const std::string& address, const std::string& printable, const std::string& digest,
             const UrlOptions& options, storage::CacheEntry::Part& part, Task& task)
        : address_(address), printable_(printable), digest_(digest), options_(options), part_(part), task_(task) {}

    /// Returns when the part is complete and has the digest. Throws DownloadError, CanceledError and StorageError.
    void run() {
        // Only the digest of all bytes can verify a part that an earlier process has left.
        part_.keep(!digest_.empty());
        if (!digest_.empty() && part_.size() > 0 && digest_of_part() == digest_) return;
        joined_ = part_.size() > 0;
        std::chrono::milliseconds wait(options_.backoff.count());
        for (int attempt = 0;; ++attempt, wait *= 2) {
            attempt_once();
            if (!failure_ && !digest_.empty()) verify();
            if (!failure_) return;
            if (!failure_->passing) part_.clear();
            if (!failure_->passing || attempt >= options_.retries) {
                std::string found = failure_->found;
                if (attempt > 0) found += sentence(", at the last of ", attempt + 1, " attempts");
                throw DownloadError(printable_, failure_->expected, found, failure_->status);
            }
            const auto until = Clock::now() + std::max(wait, std::min(failure_->retry_after, longest_wait));
            while (Clock::now() < until) {
                watch();
                std::this_thread::sleep_for(
                    std::min<Clock::duration>(until - Clock::now(), std::chrono::milliseconds(20)));
            }
        }
    }

private:
    static constexpr std::chrono::milliseconds longest_wait{60'000};

    struct Failure {
        std::string expected, found;
        bool passing = false;
        long status = 0;
        std::chrono::milliseconds retry_after{0};
    };

    void attempt_once() {
        failure_.reset();
        if (validator_.empty() && digest_.empty()) part_.clear();
        Request request(address_, options_);
        const std::uint64_t offset = part_.size();
        if (offset > 0) request.ask_for_rest(offset, validator_);
        bool accepted = false;
        std::optional<std::uint64_t> total;
        const auto accept = [&] {
            if (!accepted) total = accept_reply(request, offset);
            accepted = true;
            return !failure_;
        };
        const Outcome outcome = request.run(
            [&](std::span<const std::byte> bytes) {
                if (!accept()) return false;
                if (bytes.size() > options_.limit - std::min<std::uint64_t>(options_.limit, part_.size())) {
                    failure_ = {sentence("at most ", options_.limit, " bytes"), "more", false, request.status()};
                    return false;
                }
                part_.write(bytes);
                task_.reach(part_.size());
                return true;
            },
            [this] { watch(); });
        // A reply may declare that it is too long before any byte of its body has arrived.
        if (!failure_ && !accepted && (outcome.problem.empty() || request.status() == 200)) accept();
        if (failure_) return;
        if (!outcome.problem.empty()) failure_ = {outcome.expected, outcome.problem, outcome.passing, request.status()};
        else if (total && *total != part_.size())
            failure_ = {sentence(*total, " bytes"), sentence(part_.size()), true, request.status()};
        content_type_ = request.header("Content-Type");
    }

    /// Checks status and headers before the first byte. Sets failure_, or returns the number of all bytes if it is
    /// known.
    std::optional<std::uint64_t> accept_reply(const Request& request, std::uint64_t offset) {
        const long status = request.status();
        std::optional<std::uint64_t> total = request.length();
        if (status == 206 && offset > 0) {
            const auto range = ContentRange::parse(request.header("Content-Range"));
            const std::string etag = request.header("ETag");
            if (!range || range->begin != offset ||
                (validator_.starts_with('"') && !etag.empty() && etag != validator_)) {
                failure_ = {sentence("the same file from byte ", offset), "another part of the file, or a changed file",
                            true, status};
                part_.clear();
                return {};
            }
            total = range->total;
            joined_ = true;
        } else if (status == 200) {
            part_.clear();
            joined_ = false;
            // Weak tags, W/"…", identify the meaning and not the bytes: RFC 9110, 8.8.1.
            validator_ = request.header("ETag");
            if (!validator_.starts_with('"')) validator_ = request.header("Last-Modified");
        } else {
            const bool passing = status == 408 || status == 429 || status == 500 || (status >= 502 && status <= 504);
            const bool beyond = status == 416 && offset > 0;
            if (beyond) part_.clear();
            failure_ = {"status 200", sentence(status), passing || beyond, status, request.retry_after()};
            return {};
        }
        if (total && *total > options_.limit)
            failure_ = {sentence("at most ", options_.limit, " bytes"), sentence(*total), false, status};
        task_.set_total(total);
        return total;
    }

    void verify() {
        const std::string found = digest_of_part();
        if (found == digest_) return;
        failure_ = {
            sentence("bytes with the SHA-256 digest ", digest_),
            sentence(found, ", of ", part_.size(), " bytes", content_type_.empty() ? "" : " of ", content_type_),
            joined_, 200};  // parts of different files may have been joined
        part_.clear();
    }

    std::string digest_of_part() const {
        FileStream stream(part_.reopen(), printable_);
        return sha256(stream);
    }

    void watch() const {
        task_.examine();
        const std::chrono::milliseconds most(options_.total_timeout.count());
        if (most.count() > 0 && Clock::now() - begun_ > most)
            throw DownloadError(printable_, sentence("all bytes within ", most.count(), " ms"),
                                sentence(part_.size(), " bytes in that time"));
    }

    const std::string &address_, &printable_, &digest_;
    const UrlOptions& options_;
    storage::CacheEntry::Part& part_;
    Task& task_;
    Clock::time_point begun_ = Clock::now();
    std::optional<Failure> failure_;
    std::string validator_, content_type_;
    bool joined_ = false;  // the part holds bytes of more than one reply
};

}  // namespace sigma::data::http

namespace sigma::data {

SIGMA_IMPL DownloadError::DownloadError(std::string address_, std::string expected_, std::string found_, long status_)
    : DataError("address", address_, "", std::move(expected_), std::move(found_)), address(std::move(address_)),
      status(status_) {}

namespace http {

/// An address that libcurl can read. Throws ArgumentError.
class Address {
public:
    explicit Address(const std::string& text) : parts_(::curl_url(), &::curl_url_cleanup) {
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
            printable_ = text;
        } else {
            ::curl_url_set(parts_.get(), CURLUPART_USER, nullptr, 0);
            ::curl_url_set(parts_.get(), CURLUPART_PASSWORD, nullptr, 0);
            printable_ = part(CURLUPART_URL);
        }
        name_ = sentence(sigma::data::sha256(text).substr(0, 16), '-', safe(path_.substr(path_.rfind('/') + 1)));
    }

    bool is_file() const { return is_file_; }
    /// Returns the decoded path: "/a b" of "http://example.org/a%20b?c".
    const std::string& path() const { return path_; }
    /// Returns the address without user and password.
    const std::string& printable() const { return printable_; }
    /// Returns the name in the cache, which differs for each address and is always a valid file name.
    const std::string& name() const { return name_; }

private:
    std::string part(::CURLUPart which, unsigned flags = 0) const {
        char* text = nullptr;
        if (::curl_url_get(parts_.get(), which, &text, flags) != CURLUE_OK) return {};
        const std::unique_ptr<char, void (*)(void*)> owned(text, &::curl_free);
        return text;
    }
    static std::string safe(std::string name) {
        for (char& c : name) {
            const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
            if (!plain && std::string_view("._-").find(c) == std::string_view::npos) c = '_';
        }
        return name.size() <= 100 ? name : name.substr(name.size() - 100);
    }

    std::unique_ptr<::CURLU, void (*)(::CURLU*)> parts_;
    std::string path_, printable_, name_;
    bool is_file_ = false;
};

}  // namespace http

/// The source of an http or https address.
class UrlSource final : public ByteSource {
public:
    UrlSource(std::string text, http::Address address, UrlOptions options)
        : text_(std::move(text)), printable_(address.printable()), name_(address.name()), options_(std::move(options)) {
        if (!options_.sha256.empty()) digest_ = sha256_digits(options_.sha256, printable_);
        static const ::CURLcode ready = ::curl_global_init(CURL_GLOBAL_DEFAULT);
        if (ready != CURLE_OK) throw Error("libcurl: cannot initialize it");
    }

    std::string name() const override { return printable_; }
    /// Sends one request to the server if the file is not in the cache. Downloads nothing.
    bool exists() const override {
        if (storage::CacheEntry(directory(), name_).open()) return true;
        if (offline()) return false;
        const Task task(TaskKind::prepare, printable_);
        for (const bool head : {true, false}) {
            http::Request request(text_, options_);
            if (head) request.ask_for_head();
            if (!request.run([](auto) { return false; }, [&] { task.examine(); }).problem.empty()) return false;
            if (request.status() == 200) return true;
            // Some servers give the file, but reject this kind of request.
            if (request.status() != 403 && request.status() != 405 && request.status() != 501) return false;
        }
        return false;
    }
    std::unique_ptr<ByteStream> open() const override { return std::make_unique<FileStream>(fetch(), printable_); }
    /// Returns the digest, or the key of the cached file, which is downloaded if it is missing.
    std::string key() const override {
        if (!digest_.empty()) return sentence("sha256:", digest_);
        fetch();
        return file_key(storage::CacheEntry(directory(), name_).path(), printable_);
    }
    /// Returns the path of the file in the cache, which is downloaded if it is missing.
    std::optional<std::string> path() const override {
        fetch();
        return storage::CacheEntry(directory(), name_).path();
    }

private:
    std::string directory() const { return options_.cache.empty() ? cache_directory() : options_.cache; }

    bool offline() const { return options_.offline || downloads_are_off(); }

    /// Opens the file in the cache, after its digest was verified. Downloads it if it is missing.
    storage::Descriptor fetch() const {
        const std::scoped_lock lock(mutex_);
        const storage::CacheEntry entry(directory(), name_);
        std::string found = "no file";
        if (storage::Descriptor file = cached(entry, found)) return file;
        if (offline())
            throw DownloadError(
                printable_,
                sentence("a file in the cache directory '", directory(), "', because downloads are switched off (",
                         options_.offline ? "offline" : "SIGMA_OFFLINE", ")"),
                found);
        Task task(TaskKind::download, printable_);
        storage::CacheEntry::Part part(entry, [&] { task.examine(); });
        // Another process may have downloaded it in the meantime.
        if (storage::Descriptor file = cached(entry, found)) return file;
        http::Download(text_, printable_, digest_, options_, part, task).run();
        part.commit();
        storage::Descriptor file = entry.open();
        if (!file) throw DownloadError(printable_, "the downloaded file in the cache", "no file: it was removed");
        if (!digest_.empty()) verified_ = file_key(entry.path(), printable_);
        return file;
    }

    /// Opens the cached file. Returns nothing if it is missing, or has another digest, which `found` then describes.
    storage::Descriptor cached(const storage::CacheEntry& entry, std::string& found) const {
        storage::Descriptor file = entry.open();
        if (!file || digest_.empty()) return file;
        // A file with the same key before it was opened and after it was read is one and the same file.
        const std::string key = file_key(entry.path(), printable_);
        file = entry.open();
        std::string digest = digest_;
        if (key != verified_) {
            FileStream stream(entry.open(), printable_);
            digest = sha256(stream);
        }
        if (file && digest == digest_ && file_key(entry.path(), printable_) == key) {
            verified_ = key;
            return file;
        }
        found = sentence("a file with another SHA-256 digest, ", digest);
        return {};
    }

    std::string text_, printable_, name_, digest_;
    UrlOptions options_;
    mutable std::mutex mutex_;
    mutable std::string verified_;  // the key of the cached file of which the digest was right
};

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
