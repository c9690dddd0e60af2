// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/number_text.hpp>
#include <sigma/storage/atomic_file.hpp>
#include <sigma/storage/hash.hpp>
#include <sigma/storage/safetensors_writer.hpp>
#include <sigma/storage/utf8.hpp>
#include <sigma/storage/write_file.hpp>

namespace sigma {

SIGMA_IMPL SafetensorsWriter& SafetensorsWriter::metadata(std::string key, std::string value) {
    require_utf8("metadata", key);
    require_utf8(sentence("metadata ", storage::quotation(key)), value);
    const std::size_t at = place(metadata_, key, [](const auto& pair) -> const std::string& { return pair.first; });
    if (at < metadata_.size() && metadata_[at].first == key)
        throw ArgumentError(sentence("metadata ", storage::quotation(key)), "a key once", "it again");
    metadata_.insert(metadata_.begin() + static_cast<std::ptrdiff_t>(at), {std::move(key), std::move(value)});
    return *this;
}

SIGMA_IMPL SafetensorsWriter& SafetensorsWriter::with_checksum() {
    checked_ = true;
    return metadata(std::string(storage::checksum_key), std::string(storage::checksum_digits, '0'));
}

SIGMA_IMPL SafetensorsWriter& SafetensorsWriter::add(std::string name, Dtype dtype, std::vector<std::uint64_t> shape,
                                                     std::span<const std::byte> bytes) {
    return add_tensor(std::move(name), dtype, std::move(shape), bytes, nullptr);
}

SIGMA_IMPL std::vector<std::byte> SafetensorsWriter::image() const {
    const std::string first = beginning();
    const auto all = pieces(first);
    std::size_t size = 0;
    for (const std::span<const std::byte> piece : all) size += piece.size();
    std::vector<std::byte> file;
    file.reserve(size);
    for (const std::span<const std::byte> piece : all) file.insert(file.end(), piece.begin(), piece.end());
    return file;
}

SIGMA_IMPL void SafetensorsWriter::save(std::string path) const {
    const std::string first = beginning();
    write_file_atomically(std::move(path), pieces(first));
}

SIGMA_IMPL void SafetensorsWriter::require_utf8(const std::string& what, std::string_view text) {
    const std::size_t fault = storage::utf8_fault(text);
    if (fault != text.npos) throw ArgumentError(what, "UTF-8", sentence(storage::quotation(text), " at byte ", fault));
}

SIGMA_IMPL SafetensorsWriter& SafetensorsWriter::add_tensor(std::string name, Dtype dtype,
                                                            std::vector<std::uint64_t> shape,
                                                            std::span<const std::byte> bytes,
                                                            std::shared_ptr<const void> kept) {
    const std::string where = sentence("tensor ", storage::quotation(name));
    require_utf8(where, name);
    if (name == storage::metadata_key) throw ArgumentError(where, "another name than that of the metadata", "it");
    if (dtype == Dtype::other) throw ArgumentError(where, "a dtype of the format", sentence(detail::name_of(dtype)));
    const auto wanted = storage::byte_count(dtype, shape);
    if (!wanted || *wanted != bytes.size())
        throw ShapeError(where,
                         sentence("the bytes of shape ", detail::shape_text(shape), " of ", detail::name_of(dtype)),
                         sentence(bytes.size()));
    const std::size_t at = place(tensors_, name, [](const Entry& entry) -> const std::string& { return entry.name; });
    if (at < tensors_.size() && tensors_[at].name == name) throw ArgumentError(where, "a name once", "it again");
    tensors_.insert(tensors_.begin() + static_cast<std::ptrdiff_t>(at),
                    Entry{std::move(name), dtype, std::move(shape), bytes, std::move(kept)});
    return *this;
}

SIGMA_IMPL std::string SafetensorsWriter::beginning() const {
    storage::SafetensorsHeader header;
    header.metadata = metadata_;
    std::uint64_t end = 0;
    in_order([&](const Entry& tensor) {
        const std::uint64_t begin = std::exchange(end, end + tensor.bytes.size());
        header.tensors.push_back({tensor.name, tensor.dtype, tensor.shape, begin, end, {}});
    });
    std::string text(8, '\0');
    storage::append_header(text, header);
    text.resize((text.size() + 7) / 8 * 8, ' ');
    const std::uint64_t length = text.size() - 8;
    if (length > storage::largest_header)
        throw ArgumentError("a safetensors file", sentence("a header of at most ", storage::largest_header, " bytes"),
                            sentence(length));
    for (std::size_t i = 0; i < 8; ++i) text[i] = static_cast<char>(static_cast<unsigned char>(length >> 8 * i));
    if (checked_) {  // of the file with zeros in its place
        storage::Checksum all;
        for (const std::span<const std::byte> piece : pieces(text)) all.add(piece);
        text.replace(storage::checksum_place(text), storage::checksum_digits, detail::hexadecimal(all.value()));
    }
    return text;
}

SIGMA_IMPL std::vector<std::span<const std::byte>> SafetensorsWriter::pieces(const std::string& first) const {
    std::vector<std::span<const std::byte>> all{std::as_bytes(std::span(first))};
    in_order([&](const Entry& tensor) { all.push_back(tensor.bytes); });
    return all;
}

}  // namespace sigma
