// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/number_text.hpp>
#include <sigma/core/text.hpp>
#include <sigma/storage/error.hpp>
#include <sigma/storage/hash.hpp>
#include <sigma/storage/json.hpp>
#include <sigma/storage/safetensors.hpp>
#include <sigma/storage/workspace.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <limits>
#include <numeric>

namespace sigma::storage {

SIGMA_IMPL std::size_t checksum_place(std::string_view header) {
    const std::string before = sentence('"', checksum_key, "\":\"");
    const std::size_t at = header.find(before);
    return at == header.npos ? at : at + before.size();
}

SIGMA_IMPL std::optional<std::uint64_t> byte_count(Dtype dtype, const std::vector<std::uint64_t>& shape) {
    std::uint64_t count = sigma::detail::size_of(dtype);
    bool empty = false;
    for (const std::uint64_t extent : shape) {
        if (extent == 0) {
            empty = true;
            continue;
        }
        if (count > std::numeric_limits<std::uint64_t>::max() / extent) return {};
        count *= extent;
    }
    return empty ? 0 : count;
}

/// Returns the positions of items, stably sorted by `before`, which captures nothing. All types of items share one
/// std::sort, because each takes a twentieth of a second to compile.
template <class Before>
std::vector<std::size_t> sorted_positions(std::size_t count, const void* items, Before before) {
    std::vector<std::size_t> positions(count);
    for (std::size_t i = 0; i < count; ++i) positions[i] = i;
    std::sort(positions.begin(), positions.end(),
              [=](std::size_t a, std::size_t b) { return before(items, a, b) || (a < b && !before(items, b, a)); });
    return positions;
}
template <class Items, class Before>
std::vector<std::size_t> sorted_positions(const Items& items, Before) {
    return sorted_positions(
        items.size(), &items, +[](const void* all, std::size_t a, std::size_t b) {
            const Items& typed = *static_cast<const Items*>(all);
            return Before{}(typed[a], typed[b]);
        });
}

/// Puts items in the order of these positions.
template <class Item>
void arrange(std::vector<Item>& items, const std::vector<std::size_t>& positions) {
    std::vector<Item> arranged;
    arranged.reserve(items.size());
    for (const std::size_t i : positions) arranged.push_back(std::move(items[i]));
    items = std::move(arranged);
}

class HeaderParser {
public:
    HeaderParser(std::string_view text, const std::string& file, std::uint64_t data_bytes)
        : tokens_(text, file, 8), text_(text), data_bytes_(data_bytes) {}

    SafetensorsHeader parse() {
        if (!text_.starts_with('{')) tokens_.refuse("'{' at the beginning of the header");
        members([&](std::string key, std::size_t at) {
            if (key == metadata_key) {
                if (std::exchange(has_metadata_, true))
                    tokens_.refuse(at, "each key once", sentence(quotation(key), " twice"));
                read_metadata();
            } else {
                read_tensor(std::move(key), at);
            }
        });
        if (const std::size_t more = tokens_.rest().find_first_not_of(' '); more != std::string_view::npos)
            tokens_.refuse(tokens_.position() + more, "only spaces after the header's '}'",
                           quotation(tokens_.rest().substr(more, 1)));
        refuse_duplicates();
        check_offsets();
        return std::move(header_);
    }

private:
    using Positions = std::vector<std::size_t>;

    /// Reads an object: calls member(key, its position) before each value.
    template <class Member>
    void members(Member member) {
        tokens_.take('{');
        if (tokens_.take_if('}')) return;
        do {
            tokens_.skip_blanks();
            const std::size_t at = tokens_.position();
            std::string key = tokens_.string("a key in quotes");
            tokens_.take(':');
            member(std::move(key), at);
        } while (tokens_.take_if(','));
        tokens_.take('}');
    }

    void read_metadata() {
        Positions keys_at;
        auto& metadata = header_.metadata;
        members([&](std::string key, std::size_t at) {
            keys_at.push_back(at);
            metadata.emplace_back(std::move(key), tokens_.string("a string as metadata"));
        });
        const Positions order =
            sorted_positions(metadata, [](const auto& a, const auto& b) { return a.first < b.first; });
        for (std::size_t i = 1; i < order.size(); ++i)
            if (metadata[order[i - 1]].first == metadata[order[i]].first)
                tokens_.refuse(keys_at[order[i]], "each key once",
                               sentence(quotation(metadata[order[i]].first), " twice"));
        arrange(metadata, order);
    }

