// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/error.hpp>
#include <sigma/storage/atomic_file.hpp>
#include <sigma/storage/checksum.hpp>
#include <sigma/storage/dtype.hpp>
#include <sigma/storage/safetensors_header.hpp>
#include <sigma/storage/utf8.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace sigma {

/// Collects tensors and texts and writes them as one file in the safetensors format.
///
///     SafetensorsWriter file;
///     file.metadata("epoch", "3");
///     file.add("1-dense.weights", {4, 64}, std::span<const float>(weights));
///     file.save("net.safetensors");
///
/// The same content gives the same bytes whatever the order of the calls: metadata by key, tensors with larger elements
/// first (the order of Dtype, from its end), then by name. Each tensor so begins at a multiple of its element's size;
/// spaces after the header let the first begin at a multiple of 8. Names and texts are UTF-8.
template <class = void>  // a template, so that only programs that write files compile it
class BasicSafetensorsWriter {
public:
    /// Throws ArgumentError for a key that is there already, and where something is not UTF-8.
    BasicSafetensorsWriter& metadata(std::string key, std::string value) {
        require_utf8("metadata", key);
        require_utf8(sentence("metadata ", storage::quotation(key)), value);
        const std::size_t at = place(metadata_, key, [](const auto& pair) -> const std::string& { return pair.first; });
        if (at < metadata_.size() && metadata_[at].first == key)
            throw ArgumentError(sentence("metadata ", storage::quotation(key)), "a key once", "it again");
        metadata_.insert(metadata_.begin() + static_cast<std::ptrdiff_t>(at), {std::move(key), std::move(value)});
        return *this;
    }

    /// The file says in its metadata what it holds, so that SafetensorsFile::verify notices what has changed since.
    BasicSafetensorsWriter& with_checksum() {
        checked_ = true;
        return metadata(std::string(storage::checksum_key), std::string(storage::checksum_digits, '0'));
    }

    /// A tensor of any dtype. Its bytes, little-endian and row-major, are only looked at by image() and save(), and
    /// must live until then. Throws ArgumentError for a name that is there already or not allowed, ShapeError where the
    /// shape needs another number of bytes.
    BasicSafetensorsWriter& add(std::string name, Dtype dtype, std::vector<std::uint64_t> shape,
                           std::span<const std::byte> bytes) {
        return add_tensor(std::move(name), dtype, std::move(shape), bytes, nullptr);
    }

    template <StoredElement T>
    BasicSafetensorsWriter& add(std::string name, std::vector<std::uint64_t> shape, std::span<const T> values) {
        return add_tensor(std::move(name), dtype_of<T>, std::move(shape), std::as_bytes(values), nullptr);
    }

    /// Keeps the values.
    template <StoredElement T>
        requires(!std::is_same_v<T, bool>)
    BasicSafetensorsWriter& add(std::string name, std::vector<std::uint64_t> shape, std::vector<T>&& values) {
        const auto kept = std::make_shared<const std::vector<T>>(std::move(values));
        const auto bytes = std::as_bytes(std::span<const T>(*kept));
        return add_tensor(std::move(name), dtype_of<T>, std::move(shape), bytes, kept);
    }

    /// The whole file.
    std::vector<std::byte> image() const {
        const std::string first = beginning();
        const auto all = pieces(first);
        std::size_t size = 0;
        for (const std::span<const std::byte> piece : all) size += piece.size();
        std::vector<std::byte> file;
        file.reserve(size);
        for (const std::span<const std::byte> piece : all)
            file.insert(file.end(), piece.begin(), piece.end());
        return file;
    }

    /// Replaces the file as a whole or throws StorageError and leaves it as it was (AtomicFile).
    void save(std::string path) const {
        const std::string first = beginning();
        write_file_atomically(std::move(path), pieces(first));
    }

private:
    static_assert(std::endian::native == std::endian::little, "tensors are written as they lie in memory");

