// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Files in the safetensors format: SafetensorsFile, SafetensorsWriter. Include it yourself.
/// See https://github.com/huggingface/safetensors.
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

/// The description of a tensor in a safetensors file. Elements are little-endian and in row-major order.
///
/// @see SafetensorsFile::find, SafetensorsFile::tensors
struct TensorInfo {
    std::string name;                  ///< The name.
    Dtype dtype;                       ///< The type of the elements.
    std::vector<std::uint64_t> shape;  ///< The extents. A tensor without axes has one element.
    std::uint64_t begin;               ///< The position of its first byte, counted from that of the first tensor.
    std::uint64_t end;                 ///< The position past its last byte, counted from that of the first tensor.
    std::string other{};               ///< The name of the type in the file, if `dtype` is Dtype::other.

    /// Returns the name of the type in the file, such as "F32".
    /// @return the name of the type in the file, such as "F32"
    std::string_view dtype_name() const { return dtype == Dtype::other ? other : detail::name_of(dtype); }
    /// Returns the number of elements.
    /// @return the number of elements
    std::uint64_t elements() const {
        std::uint64_t count = 1;
        for (const std::uint64_t extent : shape) count *= extent;
        return count;
    }
};

/// @cond internal
namespace storage {

inline constexpr std::uint64_t largest_header = 100'000'000;  // bytes, by the specification
inline constexpr std::string_view metadata_key = "__metadata__";
/// The key of the checksum: that of the file with zeros in place of its digits.
inline constexpr std::string_view checksum_key = "sigma.checksum";
inline constexpr std::size_t checksum_digits = 16;

/// Returns the position of the checksum's digits in a header that this library has written, or npos. The search is
/// safe, because each quotation mark in keys and texts has a '\\' before it.
std::size_t checksum_place(std::string_view header);

struct SafetensorsHeader {
    std::vector<std::pair<std::string, std::string>> metadata;  // sorted by key
    std::vector<TensorInfo> tensors;                            // in the order of their bytes
};

/// Returns the number of bytes of a tensor, or nothing if it is 2^64 or more, even if one of the extents is 0.
std::optional<std::uint64_t> byte_count(Dtype dtype, const std::vector<std::uint64_t>& shape);

/// Parses the text of a header, which begins at byte 8 of `file`, and checks it against the number of bytes that
/// follow. Rejects everything that the specification does not name, except new types of elements. Uses memory in
/// proportion to the text.
SafetensorsHeader parsed_header(std::string_view text, const std::string& file, std::uint64_t data_bytes);

/// Appends the header's text without its padding.
void append_header(std::string& out, const SafetensorsHeader& header);

}  // namespace storage
/// @endcond

/// A file in the safetensors format (https://github.com/huggingface/safetensors, README, "Format"), open for reading.
///
/// Opening a file checks its whole header. Tensors are read on request, directly into your memory. Their values are not
/// checked. If the file is replaced while it is open, you still read the old content. Several threads may read at once.
///
/// @par Example
/// @code
/// const auto file = SafetensorsFile::open("net.safetensors");
/// std::vector<float> weights = file.read<float>("1-dense.weights");
/// @endcode
///
/// @see SafetensorsWriter
class SafetensorsFile {
public:
    /// Opens a file and checks its header.
    /// @param path  path of the file. A relative path is below the storage of the workspace in use.
    /// @return the open file
    /// @throws DataError  if the file cannot be read or is not a valid safetensors file
    static SafetensorsFile open(std::string path);

    /// Reads a file from its bytes in memory.
    /// @param bytes  the bytes of the file. They must outlive the returned object.
    /// @param name   name of the file in error texts
    /// @return the open file
    /// @throws DataError  if the bytes are not a valid safetensors file
    static SafetensorsFile from_bytes(std::span<const std::byte> bytes, std::string name = "bytes in memory");

