// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/source/unpack.hpp>
#include <sigma/data/source/unpacking.hpp>

namespace sigma::data {

namespace detail {

class UnpackedSource final : public ByteSource {
public:
    UnpackedSource(Source source, std::size_t limit) : source_(std::move(source)), limit_(limit) {}

    std::string name() const override { return source_.name(); }
    bool exists() const override { return source_.exists(); }
    std::unique_ptr<ByteStream> open() const override { return unpack(source_, limit_, true).stream; }
    std::string key() const override { return sentence("unpacked(", source_.key(), ")"); }

private:
    Source source_;
    std::size_t limit_;
};

}  // namespace detail

SIGMA_IMPL Source unpacked(const Source& source, std::size_t limit) {
    return Source(std::make_shared<const detail::UnpackedSource>(source, limit));
}

SIGMA_IMPL std::unique_ptr<ByteStream> open_unpacked(const Source& source, std::size_t limit) {
    return detail::unpack(source, limit, true).stream;
}

}  // namespace sigma::data
