// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/error.hpp>
#include <sigma/data/source/first.hpp>

#include <algorithm>

namespace sigma::data {

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
