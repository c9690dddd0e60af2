// SPDX-License-Identifier: BSL-1.0
#pragma once

// Tensors and texts in one file that other programs read too: https://github.com/huggingface/safetensors
#include <sigma/core/error.hpp>
#include <sigma/storage/dtype.hpp>
#include <sigma/storage/file.hpp>
#include <sigma/storage/utf8.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sigma {

/// What a safetensors file says about one of its tensors. Elements are little-endian and row-major.
struct TensorInfo {
    std::string name;
    Dtype dtype;
    std::vector<std::uint64_t> shape;  // () is one element
    std::uint64_t begin, end;          // of its bytes, counted from the first tensor's
    std::string other{};               // the name of its dtype, where that is Dtype::other

    std::string_view dtype_name() const { return dtype == Dtype::other ? other : detail::name_of(dtype); }
    std::uint64_t elements() const {
        std::uint64_t count = 1;
        for (const std::uint64_t extent : shape) count *= extent;
        return count;
    }
};

namespace storage {

inline constexpr std::uint64_t largest_header = 100'000'000;  // bytes, by the specification
inline constexpr std::string_view metadata_key = "__metadata__";
/// Its value is the checksum of the file with zeros in place of these digits.
inline constexpr std::string_view checksum_key = "sigma.checksum";
inline constexpr std::size_t checksum_digits = 16;

/// Where the digits of the checksum are in a header as this library writes it, or npos: keys and texts hold no
/// quotation mark without a '\\' before it.
std::size_t checksum_place(std::string_view header);

struct SafetensorsHeader {
    std::vector<std::pair<std::string, std::string>> metadata;  // by key
    std::vector<TensorInfo> tensors;                            // as their bytes lie in the file
};

/// The bytes of such a tensor; none where they are 2^64 or more. A 0 among the extents does not excuse the others.
std::optional<std::uint64_t> byte_count(Dtype dtype, const std::vector<std::uint64_t>& shape);

/// Reads the header's text, which begins at byte 8 of `file`, and checks it against the bytes of data that follow it.
/// Takes the format at its word: what the specification does not name, it refuses, but for new dtypes. Needs memory in
/// proportion to the text.
SafetensorsHeader parsed_header(std::string_view text, const std::string& file, std::uint64_t data_bytes);

/// Appends the header's text without its padding.
void append_header(std::string& out, const SafetensorsHeader& header);

}  // namespace storage

/// A file in the safetensors format (https://github.com/huggingface/safetensors, README, "Format"), open for reading.
/// Opening checks the whole header against the file; tensors are read when they are asked for, straight into the
/// caller's memory. Values are not checked. A file replaced meanwhile stays readable as it was. Reading is safe from
/// several threads. Everything throws DataError.
class SafetensorsFile {
public:
    /// A relative path is below the storage of the workspace in use.
    static SafetensorsFile open(std::string path);

    /// Of a file's bytes, which must outlive what is returned. `name` is what messages call it.
    static SafetensorsFile from_bytes(std::span<const std::byte> bytes, std::string name = "bytes in memory");

    const std::string& path() const& { return path_; }
    std::string path() && { return std::move(path_); }
    /// Keys and values, by key.
    const std::vector<std::pair<std::string, std::string>>& metadata() const& { return header_.metadata; }
    std::vector<std::pair<std::string, std::string>> metadata() && { return std::move(header_.metadata); }
    /// The value of that key; null where there is none.
    const std::string* metadata(std::string_view key) const&;
    std::optional<std::string> metadata(std::string_view key) && {
        const std::string* const found = metadata(key);
        return found == nullptr ? std::nullopt : std::optional(*found);
    }
    /// In the order of their bytes.
    const std::vector<TensorInfo>& tensors() const& { return header_.tensors; }
    std::vector<TensorInfo> tensors() && { return std::move(header_.tensors); }
    /// "'0.weight' (8, 4), '0.bias' (8) and 3 more": those whose names are most like this one.
    std::string tensors_like(std::string_view name) const;
    /// The tensor of that name; null where there is none.
    const TensorInfo* find(std::string_view name) const&;
    std::optional<TensorInfo> find(std::string_view name) && {
        const TensorInfo* const found = find(name);
        return found == nullptr ? std::nullopt : std::optional(*found);
    }

    /// Reads the whole file: is it as with_checksum() has had it written? Otherwise throws. False where it does not
    /// say.
    bool verify() const;

    /// Reads all elements of a tensor, as many as `to` has. To float and double from F16, BF16, F32 and F64 (rounded to
    /// nearest), to other types from that type only; BOOL must be 0 or 1.
    template <StoredElement T>
    void read(std::string_view name, std::span<T> to) const {
        read(name, detail::dtype_of<T>, to.data(), to.size());
    }

    template <StoredElement T>
    std::vector<T> read(std::string_view name) const
        requires(!std::is_same_v<T, bool>)
    {
        std::vector<T> values(readable_elements(name));
        read(name, std::span<T>(values));
        return values;
    }

    /// The bytes of a tensor of any dtype, as they are.
    std::vector<std::byte> bytes(std::string_view name) const;

private:
    static_assert(std::endian::native == std::endian::little, "tensors are read as they lie in memory");

    explicit SafetensorsFile(std::string path);

    SafetensorsFile(std::span<const std::byte> bytes, std::string name);

    void parse(std::uint64_t size);

    /// Does a header begin where one would? Else this is a file of another kind, and its length is none.
    bool may_be_header(std::uint64_t length, std::uint64_t size) const;

    const TensorInfo& require(std::string_view name) const;
    /// Of a tensor of a type that can be read.
    std::size_t readable_elements(std::string_view name) const;

    [[noreturn]] void refuse(std::string_view name, std::string expected, std::string found) const;

    void fetch(std::uint64_t begin, std::span<std::byte> to) const { fetch_at(data_ + begin, to); }

    void fetch_at(std::uint64_t offset, std::span<std::byte> to) const;

    void read(std::string_view name, Dtype wanted, void* to, std::size_t count) const;
    template <class Stored, class T>
    void convert(const TensorInfo& tensor, std::span<T> to) const;

    std::string path_;
    storage::Descriptor file_;
    std::span<const std::byte> bytes_;
    std::uint64_t data_ = 0;  // the byte at which the first tensor begins
    storage::SafetensorsHeader header_;
    std::vector<std::size_t> by_name_;
};

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

    /// Keeps the values, whose bits may be those of another type.
    template <StoredElement T>
        requires(!std::is_same_v<T, bool>)
    SafetensorsWriter& add(std::string name, std::vector<std::uint64_t> shape, std::vector<T>&& values,
                           Dtype as = detail::dtype_of<T>) {
        const auto kept = std::make_shared<const std::vector<T>>(std::move(values));
        const auto bytes = std::as_bytes(std::span<const T>(*kept));
        return add_tensor(std::move(name), as, std::move(shape), bytes, kept);
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
#include <sigma/storage/impl/safetensors.ipp>
#endif
