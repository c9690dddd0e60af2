// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/source/download.hpp>
#include <sigma/data/source/file_stream.hpp>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <span>
#include <thread>

namespace sigma::data::http {

SIGMA_IMPL std::optional<ContentRange> ContentRange::parse(const std::string& text) {
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

SIGMA_IMPL Download::Download(const std::string& address, const std::string& shown, const std::string& digest,
                              const UrlOptions& options, storage::CacheEntry::Part& part, Task& task)
    : address_(address), shown_(shown), digest_(digest), options_(options), part_(part), task_(task) {}

SIGMA_IMPL void Download::run() {
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
            std::this_thread::sleep_for(std::min<Clock::duration>(until - Clock::now(), std::chrono::milliseconds(20)));
        }
    }
}

SIGMA_IMPL void Download::attempt_once() {
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

SIGMA_IMPL std::optional<std::uint64_t> Download::accept_reply(const Request& request, std::uint64_t offset) {
    const long status = request.status();
    std::optional<std::uint64_t> total = request.length();
    if (status == 206 && offset > 0) {
        const auto range = ContentRange::parse(request.header("Content-Range"));
        const std::string etag = request.header("ETag");
        if (!range || range->begin != offset || (validator_.starts_with('"') && !etag.empty() && etag != validator_)) {
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

SIGMA_IMPL void Download::verify() {
    const std::string found = digest_of_part();
    if (found == digest_) return;
    failure_ = {sentence("bytes with the SHA-256 digest ", digest_),
                sentence(found, ", of ", part_.size(), " bytes", content_type_.empty() ? "" : " of ", content_type_),
                joined_, 200};  // what was put together may not have belonged together
    part_.clear();
}

SIGMA_IMPL std::string Download::digest_of_part() const {
    FileStream stream(part_.reopen(), shown_);
    return sha256(stream);
}

SIGMA_IMPL void Download::watch() const {
    task_.check();
    const std::chrono::milliseconds most(options_.total_timeout.count());
    if (most.count() > 0 && Clock::now() - begun_ > most)
        throw DownloadError(shown_, sentence("all of it within ", most.count(), " ms"),
                            sentence(part_.size(), " bytes until then"));
}

}  // namespace sigma::data::http
