// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/edits.hpp>
#include <sigma/core/number_text.hpp>
#include <sigma/storage/error.hpp>
#include <sigma/storage/half.hpp>
#include <sigma/storage/hash.hpp>
#include <sigma/storage/safetensors_file.hpp>
#include <sigma/storage/utf8.hpp>
#include <sigma/storage/workspace.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <numeric>

namespace sigma {

SIGMA_IMPL SafetensorsFile SafetensorsFile::from_bytes(std::span<const std::byte> bytes, std::string name) {
    return SafetensorsFile(bytes, std::move(name));
}

SIGMA_IMPL const std::string* SafetensorsFile::metadata(std::string_view key) const& {
    for (const auto& [name, value] : header_.metadata)
        if (name == key) return &value;
    return nullptr;
}

SIGMA_IMPL const TensorInfo* SafetensorsFile::find(std::string_view name) const& {
    const auto at = std::lower_bound(by_name_.begin(), by_name_.end(), name, [&](std::size_t i, std::string_view n) {
        return header_.tensors[i].name.compare(n) < 0;
    });
    return at != by_name_.end() && header_.tensors[*at].name == name ? &header_.tensors[*at] : nullptr;
}

SIGMA_IMPL bool SafetensorsFile::verify() const {
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
    const std::string found = detail::hexadecimal(all.value());
    if (found != *said)
        throw DataError(path_, "", sentence("contents with the checksum ", *said, ", with which it was written"),
                        found);
    return true;
}

SIGMA_IMPL std::vector<std::byte> SafetensorsFile::bytes(std::string_view name) const {
    const TensorInfo& tensor = require(name);
    std::vector<std::byte> values(static_cast<std::size_t>(tensor.end - tensor.begin));
    fetch(tensor.begin, values);
    return values;
}

SIGMA_IMPL SafetensorsFile::SafetensorsFile(std::string path) : path_(std::move(path)) {
    if (path_.find('\0') != path_.npos) throw DataError(path_.c_str(), "", "a path without zeros", "one after this");
    // O_NONBLOCK: a pipe must not hold up the program before it is seen to be one.
    file_ = storage::open_to_read(path_, storage::Opening::at_once);
    storage::FileState found;
    if (!file_ || !storage::look_at(file_, found))
        throw DataError(path_, "", "a readable file", storage::system_text(errno));
    if (!found.is_file)
        throw DataError(path_, "", "a readable file", found.is_directory ? "a directory" : "a device or pipe");
    parse(found.size);
}

SIGMA_IMPL SafetensorsFile::SafetensorsFile(std::span<const std::byte> bytes, std::string name)
    : path_(std::move(name)), bytes_(bytes) {
    parse(bytes.size());
}

SIGMA_IMPL void SafetensorsFile::parse(std::uint64_t size) {
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
        header_ = storage::parsed_header(text, path_, size - data_);
    } else {
        const std::string_view text(reinterpret_cast<const char*>(bytes_.data()) + 8, static_cast<std::size_t>(length));
        header_ = storage::parsed_header(text, path_, size - data_);
    }
    by_name_.resize(header_.tensors.size());
    std::iota(by_name_.begin(), by_name_.end(), std::size_t{0});
    std::ranges::sort(by_name_, {}, [&](std::size_t i) -> const std::string& { return header_.tensors[i].name; });
}

SIGMA_IMPL bool SafetensorsFile::may_be_header(std::uint64_t length, std::uint64_t size) const {
    if (size == 8) return length <= storage::largest_header;
    char first = 0;
    fetch_at(8, std::as_writable_bytes(std::span(&first, 1)));
    return first == '{';
}

