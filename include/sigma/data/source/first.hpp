// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/mutex.hpp>
#include <sigma/data/source/source.hpp>

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

/// The first of the two that can be opened: file("iris.data") | url("https://…"). Where none can, a DataError says why,
/// of each.
Source operator|(const Source& left, const Source& right);

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/source/impl/first.ipp>
#endif