    /// Returns the path of the file.
    /// @return the path of the file
    const std::string& path() const& { return path_; }
    /// Returns a copy of the path.
    /// @return a copy of the path
    std::string path() && { return std::move(path_); }
    /// Returns the keys and values of the metadata, sorted by key.
    /// @return the keys and values of the metadata, sorted by key
    const std::vector<std::pair<std::string, std::string>>& metadata() const& { return header_.metadata; }
    /// Moves the metadata out of a temporary object.
    /// @return the keys and values
    std::vector<std::pair<std::string, std::string>> metadata() && { return std::move(header_.metadata); }
    /// Returns the value of a key of the metadata, or null if there is no such key.
    /// @param key  key
    /// @return the value of a key of the metadata, or null if there is no such key
    const std::string* metadata(std::string_view key) const&;
    /// Returns a copy of the value of a key of the metadata, or nothing if there is no such key.
    /// @param key  key
    /// @return a copy of the value of a key of the metadata, or nothing if there is no such key
    std::optional<std::string> metadata(std::string_view key) && {
        const std::string* const found = metadata(key);
        return found == nullptr ? std::nullopt : std::optional(*found);
    }
    /// Returns the descriptions of all tensors, in the order of their bytes.
    /// @return the descriptions of all tensors, in the order of their bytes
    const std::vector<TensorInfo>& tensors() const& { return header_.tensors; }
    /// Moves the descriptions out of a temporary object.
    /// @return the descriptions of all tensors
    std::vector<TensorInfo> tensors() && { return std::move(header_.tensors); }
    /// Returns the tensors with the names most similar to a name, as a text for errors: "'0.weight' (8, 4), '0.bias'
    /// (8) and 3 more".
    /// @param name  name that was not found
    /// @return names and shapes of tensors
    std::string tensors_like(std::string_view name) const;
    /// Returns the description of a tensor, or null if there is no such tensor.
    /// @param name  name of the tensor
    /// @return the description of a tensor, or null if there is no such tensor
    const TensorInfo* find(std::string_view name) const&;
    /// Returns a copy of the description of a tensor, or nothing if there is no such tensor.
    /// @param name  name of the tensor
    /// @return a copy of the description of a tensor, or nothing if there is no such tensor
    std::optional<TensorInfo> find(std::string_view name) && {
        const TensorInfo* const found = find(name);
        return found == nullptr ? std::nullopt : std::optional(*found);
    }

    /// Reads the whole file and compares it with the checksum that SafetensorsWriter::with_checksum has added.
    /// @return true if the checksum is right, false if the file has no checksum
    /// @throws DataError  if the file has changed since it was written, or cannot be read
    bool verify() const;

    /// Reads all elements of a tensor into your memory.
    ///
    /// You can read `float` and `double` from F16, BF16, F32 and F64; they are rounded to nearest. Other types are read
    /// from the same type only. BOOL must be 0 or 1.
    /// @param name  name of the tensor
    /// @param to    memory for as many elements as the tensor has
    /// @throws DataError  if there is no such tensor, if its type or number of elements differs, or if the file cannot
    ///                    be read
    template <StoredElement T>
    void read(std::string_view name, std::span<T> to) const {
        read(name, detail::dtype_of<T>, to.data(), to.size());
    }

    /// Reads all elements of a tensor.
    /// @tparam T  type of the elements, not `bool`. The conversions are those of the other overload.
    /// @param name  name of the tensor
    /// @return the elements in row-major order
    /// @throws DataError  if there is no such tensor, if its type differs, or if the file cannot be read
    template <StoredElement T>
    std::vector<T> read(std::string_view name) const
        requires(!std::is_same_v<T, bool>)
    {
        std::vector<T> values(readable_elements(name));
        read(name, std::span<T>(values));
        return values;
    }

    /// Returns the bytes of a tensor of any type, without conversion.
    /// @param name  name of the tensor
    /// @return the bytes of the elements
    /// @throws DataError  if there is no such tensor, or if the file cannot be read
    std::vector<std::byte> bytes(std::string_view name) const;

private:
    static_assert(std::endian::native == std::endian::little, "SafetensorsFile reads tensors without swapping bytes");

    explicit SafetensorsFile(std::string path);

    SafetensorsFile(std::span<const std::byte> bytes, std::string name);

    void parse(std::uint64_t size);

    /// Returns whether the file may begin with a header. If not, it is a file of another kind and `length` is
    /// meaningless.
    bool may_be_header(std::uint64_t length, std::uint64_t size) const;

