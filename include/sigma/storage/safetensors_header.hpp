// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/error.hpp>
#include <sigma/storage/dtype.hpp>
#include <sigma/storage/json.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace sigma {

/// What a safetensors file says about one of its tensors. Elements are little-endian and row-major.
struct TensorInfo {
    std::string name;
    Dtype dtype;
    std::vector<std::uint64_t> shape;  // () is one element
    std::uint64_t begin, end;          // of its bytes, counted from the first tensor's

    std::uint64_t elements() const { return (end - begin) / size_of(dtype); }
};

namespace storage {

inline constexpr std::uint64_t largest_header = 100'000'000;  // bytes, by the specification
inline constexpr std::string_view metadata_key = "__metadata__";

struct SafetensorsHeader {
    std::vector<std::pair<std::string, std::string>> metadata;  // by key
    std::vector<TensorInfo> tensors;                            // as their bytes lie in the file
};

/// The bytes of such a tensor; none where they are 2^64 or more. A 0 among the extents does not excuse the others.
inline std::optional<std::uint64_t> byte_count(Dtype dtype, const std::vector<std::uint64_t>& shape) {
    std::uint64_t count = size_of(dtype);
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

/// Reads the header's text, which begins at byte 8 of `file`, and checks it against the bytes of data that follow it.
/// Takes the format at its word: what the specification does not name, it refuses. Needs memory in proportion to the
/// text.
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
        refuse_duplicates(names_at_, [&](std::size_t i) -> const std::string& { return header_.tensors[i].name; });
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
        refuse_duplicates(keys_at, [&](std::size_t i) -> const std::string& { return metadata[i].first; });
        std::sort(metadata.begin(), metadata.end());
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
                tensor.dtype = read_dtype();
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

    Dtype read_dtype() {
        tokens_.skip_blanks();
        const std::size_t at = tokens_.position();
        const std::string name = tokens_.string("a dtype in quotes");
        const std::optional<Dtype> dtype = dtype_named(name);
        if (!dtype) {
            std::string known;
            for (const DtypeRow& row : dtypes) known += sentence(known.empty() ? "" : " ", row.name);
            tokens_.refuse(at, sentence("a dtype of ", known), quotation(name));
        }
        return *dtype;
    }

    void read_shape(std::vector<std::uint64_t>& shape) {
        tokens_.take('[');
        if (tokens_.take_if(']')) return;
        do shape.push_back(tokens_.number());
        while (tokens_.take_if(','));
        tokens_.take(']');
    }

    void check_size(const TensorInfo& tensor, std::size_t at) const {
        const std::optional<std::uint64_t> wanted = byte_count(tensor.dtype, tensor.shape);
        if (!wanted) tokens_.refuse(at, "a shape of less than 2^64 bytes", quotation(shape_text(tensor.shape)));
        if (tensor.begin > tensor.end || tensor.end - tensor.begin != *wanted)
            tokens_.refuse(at, sentence("data_offsets ", *wanted, " bytes apart for tensor ", quotation(tensor.name)),
                           sentence(tensor.begin, " and ", tensor.end));
    }

    /// `key(i)` is the text whose quotes open at position at[i].
    template <class Key>
    void refuse_duplicates(const Positions& at, Key key) const {
        std::vector<std::size_t> order(at.size());
        for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
        std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
            const int difference = key(a).compare(key(b));
            return difference != 0 ? difference < 0 : a < b;
        });
        for (std::size_t i = 1; i < order.size(); ++i)
            if (key(order[i - 1]) == key(order[i]))
                tokens_.refuse(at[order[i]], "no key twice", quotation(key(order[i])));
    }

    /// Every byte of the data belongs to exactly one tensor.
    void check_offsets() {
        const auto place = [](const TensorInfo& tensor) { return std::tie(tensor.begin, tensor.end, tensor.name); };
        std::sort(header_.tensors.begin(), header_.tensors.end(),
                  [&](const TensorInfo& a, const TensorInfo& b) { return place(a) < place(b); });
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

/// Appends the header's text without its padding.
inline void append_header(std::string& out, const SafetensorsHeader& header) {
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
        out += sentence(":{\"dtype\":\"", name_of(tensor.dtype), "\",\"shape\":[");
        for (std::size_t i = 0; i < tensor.shape.size(); ++i) out += sentence(i > 0 ? "," : "", tensor.shape[i]);
        out += sentence("],\"data_offsets\":[", tensor.begin, ',', tensor.end, "]}");
    }
    out += *between == '{' ? "{}" : "}";
}

}  // namespace storage
}  // namespace sigma