SIGMA_IMPL std::string SafetensorsFile::tensors_like(std::string_view name) const {
    constexpr std::size_t enough = 8;
    std::vector<const TensorInfo*> all;
    for (const TensorInfo& t : tensors()) all.push_back(&t);
    if (all.size() > enough)
        std::ranges::sort(all, {}, [&](const TensorInfo* t) {
            return std::pair(detail::edits(t->name, name), std::string_view(t->name));
        });
    std::string text;
    for (std::size_t i = 0; i < all.size() && i < enough; ++i)
        text += sentence(i > 0 ? ", " : "", storage::quotation(all[i]->name), " ", detail::shape_text(all[i]->shape));
    if (all.size() > enough) text += sentence(" and ", all.size() - enough, " more");
    return all.empty() ? "no tensor" : text;
}

SIGMA_IMPL const TensorInfo& SafetensorsFile::require(std::string_view name) const {
    const TensorInfo* tensor = find(name);
    if (tensor == nullptr) refuse(name, "a tensor of this name", tensors_like(name));
    return *tensor;
}

SIGMA_IMPL std::size_t SafetensorsFile::readable_elements(std::string_view name) const {
    const TensorInfo& tensor = require(name);
    if (tensor.dtype == Dtype::other) {
        std::string known;
        for (const storage::DtypeRow& row : storage::dtypes) known += sentence(known.empty() ? "" : " ", row.name);
        refuse(name, sentence("a dtype of ", known), storage::quotation(tensor.other));
    }
    return static_cast<std::size_t>(tensor.elements());
}

SIGMA_IMPL void SafetensorsFile::refuse(std::string_view name, std::string expected, std::string found) const {
    throw DataError(path_, sentence("tensor ", storage::quotation(name)), std::move(expected), std::move(found));
}

SIGMA_IMPL void SafetensorsFile::fetch_at(std::uint64_t offset, std::span<std::byte> to) const {
    if (to.empty()) return;
    if (!file_) {
        std::memcpy(to.data(), bytes_.data() + offset, to.size());
        return;
    }
    const auto [count, code] = storage::read_at(file_.number(), offset, to);
    if (code != 0) throw DataError(path_, sentence("byte ", offset + count), "to read it", storage::system_text(code));
    if (count != to.size())  // somebody has cut the file since it was opened
        throw DataError(path_, sentence("byte ", offset + count), sentence(to.size() - count, " more bytes"), "none");
}

template <class Stored, class T>
void SafetensorsFile::convert(const TensorInfo& tensor, std::span<T> to) const {
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

SIGMA_IMPL void SafetensorsFile::read(std::string_view name, Dtype wanted, void* to, std::size_t count) const {
    const TensorInfo& tensor = require(name);
    if (readable_elements(name) != count)
        refuse(name, sentence(count, " elements"), sentence("shape ", detail::shape_text(tensor.shape)));
    if (tensor.dtype == wanted && wanted != Dtype::boolean)
        return fetch(tensor.begin, {static_cast<std::byte*>(to), count * detail::size_of(wanted)});
    const auto converted = [&]<class T>(T* values) {
        const std::span<T> all(values, count);
        switch (tensor.dtype) {
            case Dtype::f32: return convert<float>(tensor, all), true;
            case Dtype::f64: return convert<double>(tensor, all), true;
            case Dtype::f16:
            case Dtype::bf16: return convert<std::uint16_t>(tensor, all), true;
            default: return false;
        }
    };
    if (wanted == Dtype::boolean && tensor.dtype == Dtype::boolean)
        return convert<std::uint8_t>(tensor, std::span(static_cast<bool*>(to), count));
    if (wanted == Dtype::f32 && converted(static_cast<float*>(to))) return;
    if (wanted == Dtype::f64 && converted(static_cast<double*>(to))) return;
    const bool real = wanted == Dtype::f32 || wanted == Dtype::f64;
    refuse(name, real ? "F64, F32, F16 or BF16" : std::string(detail::name_of(wanted)),
           std::string(detail::name_of(tensor.dtype)));
}

SIGMA_IMPL SafetensorsFile SafetensorsFile::open(std::string path) {
    return SafetensorsFile(storage::placed(std::move(path)));
}

}  // namespace sigma
