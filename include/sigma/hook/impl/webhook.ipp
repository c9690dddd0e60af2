// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/version.hpp>
#include <sigma/hook/webhook.hpp>
#include <sigma/storage/json.hpp>

#include <curl/curl.h>
#include <cmath>
#include <memory>
#include <utility>

namespace sigma {

namespace detail {

/// Returns "https://example.org" of an address, or an empty text if the address is not one of https or http.
inline std::string host_of(const std::string& address) {
    const std::unique_ptr<::CURLU, void (*)(::CURLU*)> parts(::curl_url(), &::curl_url_cleanup);
    if (!parts || ::curl_url_set(parts.get(), CURLUPART_URL, address.c_str(), 0) != CURLUE_OK) return {};
    const auto part = [&](::CURLUPart which) -> std::string {
        char* text = nullptr;
        if (::curl_url_get(parts.get(), which, &text, 0) != CURLUE_OK) return {};
        const std::unique_ptr<char, void (*)(void*)> owned(text, &::curl_free);
        return text;
    };
    const std::string scheme = part(CURLUPART_SCHEME);
    return scheme == "https" || scheme == "http" ? sentence(scheme, "://", part(CURLUPART_HOST)) : std::string();
}

/// Sends a POST request, and throws Error unless its reply has a status from 200 to 299. `name` is the name in errors.
inline void post_to_web(const std::string& name, const std::string& address, const WebhookOptions& options,
                        std::string_view line) {
    std::string body;
    if (options.field.empty()) {
        body.append(line);
    } else {
        body.push_back('{');
        storage::append_json_string(body, options.field);
        body.append(": ");
        storage::append_json_string(body, line);
        body.push_back('}');
    }
    const std::unique_ptr<::CURL, void (*)(::CURL*)> easy(::curl_easy_init(), &::curl_easy_cleanup);
    if (!easy) throw Error("libcurl: cannot create a handle");
    const std::unique_ptr<::curl_slist, void (*)(::curl_slist*)> headers(
        ::curl_slist_append(nullptr, options.field.empty() ? "Content-Type: text/plain; charset=utf-8"
                                                           : "Content-Type: application/json"),
        &::curl_slist_free_all);
    const auto set = [&](::CURLoption option, auto value) {
        if (const ::CURLcode code = ::curl_easy_setopt(easy.get(), option, value); code != CURLE_OK)
            throw Error(sentence(name, ": ", ::curl_easy_strerror(code)));
    };
    set(CURLOPT_URL, address.c_str());
    set(CURLOPT_PROTOCOLS_STR, "http,https");
    if (!options.certificates.empty()) set(CURLOPT_CAINFO, options.certificates.c_str());
    set(CURLOPT_HTTPHEADER, headers.get());
    set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<::curl_off_t>(body.size()));
    set(CURLOPT_POSTFIELDS, body.data());
    set(CURLOPT_USERAGENT, sentence("sigma/", version()).c_str());
    set(CURLOPT_TIMEOUT_MS, static_cast<long>(std::ceil(options.timeout * 1000)));
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_WRITEFUNCTION, +[](char*, std::size_t, std::size_t size, void*) { return size; });
    if (const ::CURLcode code = ::curl_easy_perform(easy.get()); code != CURLE_OK)
        throw Error(sentence(name, ": expected a reply, found '", ::curl_easy_strerror(code), "'"));
    long status = 0;
    ::curl_easy_getinfo(easy.get(), CURLINFO_RESPONSE_CODE, &status);
    if (status < 200 || status > 299)
        throw Error(sentence(name, ": expected a status from 200 to 299, found ", status));
}

}  // namespace detail

SIGMA_IMPL Notification webhook(std::string address, WebhookOptions options) {
    const std::string host = detail::host_of(address);
    if (host.empty()) throw ArgumentError("webhook", "an address of https or http", "another text");
    if (!(options.timeout > 0) || options.timeout > 86'400)
        throw ArgumentError("timeout of webhook", "above 0 and at most 86400 seconds", sentence(options.timeout));
    std::string name = sentence("webhook(\"", host, "\")");
    return {name, [name, to = std::move(address), how = std::move(options)](std::string_view line) {
                detail::post_to_web(name, to, how, line);
            }};
}

}  // namespace sigma
