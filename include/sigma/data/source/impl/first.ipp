// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/error.hpp>
#include <sigma/core/mutex.hpp>
#include <sigma/data/source/source.hpp>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace sigma::data {

/// The first of several sources that can be opened. Which one that is, is decided when it is first asked for bytes, key
/// or path, and stays so: records of one and keys of another never meet.
class FirstSource final : public ByteSource {
public:
    explicit FirstSource(std::vector<Source> sources) : sources_(std::move(sources)) {}

    const std::vector<Source>& sources() const { return sources_; }

    std::string name() const override;
    bool exists() const override;
    std::unique_ptr<ByteStream> open() const override;
    std::string key() const override { return choose().first.key(); }
    std::optional<std::string> path() const override { return choose().first.path(); }

private:
    /// With what the choice has opened.
    std::pair<Source, std::unique_ptr<ByteStream>> choose() const;

    std::vector<Source> sources_;
    mutable sigma::detail::Mutex mutex_;
    mutable std::optional<Source> chosen_;
};

SIGMA_IMPL std::string FirstSource::name() const {
    {
        const sigma::detail::Lock lock(mutex_);
        if (chosen_) return chosen_->name();
    }
    std::string names;
    for (const Source& source : sources_) names += sentence(names.empty() ? "" : " | ", source.name());
    return names;
}

SIGMA_IMPL bool FirstSource::exists() const {
    return std::any_of(sources_.begin(), sources_.end(), [](const Source& source) { return source.exists(); });
}

SIGMA_IMPL std::unique_ptr<ByteStream> FirstSource::open() const {
    auto [source, stream] = choose();
    return stream ? std::move(stream) : source.open();
}

SIGMA_IMPL std::pair<Source, std::unique_ptr<ByteStream>> FirstSource::choose() const {
    const sigma::detail::Lock lock(mutex_);
    if (chosen_) return {*chosen_, nullptr};
    std::string found, names;
    for (const Source& source : sources_) {
        try {
            std::unique_ptr<ByteStream> stream = source.open();
            chosen_ = source;
            return {source, std::move(stream)};
        } catch (const DataError& failure) {
            found += sentence(found.empty() ? "" : "; ", failure.what());
            names += sentence(names.empty() ? "" : " | ", source.name());
        }
    }
    throw DataError(names, "", "one of them to be readable", found);
}

SIGMA_IMPL Source operator|(const Source& left, const Source& right) {
    std::vector<Source> sources;
    for (const Source& side : {left, right}) {
        const auto* first = dynamic_cast<const FirstSource*>(side.shared().get());
        const std::vector<Source> parts = first != nullptr ? first->sources() : std::vector<Source>{side};
        sources.insert(sources.end(), parts.begin(), parts.end());
    }
    return Source(std::make_shared<FirstSource>(std::move(sources)));
}

}  // namespace sigma::data
