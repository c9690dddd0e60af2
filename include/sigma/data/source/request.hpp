// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/error.hpp>
#include <sigma/data/source/url_options.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include <curl/curl.h>

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

    Request(const std::string& address, const UrlOptions& options);

    /// Only whether there is something, not what.
    void ask_for_head() { set(CURLOPT_NOBODY, 1L); }
    /// The bytes from `offset` on, if they are still those that `validator`, an ETag or a date, stood for.
    void ask_for_rest(std::uint64_t offset, const std::string& validator);

    /// `body` gets the reply's bytes as they come, and ends the request with false; `watch` is called all the while.
    /// What they throw comes out here.
    Outcome run(const std::function<bool(std::span<const std::byte>)>& body, const std::function<void()>& watch);

    long status() const;
    /// "" where the last reply has none of this name.
    std::string header(const char* name) const;
    /// The bytes that the reply says it has.
    std::optional<std::uint64_t> length() const;
    /// How long the server wants to be left alone.
    std::chrono::seconds retry_after() const { return std::chrono::seconds(number(CURLINFO_RETRY_AFTER)); }

private:
    template <class Value>
    void set(::CURLoption option, Value value) {
        if (const CURLcode code = ::curl_easy_setopt(easy_.get(), option, value); code != CURLE_OK)
            throw Error(sentence("libcurl: expected option ", static_cast<int>(option), " to be taken, found '",
                                 ::curl_easy_strerror(code), "'"));
    }
    ::curl_off_t number(::CURLINFO what) const;

    Outcome outcome(CURLcode code) const;

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
    static std::size_t take_body(char* data, std::size_t, std::size_t size, void* self);
    /// libcurl keeps headers in memory, however many there are.
    static std::size_t take_header(char*, std::size_t, std::size_t size, void* self);

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

}  // namespace sigma::data::http

#ifndef SIGMA_COMPILED
#include <sigma/data/source/impl/request.ipp>
#endif
