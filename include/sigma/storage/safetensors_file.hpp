// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/error.hpp>
#include <sigma/storage/dtype.hpp>
#include <sigma/storage/file.hpp>
#include <sigma/storage/safetensors_header.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sigma {

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

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/storage/impl/safetensors_file.ipp>
#endif
