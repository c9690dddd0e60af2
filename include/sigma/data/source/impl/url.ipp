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

/// How a request ended: `problem` is "" where the reply came as a whole, whatever its status.
struct Outcome {
    std::string wanted, problem;
    bool passing = false;  // may be gone when it is tried again
};

/// One request of HTTP by libcurl, with its redirects.
class Request {
public:
    using Clock = std::chrono::steady_clock;

    Request(const std::string& address, const UrlOptions& options)
        : options_(options), easy_(::curl_easy_init(), &::curl_easy_cleanup),
          multi_(::curl_multi_init(), &::curl_multi_cleanup), headers_(nullptr, &::curl_slist_free_all) {
        if (!easy_ || !multi_) throw Error("libcurl: expected a handle, found none");
        set(CURLOPT_URL, address.c_str());
        // A redirect from https to http would give away what TLS protects; a digest protects it again. Never file.
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

    /// Only whether there is something, not what.
    void ask_for_head() { set(CURLOPT_NOBODY, 1L); }
    /// The bytes from `offset` on, if they are still those that `validator`, an ETag or a date, stood for.
    void ask_for_rest(std::uint64_t offset, const std::string& validator) {
        set(CURLOPT_RANGE, sentence(offset, '-').c_str());
        if (validator.empty()) return;
        headers_.reset(::curl_slist_append(headers_.release(), sentence("If-Range: ", validator).c_str()));
        set(CURLOPT_HTTPHEADER, headers_.get());
    }

    /// `body` gets the reply's bytes as they come, and ends the request with false; `watch` is called all the while.
    /// What they throw comes out here.
    Outcome run(const std::function<bool(std::span<const std::byte>)>& body, const std::function<void()>& watch) {
        body_ = &body;
        ::curl_multi_add_handle(multi_.get(), easy_.get());
        const std::unique_ptr<Request, void (*)(Request*)> added(
            this, [](Request* self) { ::curl_multi_remove_handle(self->multi_.get(), self->easy_.get()); });
        Clock::time_point since = Clock::now();
        std::uint64_t before = 0;
        for (int running = 1; running != 0;) {
            if (const CURLMcode code = ::curl_multi_perform(multi_.get(), &running); code != CURLM_OK)
                return {"libcurl to work", sentence("'", ::curl_multi_strerror(code), "'"), false};
            if (thrown_) std::rethrow_exception(thrown_);
            if (running == 0) break;
            watch();
            if (number(CURLINFO_PRETRANSFER_TIME_T) == 0) since = Clock::now();  // connect_timeout is in charge
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
    /// "" where the last reply has none of this name.
    std::string header(const char* name) const {
        ::curl_header* found = nullptr;
        return ::curl_easy_header(easy_.get(), name, 0, CURLH_HEADER, -1, &found) == CURLHE_OK ? found->value : "";
    }
    /// The bytes that the reply says it has.
    std::optional<std::uint64_t> length() const {
        const ::curl_off_t length = number(CURLINFO_CONTENT_LENGTH_DOWNLOAD_T);
        return length < 0 ? std::nullopt : std::optional(static_cast<std::uint64_t>(length));
    }
    /// How long the server wants to be left alone.
    std::chrono::seconds retry_after() const { return std::chrono::seconds(number(CURLINFO_RETRY_AFTER)); }

private:
    template <class Value>
    void set(::CURLoption option, Value value) {
        if (const CURLcode code = ::curl_easy_setopt(easy_.get(), option, value); code != CURLE_OK)
            throw Error(sentence("libcurl: expected option ", static_cast<int>(option), " to be taken, found '",
                                 ::curl_easy_strerror(code), "'"));
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

    // libcurl is C: exceptions wait until it has returned.
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
    /// libcurl keeps headers in memory, however many there are.
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

/// "bytes 100-199/1000" says 100 and 1000; "*" in place of the latter, nothing.
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

/// Brings the bytes of an address into a part of a cache: with retries, which go on where the last one has ended if the
/// server can do that and the bytes are still the same.
class Download {
public:
    using Clock = std::chrono::steady_clock;

    /// `shown` is the address as errors may show it, `digest` what sha256_digits() gives, or "".
    Download(const std::string& address, const std::string& shown, const std::string& digest, const UrlOptions& options,
             storage::CacheEntry::Part& part, Task& task)
        : address_(address), shown_(shown), digest_(digest), options_(options), part_(part), task_(task) {}

    /// Returns when the part is whole and has the digest. Throws DownloadError, CanceledError and StorageError.
    void run() {
        // Nobody can tell whether what an earlier process has left still fits, except by the digest of all.
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
                throw DownloadError(shown_, failure_->expected, found, failure_->status);
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
        // A reply that came without a byte of its body may still say that it is too long.
        if (!failure_ && !accepted && (outcome.problem.empty() || request.status() == 200)) accept();
        if (failure_) return;
        if (!outcome.problem.empty()) failure_ = {outcome.wanted, outcome.problem, outcome.passing, request.status()};
        else if (total && *total != part_.size())
            failure_ = {sentence(*total, " bytes"), sentence(part_.size()), true, request.status()};
        content_type_ = request.header("Content-Type");
    }

    /// Looks at status and headers before the first byte: sets failure_, or returns how many bytes there are in all.
    std::optional<std::uint64_t> accept_reply(const Request& request, std::uint64_t offset) {
        const long status = request.status();
        std::optional<std::uint64_t> total = request.length();
        if (status == 206 && offset > 0) {
            const auto range = ContentRange::parse(request.header("Content-Range"));
            const std::string etag = request.header("ETag");
            if (!range || range->begin != offset ||
                (validator_.starts_with('"') && !etag.empty() && etag != validator_)) {
                failure_ = {sentence("the same file from byte ", offset), "another part of it, or another file", true,
                            status};
                part_.clear();
                return {};
            }
            total = range->total;
            joined_ = true;
        } else if (status == 200) {
            part_.clear();
            joined_ = false;
            // Weak tags, W/"…", stand for meaning and not for bytes: RFC 9110, 8.8.1.
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
            joined_, 200};  // what was put together may not have belonged together
        part_.clear();
    }

    std::string digest_of_part() const {
        FileStream stream(part_.reopen(), shown_);
        return sha256(stream);
    }

    void watch() const {
        task_.examine();
        const std::chrono::milliseconds most(options_.total_timeout.count());
        if (most.count() > 0 && Clock::now() - begun_ > most)
            throw DownloadError(shown_, sentence("all of it within ", most.count(), " ms"),
                                sentence(part_.size(), " bytes until then"));
    }

    const std::string &address_, &shown_, &digest_;
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
            shown_ = text;
        } else {
            ::curl_url_set(parts_.get(), CURLUPART_USER, nullptr, 0);
            ::curl_url_set(parts_.get(), CURLUPART_PASSWORD, nullptr, 0);
            shown_ = part(CURLUPART_URL);
        }
        name_ = sentence(sigma::data::sha256(text).substr(0, 16), '-', safe(path_.substr(path_.rfind('/') + 1)));
    }

    bool is_file() const { return is_file_; }
    /// "/a b" of "http://example.org/a%20b?c".
    const std::string& path() const { return path_; }
    /// Without user and password.
    const std::string& shown() const { return shown_; }
    /// What the cache calls it: another one for each address, and always the name of a file.
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
    std::string path_, shown_, name_;
    bool is_file_ = false;
};

}  // namespace http

/// What url() gives for http and https.
class UrlSource final : public ByteSource {
public:
    UrlSource(std::string text, http::Address address, UrlOptions options)
        : text_(std::move(text)), shown_(address.shown()), name_(address.name()), options_(std::move(options)) {
        if (!options_.sha256.empty()) digest_ = sha256_digits(options_.sha256, shown_);
        static const ::CURLcode ready = ::curl_global_init(CURL_GLOBAL_DEFAULT);
        if (ready != CURLE_OK) throw Error("libcurl: expected it to begin, found that it cannot");
    }

    std::string name() const override { return shown_; }
    /// Asks the server, if it is not in the cache, once; nothing is downloaded.
    bool exists() const override {
        if (storage::CacheEntry(directory(), name_).open()) return true;
        if (offline()) return false;
        const Task task(TaskKind::prepare, shown_);
        for (const bool head : {true, false}) {
            http::Request request(text_, options_);
            if (head) request.ask_for_head();
            if (!request.run([](auto) { return false; }, [&] { task.examine(); }).problem.empty()) return false;
            if (request.status() == 200) return true;
            // Servers that give the file, but do not answer this question.
            if (request.status() != 403 && request.status() != 405 && request.status() != 501) return false;
        }
        return false;
    }
    std::unique_ptr<ByteStream> open() const override { return std::make_unique<FileStream>(fetch(), shown_); }
    /// Downloads it where it has no digest and is not in the cache.
    std::string key() const override {
        if (!digest_.empty()) return sentence("sha256:", digest_);
        fetch();
        return file_key(storage::CacheEntry(directory(), name_).path(), shown_);
    }
    /// The file in the cache; downloads it where it is not there.
    std::optional<std::string> path() const override {
        fetch();
        return storage::CacheEntry(directory(), name_).path();
    }

private:
    std::string directory() const { return options_.cache.empty() ? cache_directory() : options_.cache; }

    bool offline() const { return options_.offline || downloads_are_off(); }

    /// The file in the cache, of which the digest is right.
    storage::Descriptor fetch() const {
        const std::scoped_lock lock(mutex_);
        const storage::CacheEntry entry(directory(), name_);
        std::string found = "nothing there";
        if (storage::Descriptor file = cached(entry, found)) return file;
        if (offline())
            throw DownloadError(
                shown_,
                sentence("it in the cache directory '", directory(), "', as downloads are switched off (",
                         options_.offline ? "offline" : "SIGMA_OFFLINE", ")"),
                found);
        Task task(TaskKind::download, shown_);
        storage::CacheEntry::Part part(entry, [&] { task.examine(); });
        // Somebody else may have downloaded it in the meantime.
        if (storage::Descriptor file = cached(entry, found)) return file;
        http::Download(text_, shown_, digest_, options_, part, task).run();
        part.commit();
        storage::Descriptor file = entry.open();
        if (!file) throw DownloadError(shown_, "its file to stay in the cache", "that it was removed");
        if (!digest_.empty()) verified_ = file_key(entry.path(), shown_);
        return file;
    }

    /// Empty where it is not there or, says `found`, has another digest.
    storage::Descriptor cached(const storage::CacheEntry& entry, std::string& found) const {
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

    std::string text_, shown_, name_, digest_;
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