    void read_tensor(std::string name, std::size_t name_at) {
        TensorInfo tensor{std::move(name), {}, {}, 0, 0};
        bool dtype = false, shape = false, offsets = false;
        const auto once = [&](bool& seen, std::string_view key, std::size_t at) {
            if (std::exchange(seen, true)) tokens_.refuse(at, "each key once", sentence(quotation(key), " twice"));
        };
        members([&](const std::string& key, std::size_t at) {
            if (key == "dtype") {
                once(dtype, key, at);
                read_dtype(tensor);
            } else if (key == "shape") {
                once(shape, key, at);
                read_shape(tensor.shape);
            } else if (key == "data_offsets") {
                once(offsets, key, at);
                tokens_.take('[');
                tensor.begin = tokens_.number();
                tokens_.take(',');
                tensor.end = tokens_.number();
                tokens_.take(']');
            } else {
                tokens_.refuse(at, "dtype, shape or data_offsets", quotation(key));
            }
        });
        for (const auto& [seen, key] : {std::pair(dtype, "dtype"), {shape, "shape"}, {offsets, "data_offsets"}})
            if (!seen)
                tokens_.refuse(name_at, sentence(key, " of tensor ", quotation(tensor.name)),
                               "the end of its description");
        check_size(tensor, name_at);
        names_at_.push_back(name_at);
        header_.tensors.push_back(std::move(tensor));
    }

    void read_dtype(TensorInfo& tensor) {
        std::string name = tokens_.string("a dtype in quotes");
        const std::optional<Dtype> dtype = sigma::detail::dtype_named(name);
        tensor.dtype = dtype.value_or(Dtype::other);
        if (!dtype) tensor.other = std::move(name);
    }

    void read_shape(std::vector<std::uint64_t>& shape) {
        tokens_.take('[');
        if (tokens_.take_if(']')) return;
        do shape.push_back(tokens_.number());
        while (tokens_.take_if(','));
        tokens_.take(']');
    }

    void check_size(const TensorInfo& tensor, std::size_t at) const {
        // An unknown type may have any number of bytes, but its number of elements can be checked.
        const bool other = tensor.dtype == Dtype::other;
        const std::optional<std::uint64_t> wanted = byte_count(other ? Dtype::u8 : tensor.dtype, tensor.shape);
        if (!wanted)
            tokens_.refuse(at, "a shape of less than 2^64 bytes", quotation(sigma::detail::shape_text(tensor.shape)));
        if (other && tensor.begin > tensor.end)
            tokens_.refuse(at, sentence("data_offsets of tensor ", quotation(tensor.name), " in their order"),
                           sentence(tensor.begin, " and ", tensor.end));
        if (!other && (tensor.begin > tensor.end || tensor.end - tensor.begin != *wanted))
            tokens_.refuse(at, sentence("data_offsets ", *wanted, " bytes apart for tensor ", quotation(tensor.name)),
                           sentence(tensor.begin, " and ", tensor.end));
    }

    void refuse_duplicates() const {
        const auto& tensors = header_.tensors;
        const Positions order =
            sorted_positions(tensors, [](const TensorInfo& a, const TensorInfo& b) { return a.name < b.name; });
        for (std::size_t i = 1; i < order.size(); ++i)
            if (tensors[order[i - 1]].name == tensors[order[i]].name)
                tokens_.refuse(names_at_[order[i]], "each key once",
                               sentence(quotation(tensors[order[i]].name), " twice"));
    }

    /// Checks that every byte of the data belongs to exactly one tensor.
    void check_offsets() {
        arrange(header_.tensors, sorted_positions(header_.tensors, [](const TensorInfo& a, const TensorInfo& b) {
                    if (a.begin != b.begin) return a.begin < b.begin;
                    return a.end != b.end ? a.end < b.end : a.name < b.name;
                }));
        const std::uint64_t data = 8 + text_.size();
        std::uint64_t next = 0;
        for (const TensorInfo& tensor : header_.tensors) {
            if (tensor.begin != next)
                tokens_.refuse(
                    text_.size(),
                    sentence("tensor ", quotation(tensor.name), " at ", next, ", the end of the previous tensor"),
                    sentence(tensor.begin));
            next = tensor.end;
        }
        if (next != data_bytes_)
            throw DataError(tokens_.file(), sentence("byte ", data), sentence(next, " bytes of tensors"),
                            sentence(data_bytes_));
    }

