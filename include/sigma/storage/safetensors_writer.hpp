// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/error.hpp>
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
class SafetensorsWriter {
public:
    /// Throws ArgumentError for a key that is there already, and where something is not UTF-8.
    SafetensorsWriter& metadata(std::string key, std::string value);

    /// The file says in its metadata what it holds, so that SafetensorsFile::verify notices what has changed since.
    SafetensorsWriter& with_checksum();

    /// A tensor of any dtype. Its bytes, little-endian and row-major, are only looked at by image() and save(), and
    /// must live until then. Throws ArgumentError for a name that is there already or not allowed, ShapeError where the
    /// shape needs another number of bytes.
    SafetensorsWriter& add(std::string name, Dtype dtype, std::vector<std::uint64_t> shape,
                           std::span<const std::byte> bytes);

    template <StoredElement T>
    SafetensorsWriter& add(std::string name, std::vector<std::uint64_t> shape, std::span<const T> values) {
        return add_tensor(std::move(name), detail::dtype_of<T>, std::move(shape), std::as_bytes(values), nullptr);
    }

    /// Keeps the values.
    template <StoredElement T>
        requires(!std::is_same_v<T, bool>)
    SafetensorsWriter& add(std::string name, std::vector<std::uint64_t> shape, std::vector<T>&& values) {
        const auto kept = std::make_shared<const std::vector<T>>(std::move(values));
        const auto bytes = std::as_bytes(std::span<const T>(*kept));
        return add_tensor(std::move(name), detail::dtype_of<T>, std::move(shape), bytes, kept);
    }

    /// The whole file.
    std::vector<std::byte> image() const;

    /// Replaces the file as a whole or throws StorageError and leaves it as it was (AtomicFile).
    void save(std::string path) const;

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
            if (key(sorted[middle]) < wanted) first = middle + 1;
            else end = middle;
        }
        return first;
    }

    static void require_utf8(const std::string& what, std::string_view text);

    SafetensorsWriter& add_tensor(std::string name, Dtype dtype, std::vector<std::uint64_t> shape,
                                  std::span<const std::byte> bytes, std::shared_ptr<const void> kept);

    /// Calls use(entry) in the order of the file.
    template <class Use>
    void in_order(Use use) const {
        for (std::size_t rank = storage::dtypes.size(); rank-- > 0;)
            for (const Entry& entry : tensors_)
                if (entry.dtype == static_cast<Dtype>(rank)) use(entry);
    }

    /// The length and the header, with its padding.
    std::string beginning() const;

    std::vector<std::span<const std::byte>> pieces(const std::string& first) const;

    std::vector<std::pair<std::string, std::string>> metadata_;  // by key
    std::vector<Entry> tensors_;                                 // by name
    bool checked_ = false;
};

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/storage/impl/safetensors_writer.ipp>
#endif
