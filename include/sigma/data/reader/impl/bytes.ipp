// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/reader/binary.hpp>
#include <sigma/data/reader/bytes.hpp>

#include <algorithm>
#include <array>

namespace sigma::data {

class BytesReader final : public detail::BinaryReader {
public:
    /// Throws ArgumentError for extents of 0 and types that it does not read.
    BytesReader(Source source, BytesOptions options);

    std::vector<Origin> origins() const override { return {{"bytes", name()}}; }
    std::string key() const override;

private:
    detail::BinaryLayout header(detail::HeaderBytes& bytes, std::optional<std::size_t> length) const override;

    BytesOptions options_;
};

SIGMA_IMPL BytesReader::BytesReader(Source source, BytesOptions options)
    : BinaryReader(std::move(source), options.limit), options_(std::move(options)) {
    std::optional<std::size_t> bytes = sigma::detail::size_of(options_.type);
    for (const std::size_t extent : options_.extents) bytes = bytes ? detail::product(*bytes, extent) : bytes;
    if (!bytes || *bytes == 0)
        throw ArgumentError("bytes", "extents above 0 of a record that memory can hold",
                            sigma::detail::shape_text(options_.extents));
    detail::decode(options_.type, options_.order, nullptr, std::span<float>());
}

SIGMA_IMPL std::string BytesReader::key() const {
    return sentence("bytes(", source().key(), ",", sigma::detail::shape_text(options_.extents), ",", options_.header,
                    ",", sigma::detail::name_of(options_.type),
                    options_.order == std::endian::big ? ",big)" : ",little)");
}

SIGMA_IMPL detail::BinaryLayout BytesReader::header(detail::HeaderBytes& bytes,
                                                    std::optional<std::size_t> length) const {
    std::array<std::byte, 4096> skipped{};
    while (bytes.position() < options_.header) {
        const std::size_t count = std::min(skipped.size(), options_.header - bytes.position());
        bytes.read(std::span(skipped).first(count), sentence("a header of ", options_.header, " bytes"));
    }
    detail::BinaryLayout layout{options_.type, options_.order, options_.extents};
    if (length) {
        const std::size_t all = *length - options_.header;
        if (all == 0 || all % layout.bytes() != 0)
            bytes.fail(options_.header,
                       sentence("records of ", layout.bytes(), layout.bytes() == 1 ? " byte" : " bytes"),
                       sentence(all, " bytes in all"));
        layout.records = all / layout.bytes();
    }
    return layout;
}

namespace detail {

SIGMA_IMPL std::shared_ptr<RecordReader> bytes_reader(const Source& source, BytesOptions options) {
    return std::make_shared<BytesReader>(source, std::move(options));
}

}  // namespace detail

SIGMA_IMPL ArrayOf<UnknownExtents> bytes(const Source& source, BytesOptions options) {
    return {detail::bytes_reader(source, std::move(options))};
}

}  // namespace sigma::data
