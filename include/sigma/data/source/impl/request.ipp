// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/source/request.hpp>

namespace sigma::data::http {

SIGMA_IMPL Request::Request(const std::string& address, const UrlOptions& options)
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

SIGMA_IMPL void Request::ask_for_rest(std::uint64_t offset, const std::string& validator) {
    set(CURLOPT_RANGE, sentence(offset, '-').c_str());
    if (validator.empty()) return;
    headers_.reset(::curl_slist_append(headers_.release(), sentence("If-Range: ", validator).c_str()));
    set(CURLOPT_HTTPHEADER, headers_.get());
}

SIGMA_IMPL Outcome Request::run(const std::function<bool(std::span<const std::byte>)>& body,
                                const std::function<void()>& watch) {
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

SIGMA_IMPL long Request::status() const {
    long status = 0;
    ::curl_easy_getinfo(easy_.get(), CURLINFO_RESPONSE_CODE, &status);
    return status;
}

SIGMA_IMPL std::string Request::header(const char* name) const {
    ::curl_header* found = nullptr;
    return ::curl_easy_header(easy_.get(), name, 0, CURLH_HEADER, -1, &found) == CURLHE_OK ? found->value : "";
}

SIGMA_IMPL std::optional<std::uint64_t> Request::length() const {
    const ::curl_off_t length = number(CURLINFO_CONTENT_LENGTH_DOWNLOAD_T);
    return length < 0 ? std::nullopt : std::optional(static_cast<std::uint64_t>(length));
}

SIGMA_IMPL ::curl_off_t Request::number(::CURLINFO what) const {
    ::curl_off_t value = 0;
    ::curl_easy_getinfo(easy_.get(), what, &value);
    return value;
}

SIGMA_IMPL Outcome Request::outcome(CURLcode code) const {
    if (flooded_) return {sentence("at most ", most_header_bytes, " bytes of headers"), "more"};
    if (code == CURLE_OK || (code == CURLE_WRITE_ERROR && refused_)) return {};
    const std::string found = sentence("'", message_[0] != '\0' ? message_.data() : ::curl_easy_strerror(code), "'");
    switch (code) {
        case CURLE_TOO_MANY_REDIRECTS: return {sentence("at most ", options_.redirects, " redirects"), "more"};
        case CURLE_UNSUPPORTED_PROTOCOL: return {"redirects to http and https only, and not from https to http", found};
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

SIGMA_IMPL std::size_t Request::take_body(char* data, std::size_t, std::size_t size, void* self) {
    auto& request = *static_cast<Request*>(self);
    return request.guarded(size, [&] { return (*request.body_)(std::as_bytes(std::span(data, size))); });
}

SIGMA_IMPL std::size_t Request::take_header(char*, std::size_t, std::size_t size, void* self) {
    auto& request = *static_cast<Request*>(self);
    return request.guarded(size,
                           [&] { return !(request.flooded_ = (request.header_bytes_ += size) > most_header_bytes); });
}

}  // namespace sigma::data::http
