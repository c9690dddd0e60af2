// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/ready/published.hpp>

#include <algorithm>
#include <utility>

namespace sigma::data::detail {

/// The first mirror of a published file that answers; which one that is stays so.
class PublishedSource final : public ByteSource {
public:
    explicit PublishedSource(PublishedFile what) : what_(std::move(what)) {
        UrlOptions options;
        options.sha256 = what_.sha256;
        options.retries = 1;  // there are mirrors
        for (const std::string& address : what_.addresses) mirrors_.push_back(url(address, options));
    }
    std::string name() const override { return what_.name; }
    bool exists() const override {
        return std::ranges::any_of(mirrors_, [](const Source& mirror) { return mirror.exists(); });
    }
    std::unique_ptr<ByteStream> open() const override {
        const auto shown = show_tasks();  // who waits for a download sees it, on a terminal
        std::string found;
        for (std::size_t i = chosen_; i < mirrors_.size(); ++i) {
            try {
                auto stream = mirrors_[i].open();
                chosen_ = i;
                return stream;
            } catch (const DownloadError& failure) {
                if (found.empty()) found = failure.found;
            }
        }
        if (mirrors_.empty()) throw DataError(what_.name, "", searched_text(what_.folder), "nothing there");
        const std::string places = sentence(searched_text(what_.folder), ", or in the cache '", cache_directory(), "'");
        if (downloads_are_off())
            throw DataError(what_.name, "", places,
                            "it in none of them, and downloads are switched off (SIGMA_OFFLINE)");
        throw DataError(what_.name, "", sentence(places, " or at ", what_.addresses[0]), found);
    }
    std::string key() const override {
        if (!what_.sha256.empty()) return sentence("sha256:", what_.sha256);
        open();
        return mirrors_[chosen_].key();
    }
    std::optional<std::string> path() const override {
        open();
        return mirrors_[chosen_].path();
    }

private:
    PublishedFile what_;
    std::vector<Source> mirrors_;
    mutable std::atomic<std::size_t> chosen_{0};
};

}  // namespace sigma::data::detail

namespace sigma::data {

SIGMA_IMPL Source published(const PublishedFile& what, const std::string& directory) {
    if (!directory.empty()) return file(require_file(what.folder, what.name, directory));
    const std::string found = find_file(search_directories(what.folder), what.name);
    return found.empty() ? Source(std::make_shared<detail::PublishedSource>(what)) : file(found);
}

SIGMA_IMPL bool is_available(const Source& source, std::string& why) {
    try {
        source.open();
        return true;
    } catch (const DataError& problem) {
        why = problem.what();
        return false;
    }
}

}  // namespace sigma::data
