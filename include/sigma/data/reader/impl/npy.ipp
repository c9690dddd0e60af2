// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/reader/binary.hpp>
#include <sigma/data/reader/npy.hpp>
#include <sigma/data/reader/npy_header.hpp>

#include <algorithm>
#include <array>
#include <cstring>

namespace sigma::data {

class NpyReader final : public detail::BinaryReader {
public:
    /// `record`, where it is given, must be the extents of a record.
    explicit NpyReader(Source source, std::optional<std::vector<std::size_t>> record = {},
                       std::size_t limit = default_limit);

    std::string key() const override;

private:
    /// NumPy's own limit is 10,000.
    static constexpr std::size_t longest_header = 65535;

    detail::BinaryLayout header(detail::HeaderBytes& bytes, std::optional<std::size_t> length) const override;

    std::optional<std::vector<std::size_t>> record_;
};

SIGMA_IMPL NpyReader::NpyReader(Source source, std::optional<std::vector<std::size_t>> record, std::size_t limit)
    : BinaryReader(std::move(source), limit), record_(std::move(record)) {}

SIGMA_IMPL std::string NpyReader::key() const {
    return sentence("npy(", source().key(), ",", record_ ? shape_text(*record_) : "any", ")");
}

SIGMA_IMPL detail::BinaryLayout NpyReader::header(detail::HeaderBytes& bytes, std::optional<std::size_t> length) const {
    std::array<std::byte, 8> magic{};
    constexpr std::string_view expected = "a .npy file, which begins with 0x93, NUMPY and a version from 1.0 to 3.0";
    const bool begins =
        std::ranges::equal(bytes.front().first(std::min<std::size_t>(bytes.front().size(), 6)),
                           std::as_bytes(std::span("\x93NUMPY", std::min<std::size_t>(bytes.front().size(), 6))));
    if (!begins) bytes.fail(0, std::string(expected), detail::contents_of(bytes.front()));
    bytes.read(magic, "the 8 bytes at which a .npy file begins");
    const auto major = std::to_integer<unsigned>(magic[6]), minor = std::to_integer<unsigned>(magic[7]);
    if (major < 1 || major > 3 || minor != 0) bytes.fail(6, "version 1.0, 2.0 or 3.0", sentence(major, ".", minor));

    std::array<std::byte, 4> digits{};
    bytes.read(std::span(digits).first(major == 1 ? 2 : 4), "the length of the header");
    std::uint32_t size = 0;
    std::memcpy(&size, digits.data(), 4);
    if (size > longest_header)
        bytes.fail(8, sentence("a header of at most ", longest_header, " bytes"), sentence(size));
    std::string text(size, ' ');
    const std::size_t begin = bytes.position();
    bytes.read(std::as_writable_bytes(std::span(text)), sentence("a header of ", size, " bytes"));
    if (!text.ends_with('\n')) bytes.fail(begin + (size > 0 ? size - 1 : 0), "a header that ends its line", "none");
    text.pop_back();
    const detail::NpyHeader said = detail::NpyHeaderParser(text, bytes.file(), begin).parse();

    if (said.shape.empty()) bytes.fail(said.shape_at, "an array of records, with one axis at least", "a single number");
    for (const std::size_t extent : said.shape)
        if (extent == 0) bytes.fail(said.shape_at, "extents above 0", shape_text(said.shape));
    detail::BinaryLayout layout{said.type, said.order, {said.shape.begin() + 1, said.shape.end()}, said.shape[0]};
    layout.columns_first = said.fortran_order && said.shape.size() > 1;
    if (record_ && layout.record != *record_)
        bytes.fail(said.shape_at, sentence("records of ", shape_text(*record_)), shape_text(layout.record));
    check_length(bytes, layout, bytes.position(), said.shape_at, length);
    return layout;
}

namespace detail {

SIGMA_IMPL std::shared_ptr<RecordReader> npy_reader(const Source& source,
                                                    std::optional<std::vector<std::size_t>> record, std::size_t limit) {
    return std::make_shared<NpyReader>(source, std::move(record), limit);
}

}  // namespace detail

SIGMA_IMPL ArrayOf<UnknownExtents> npy(const Source& source, std::size_t limit) {
    return {detail::npy_reader(source, std::nullopt, limit)};
}

SIGMA_IMPL ArrayOf<UnknownExtents> npz(const Source& source, const std::string& array, std::size_t limit) {
    return npy(entry(source, sentence(array, ".npy"), limit), limit);
}

}  // namespace sigma::data
