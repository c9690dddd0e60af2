// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/storage/json.hpp>
#include <sigma/storage/safetensors_header.hpp>
#include <sigma/storage/utf8.hpp>

#include <algorithm>
#include <limits>
#include <utility>

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

/// The positions of items, sorted by `before`, which captures nothing; equal ones in their order. One std::sort serves
/// all types of items: each takes a twentieth of a second to compile.
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

/// The items in the order of these positions.
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
        if (!text_.starts_with('{')) tokens_.refuse("'{', with which the header begins");
        members([&](std::string key, std::size_t at) {
            if (key == metadata_key) {
                if (std::exchange(has_metadata_, true)) tokens_.refuse(at, "no key twice", quotation(key));
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

    /// An object: calls member(key, its position) before each value.
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
            metadata.emplace_back(std::move(key), tokens_.string("metadata that is a string"));
        });
        const Positions order =
            sorted_positions(metadata, [](const auto& a, const auto& b) { return a.first < b.first; });
        for (std::size_t i = 1; i < order.size(); ++i)
            if (metadata[order[i - 1]].first == metadata[order[i]].first)
                tokens_.refuse(keys_at[order[i]], "no key twice", quotation(metadata[order[i]].first));
        arrange(metadata, order);
    }

    void read_tensor(std::string name, std::size_t name_at) {
        TensorInfo tensor{std::move(name), {}, {}, 0, 0};
        bool dtype = false, shape = false, offsets = false;
        const auto once = [&](bool& seen, std::string_view key, std::size_t at) {
            if (std::exchange(seen, true)) tokens_.refuse(at, "no key twice", quotation(key));
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
            if (!seen) tokens_.refuse(name_at, sentence(key, " of tensor ", quotation(tensor.name)), "none");
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
        // Of another type any number of bytes may be right; its elements can be counted all the same.
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
                tokens_.refuse(names_at_[order[i]], "no key twice", quotation(tensors[order[i]].name));
    }

    /// Every byte of the data belongs to exactly one tensor.
    void check_offsets() {
        arrange(header_.tensors, sorted_positions(header_.tensors, [](const TensorInfo& a, const TensorInfo& b) {
                    if (a.begin != b.begin) return a.begin < b.begin;
                    return a.end != b.end ? a.end < b.end : a.name < b.name;
                }));
        const std::uint64_t data = 8 + text_.size();
        std::uint64_t next = 0;
        for (const TensorInfo& tensor : header_.tensors) {
            if (tensor.begin != next)
                tokens_.refuse(text_.size(),
                               sentence("tensor ", quotation(tensor.name), " to begin at ", next,
                                        ", where the one before it ends"),
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