    const TensorInfo& require(std::string_view name) const;
    /// Returns the number of elements of a tensor. Throws DataError if its type cannot be read.
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

/// A writer of tensors and texts to one file in the safetensors format.
///
/// The bytes of the file do not depend on the order of the calls: metadata are sorted by key, tensors by type (the
/// order of Dtype, from its end) and then by name. So each tensor begins at a multiple of the size of its elements.
/// Spaces after the header align the first tensor to a multiple of 8. Names and texts are UTF-8.
///
/// @par Example
/// @code
/// std::vector<float> weights(4 * 64);
/// SafetensorsWriter file;
/// file.metadata("epoch", "3");
/// file.add("1-dense.weights", {4, 64}, std::span<const float>(weights));
/// file.save("net.safetensors");
/// @endcode
///
/// @see SafetensorsFile
class SafetensorsWriter {
public:
    /// Adds a text to the metadata.
    /// @param key    key
    /// @param value  text
    /// @return this writer
    /// @throws ArgumentError  if the key was added before, or if the key or the text is not UTF-8
    SafetensorsWriter& metadata(std::string key, std::string value);

    /// Adds a checksum to the metadata, which SafetensorsFile::verify compares with the content.
    /// @return this writer
    SafetensorsWriter& with_checksum();

    /// Adds a tensor of any type.
    /// @param name   name of the tensor
    /// @param dtype  type of the elements, not Dtype::other
    /// @param shape  extents
    /// @param bytes  elements, little-endian and in row-major order. They are read by `image` and `save` and must exist
    ///               until then.
    /// @return this writer
    /// @throws ArgumentError  if the name was added before or is not allowed, or if the type is Dtype::other
    /// @throws ShapeError     if the shape needs another number of bytes
    SafetensorsWriter& add(std::string name, Dtype dtype, std::vector<std::uint64_t> shape,
                           std::span<const std::byte> bytes);

    /// Adds a tensor of the type of some values.
    /// @param name    name of the tensor
    /// @param shape   extents
    /// @param values  elements in row-major order. They are read by `image` and `save` and must exist until then.
    /// @return this writer
    /// @throws ArgumentError  if the name was added before or is not allowed
    /// @throws ShapeError     if the shape needs another number of elements
    template <StoredElement T>
    SafetensorsWriter& add(std::string name, std::vector<std::uint64_t> shape, std::span<const T> values) {
        return add_tensor(std::move(name), detail::dtype_of<T>, std::move(shape), std::as_bytes(values), nullptr);
    }

    /// Adds a tensor and keeps its values.
    /// @param name    name of the tensor
    /// @param shape   extents
    /// @param values  elements in row-major order
    /// @param as      type in the file. Its bits are those of the values: pass Dtype::bf16 for a std::uint16_t, for
    ///                instance.
    /// @return this writer
    /// @throws ArgumentError  if the name was added before or is not allowed
    /// @throws ShapeError     if the shape needs another number of bytes
    template <StoredElement T>
        requires(!std::is_same_v<T, bool>)
    SafetensorsWriter& add(std::string name, std::vector<std::uint64_t> shape, std::vector<T>&& values,
                           Dtype as = detail::dtype_of<T>) {
        const auto kept = std::make_shared<const std::vector<T>>(std::move(values));
        const auto bytes = std::as_bytes(std::span<const T>(*kept));
        return add_tensor(std::move(name), as, std::move(shape), bytes, kept);
    }

    /// Returns the bytes of the whole file.
    /// @return the bytes of the whole file
    /// @throws ArgumentError  if the header would be larger than 100 MB
    std::vector<std::byte> image() const;

    /// Writes the file. An existing file is replaced as a whole or not at all.
    /// @param path  path of the file. A relative path is below the storage of the workspace in use.
    /// @throws StorageError   if the file cannot be written; an existing file is then unchanged
    /// @throws ArgumentError  if the header would be larger than 100 MB
    void save(std::string path) const;

private:
    static_assert(std::endian::native == std::endian::little,
                  "SafetensorsWriter writes tensors without swapping bytes");

    struct Entry {
        std::string name;
        Dtype dtype;
        std::vector<std::uint64_t> shape;
        std::span<const std::byte> bytes;
        std::shared_ptr<const void> kept;  // the owner of `bytes`, if the writer keeps them
    };

    /// Returns the position of a key in a sorted vector. Maps would take half a second to compile.
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

    /// Returns the beginning of the file: the length of the header, the header and its padding.
    std::string beginning() const;

    std::vector<std::span<const std::byte>> pieces(const std::string& first) const;

    std::vector<std::pair<std::string, std::string>> metadata_;  // sorted by key
    std::vector<Entry> tensors_;                                 // sorted by name
    bool checked_ = false;
};

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/storage/impl/safetensors.ipp>
#endif