    JsonTokens tokens_;
    std::string_view text_;
    std::uint64_t data_bytes_;
    SafetensorsHeader header_;
    Positions names_at_;
    bool has_metadata_ = false;
};

SIGMA_IMPL SafetensorsHeader parsed_header(std::string_view text, const std::string& file, std::uint64_t data_bytes) {
    return HeaderParser(text, file, data_bytes).parse();
}

SIGMA_IMPL void append_header(std::string& out, const SafetensorsHeader& header) {
    const char* between = "{";
    if (!header.metadata.empty()) {
        out += "{\"__metadata__\":";
        for (const auto& [key, value] : header.metadata) {
            out += std::exchange(between, ",");
            append_json_string(out, key);
            out += ':';
            append_json_string(out, value);
        }
        out += '}';
    }
    for (const TensorInfo& tensor : header.tensors) {
        out += std::exchange(between, ",");
        append_json_string(out, tensor.name);
        out += sentence(":{\"dtype\":\"", tensor.dtype_name(), "\",\"shape\":[");
        for (std::size_t i = 0; i < tensor.shape.size(); ++i) out += sentence(i > 0 ? "," : "", tensor.shape[i]);
        out += sentence("],\"data_offsets\":[", tensor.begin, ',', tensor.end, "]}");
    }
    out += *between == '{' ? "{}" : "}";
}

}  // namespace sigma::storage

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
    const std::string* const stored = metadata(storage::checksum_key);
    if (stored == nullptr) return false;
    std::string first(static_cast<std::size_t>(data_), ' ');
    fetch_at(0, std::as_writable_bytes(std::span(first)));
    const std::size_t at = storage::checksum_place(first);
    if (at != first.npos && stored->size() == storage::checksum_digits)
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
    if (found != *stored) throw DataError(path_, "", sentence("contents with the stored checksum ", *stored), found);
    return true;
}

SIGMA_IMPL std::vector<std::byte> SafetensorsFile::bytes(std::string_view name) const {
    const TensorInfo& tensor = require(name);
    std::vector<std::byte> values(static_cast<std::size_t>(tensor.end - tensor.begin));
    fetch(tensor.begin, values);
    return values;
}

SIGMA_IMPL SafetensorsFile::SafetensorsFile(std::string path) : path_(std::move(path)) {
    if (path_.find('\0') != path_.npos)
        throw DataError(path_.c_str(), "", "a path without zero bytes", "one after this text");
    // Without waiting: a pipe must not block the program before it is recognized.
    file_ = storage::open_to_read(path_, storage::Opening::at_once);
    storage::FileState found;
    if (!file_ || !storage::look_at(file_, found)) throw DataError::unreadable(path_, "", storage::system_text(errno));
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
    if (code != 0) throw DataError::unreadable(path_, sentence("byte ", offset + count), storage::system_text(code));
    if (count != to.size())  // the file has been truncated since it was opened
        throw DataError(path_, sentence("byte ", offset + count), sentence(to.size() - count, " more bytes"),
                        "the end of the file");
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

SIGMA_IMPL SafetensorsWriter& SafetensorsWriter::metadata(std::string key, std::string value) {
    require_utf8("metadata", key);
    require_utf8(sentence("metadata ", storage::quotation(key)), value);
    const std::size_t at = place(metadata_, key, [](const auto& pair) -> const std::string& { return pair.first; });
    if (at < metadata_.size() && metadata_[at].first == key)
        throw ArgumentError(sentence("metadata ", storage::quotation(key)), "one value for each key", "a second value");
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
    if (name == storage::metadata_key) throw ArgumentError(where, "the name of a tensor", "the key of the metadata");
    if (dtype == Dtype::other) throw ArgumentError(where, "a dtype of the format", sentence(detail::name_of(dtype)));
    const auto wanted = storage::byte_count(dtype, shape);
    if (!wanted || *wanted != bytes.size())
        throw ShapeError(where,
                         sentence("the bytes of shape ", detail::shape_text(shape), " of ", detail::name_of(dtype)),
                         sentence(bytes.size()));
    const std::size_t at = place(tensors_, name, [](const Entry& entry) -> const std::string& { return entry.name; });
    if (at < tensors_.size() && tensors_[at].name == name)
        throw ArgumentError(where, "one tensor of each name", "a second tensor");
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
    if (checked_) {  // that of the file with zeros in place of the digits
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
