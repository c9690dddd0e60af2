// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/error.hpp>
#include <sigma/storage/checksum.hpp>
#include <sigma/storage/dtype.hpp>
#include <sigma/storage/error.hpp>
#include <sigma/storage/half.hpp>
#include <sigma/storage/posix.hpp>
#include <sigma/storage/safetensors_header.hpp>
#include <sigma/storage/utf8.hpp>
#include <sigma/storage/workspace.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace sigma {

/// A file in the safetensors format (https://github.com/huggingface/safetensors, README, "Format"), open for reading.
/// Opening checks the whole header against the file; tensors are read when they are asked for, straight into the
/// caller's memory. Values are not checked. A file replaced meanwhile stays readable as it was. Reading is safe from
/// several threads. Everything throws DataError.
template <class = void>  // a template, so that only programs that read files compile it
class BasicSafetensorsFile {
public:
    /// A relative path is below the storage of the workspace in use.
    static BasicSafetensorsFile open(std::string path) { return BasicSafetensorsFile(storage::placed(std::move(path))); }

    /// Of a file's bytes, which must outlive what is returned. `name` is what messages call it.
    static BasicSafetensorsFile from_bytes(std::span<const std::byte> bytes, std::string name = "bytes in memory") {
        return BasicSafetensorsFile(bytes, std::move(name));
    }

    const std::string& path() const { return path_; }
    /// Keys and values, by key.
    const std::vector<std::pair<std::string, std::string>>& metadata() const { return header_.metadata; }
    /// The value of that key; null where there is none.
    const std::string* metadata(std::string_view key) const {
        for (const auto& [name, value] : header_.metadata)
            if (name == key) return &value;
        return nullptr;
    }
    /// In the order of their bytes.
    const std::vector<TensorInfo>& tensors() const { return header_.tensors; }
    /// The tensor of that name; null where there is none.
    const TensorInfo* find(std::string_view name) const {
        const auto at =
            std::lower_bound(by_name_.begin(), by_name_.end(), name,
                             [&](std::size_t i, std::string_view n) { return header_.tensors[i].name.compare(n) < 0; });
        return at != by_name_.end() && header_.tensors[*at].name == name ? &header_.tensors[*at] : nullptr;
    }

    /// Reads the whole file: is it as with_checksum() has had it written? Otherwise throws. False where it does not
    /// say.
    bool verify() const {
        const std::string* const said = metadata(storage::checksum_key);
        if (said == nullptr) return false;
        std::string first(static_cast<std::size_t>(data_), ' ');
        fetch_at(0, std::as_writable_bytes(std::span(first)));
        const std::size_t at = storage::checksum_place(first);
        if (at != first.npos && said->size() == storage::checksum_digits)
            first.replace(at, storage::checksum_digits, std::string(storage::checksum_digits, '0'));
        storage::Checksum all;
        all.add(std::as_bytes(std::span(first)));
        const std::uint64_t end = header_.tensors.empty() ? 0 : header_.tensors.back().end;
        std::vector<std::byte> block(static_cast<std::size_t>(std::min<std::uint64_t>(end, std::uint64_t{1} << 18)));
        for (std::uint64_t done = 0; done < end; done += block.size()) {
            block.resize(static_cast<std::size_t>(std::min<std::uint64_t>(block.size(), end - done)));
            fetch(done, block);
            all.add(block);
        }
        const std::string found = storage::hexadecimal(all.value());
        if (found != *said)
            throw DataError(path_, "", sentence("contents with the checksum ", *said, ", with which it was written"),
                            found);
        return true;
    }

    /// Reads all elements of a tensor, as many as `to` has. To float and double from F16, BF16, F32 and F64 (rounded to
    /// nearest), to other types from that type only; BOOL must be 0 or 1.
    template <StoredElement T>
    void read(std::string_view name, std::span<T> to) const {
        const TensorInfo& tensor = require(name);
        if (tensor.elements() != to.size())
            refuse(name, sentence(to.size(), " elements"), sentence("shape ", shape_text(tensor.shape)));
        if (tensor.dtype == dtype_of<T> && !std::is_same_v<T, bool>) {
            fetch(tensor.begin, std::as_writable_bytes(to));
            return;
        }
        if constexpr (std::is_same_v<T, bool>) {
            if (tensor.dtype == Dtype::boolean) return convert<std::uint8_t>(tensor, to);
        } else if constexpr (std::is_floating_point_v<T>) {
            if (tensor.dtype == Dtype::f32) return convert<float>(tensor, to);
            if (tensor.dtype == Dtype::f64) return convert<double>(tensor, to);
            if (tensor.dtype == Dtype::f16 || tensor.dtype == Dtype::bf16) return convert<std::uint16_t>(tensor, to);
        }
        refuse(name, sentence(std::is_floating_point_v<T> ? "F64, F32, F16 or BF16" : name_of(dtype_of<T>)),
               std::string(name_of(tensor.dtype)));
    }

    template <StoredElement T>
    std::vector<T> read(std::string_view name) const requires(!std::is_same_v<T, bool>) {
        std::vector<T> values(static_cast<std::size_t>(require(name).elements()));
        read(name, std::span<T>(values));
        return values;
    }

    /// The bytes of a tensor of any dtype, as they are.
    std::vector<std::byte> bytes(std::string_view name) const {
        const TensorInfo& tensor = require(name);
        std::vector<std::byte> values(static_cast<std::size_t>(tensor.end - tensor.begin));
        fetch(tensor.begin, values);
        return values;
    }

private:
    static_assert(std::endian::native == std::endian::little, "tensors are read as they lie in memory");