    struct Entry {
        std::string name;
        Dtype dtype;
        std::vector<std::uint64_t> shape;
        std::span<const std::byte> bytes;
        std::shared_ptr<const void> kept;  // what bytes is part of, where that is ours
    };

    /// Where in `sorted` the key belongs. Sorted vectors, because maps would take half a second to compile.
    template <class Item, class Key>
    static std::size_t place(const std::vector<Item>& sorted, const std::string& wanted, Key key) {
        std::size_t first = 0, end = sorted.size();
        while (first < end) {
            const std::size_t middle = first + (end - first) / 2;
            if (key(sorted[middle]) < wanted)
                first = middle + 1;
            else
                end = middle;
        }
        return first;
    }

    static void require_utf8(const std::string& what, std::string_view text) {
        const std::size_t fault = storage::utf8_fault(text);
        if (fault != text.npos)
            throw ArgumentError(what, "UTF-8", sentence(storage::quotation(text), " at byte ", fault));
    }

    BasicSafetensorsWriter& add_tensor(std::string name, Dtype dtype, std::vector<std::uint64_t> shape,
                                  std::span<const std::byte> bytes, std::shared_ptr<const void> kept) {
        const std::string where = sentence("tensor ", storage::quotation(name));
        require_utf8(where, name);
        if (name == storage::metadata_key) throw ArgumentError(where, "another name than that of the metadata", "it");
        const auto wanted = storage::byte_count(dtype, shape);
        if (!wanted || *wanted != bytes.size())
            throw ShapeError(where, sentence("the bytes of shape ", shape_text(shape), " of ", name_of(dtype)),
                             sentence(bytes.size()));
        const std::size_t at =
            place(tensors_, name, [](const Entry& entry) -> const std::string& { return entry.name; });
        if (at < tensors_.size() && tensors_[at].name == name) throw ArgumentError(where, "a name once", "it again");
        tensors_.insert(tensors_.begin() + static_cast<std::ptrdiff_t>(at),
                        Entry{std::move(name), dtype, std::move(shape), bytes, std::move(kept)});
        return *this;
    }

    /// Calls use(entry) in the order of the file.
    template <class Use>
    void in_order(Use use) const {
        for (std::size_t rank = storage::dtypes.size(); rank-- > 0;)
            for (const Entry& entry : tensors_)
                if (entry.dtype == static_cast<Dtype>(rank)) use(entry);
    }

    /// The length and the header, with its padding.
    std::string beginning() const {
        storage::SafetensorsHeader header;
        header.metadata = metadata_;
        std::uint64_t end = 0;
        in_order([&](const Entry& tensor) {
            const std::uint64_t begin = std::exchange(end, end + tensor.bytes.size());
            header.tensors.push_back({tensor.name, tensor.dtype, tensor.shape, begin, end});
        });
        std::string text(8, '\0');
        storage::append_header(text, header);
        text.resize((text.size() + 7) / 8 * 8, ' ');
        const std::uint64_t length = text.size() - 8;
        if (length > storage::largest_header)
            throw ArgumentError("a safetensors file",
                                sentence("a header of at most ", storage::largest_header, " bytes"), sentence(length));
        for (std::size_t i = 0; i < 8; ++i) text[i] = static_cast<char>(static_cast<unsigned char>(length >> 8 * i));
        if (checked_) {  // of the file with zeros in its place
            storage::Checksum all;
            for (const std::span<const std::byte> piece : pieces(text)) all.add(piece);
            text.replace(storage::checksum_place(text), storage::checksum_digits, storage::hexadecimal(all.value()));
        }
        return text;
    }

    std::vector<std::span<const std::byte>> pieces(const std::string& first) const {
        std::vector<std::span<const std::byte>> all{std::as_bytes(std::span(first))};
        in_order([&](const Entry& tensor) { all.push_back(tensor.bytes); });
        return all;
    }

    std::vector<std::pair<std::string, std::string>> metadata_;  // by key
    std::vector<Entry> tensors_;                                 // by name
    bool checked_ = false;
};
using SafetensorsWriter = BasicSafetensorsWriter<>;

}  // namespace sigma