    explicit BasicSafetensorsFile(std::string path) : path_(std::move(path)) {
        if (path_.find('\0') != path_.npos)
            throw DataError(path_.c_str(), "", "a path without zeros", "one after this");
        // O_NONBLOCK: a pipe must not hold up the program before it is seen to be one.
        file_ = storage::open_at(AT_FDCWD, path_.c_str(), O_RDONLY | O_NONBLOCK);
        struct ::stat found {};
        if (!file_ || ::fstat(file_.number(), &found) != 0)
            throw DataError(path_, "", "a readable file", storage::system_text(errno));
        if (!S_ISREG(found.st_mode))
            throw DataError(path_, "", "a readable file", S_ISDIR(found.st_mode) ? "a directory" : "a device or pipe");
        parse(static_cast<std::uint64_t>(found.st_size));
    }

    BasicSafetensorsFile(std::span<const std::byte> bytes, std::string name) : path_(std::move(name)), bytes_(bytes) {
        parse(bytes.size());
    }

    void parse(std::uint64_t size) {
        if (size < 8) throw DataError(path_, "byte 0", "8 bytes with the length of the header", sentence(size));
        std::uint64_t length = 0;
        fetch_at(0, std::as_writable_bytes(std::span(&length, 1)));
        if (length > size - 8 && !may_be_header(length, size)) {
            std::string front(static_cast<std::size_t>(std::min<std::uint64_t>(size, 16)), ' ');
            fetch_at(0, std::as_writable_bytes(std::span(front)));
            throw DataError(path_, "byte 0", "a safetensors file", storage::quotation(front));
        }
        if (length > storage::largest_header)
            throw DataError(path_, "byte 0", sentence("a header of at most ", storage::largest_header, " bytes"),
                            sentence(length));
        if (length > size - 8)
            throw DataError(path_, "byte 8", sentence("a header of ", length, " bytes"), sentence(size - 8));
        data_ = 8 + length;
        if (file_) {
            std::string text(static_cast<std::size_t>(length), ' ');
            fetch_at(8, std::as_writable_bytes(std::span(text)));
            header_ = storage::HeaderParser<>(text, path_, size - data_).parse();
        } else {
            const std::string_view text(reinterpret_cast<const char*>(bytes_.data()) + 8,
                                        static_cast<std::size_t>(length));
            header_ = storage::HeaderParser<>(text, path_, size - data_).parse();
        }
        by_name_ = storage::sorted_positions(header_.tensors,
                                             [](const TensorInfo& a, const TensorInfo& b) { return a.name < b.name; });
    }

    /// Does a header begin where one would? Else this is a file of another kind, and its length is none.
    bool may_be_header(std::uint64_t length, std::uint64_t size) const {
        if (size == 8) return length <= storage::largest_header;
        char first = 0;
        fetch_at(8, std::as_writable_bytes(std::span(&first, 1)));
        return first == '{';
    }

    const TensorInfo& require(std::string_view name) const {
        const TensorInfo* tensor = find(name);
        if (tensor == nullptr) refuse(name, "a tensor of this name", sentence(tensors().size(), " others"));
        return *tensor;
    }

    [[noreturn]] void refuse(std::string_view name, std::string expected, std::string found) const {
        throw DataError(path_, sentence("tensor ", storage::quotation(name)), std::move(expected), std::move(found));
    }

    void fetch(std::uint64_t begin, std::span<std::byte> to) const { fetch_at(data_ + begin, to); }

    void fetch_at(std::uint64_t offset, std::span<std::byte> to) const {
        if (to.empty()) return;
        if (!file_) {
            std::memcpy(to.data(), bytes_.data() + offset, to.size());
            return;
        }
        const auto [count, code] = storage::read_at(file_.number(), offset, to);
        if (code != 0)
            throw DataError(path_, sentence("byte ", offset + count), "to read it", storage::system_text(code));
        if (count != to.size())  // somebody has cut the file since it was opened
            throw DataError(path_, sentence("byte ", offset + count), sentence(to.size() - count, " more bytes"),
                            "none");
    }

    template <class Stored, class T>
    void convert(const TensorInfo& tensor, std::span<T> to) const {
        std::array<Stored, 2048> block;
        for (std::size_t done = 0; done < to.size();) {
            const std::span<Stored> part = std::span(block).first(std::min(block.size(), to.size() - done));
            fetch(tensor.begin + done * sizeof(Stored), std::as_writable_bytes(part));
            for (const Stored value : part) {
                if constexpr (std::is_same_v<T, bool>) {
                    if (value > 1) refuse(tensor.name, "0 or 1", sentence(static_cast<unsigned>(value)));
                    to[done++] = value == 1;
                } else if constexpr (std::is_same_v<Stored, std::uint16_t>) {
                    const bool brain = tensor.dtype == Dtype::bf16;
                    to[done++] = static_cast<T>(brain ? storage::from_bf16(value) : storage::from_f16(value));
                } else {
                    to[done++] = static_cast<T>(value);
                }
            }
        }
    }

    std::string path_;
    storage::Descriptor file_;
    std::span<const std::byte> bytes_;
    std::uint64_t data_ = 0;  // the byte at which the first tensor begins
    storage::SafetensorsHeader header_;
    std::vector<std::size_t> by_name_;
};
using SafetensorsFile = BasicSafetensorsFile<>;

}  // namespace sigma
