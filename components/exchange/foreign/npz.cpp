// SPDX-License-Identifier: BSL-1.0
#include "npz.hpp"

#include <sigma/core/number_text.hpp>
#include <sigma/storage/error.hpp>
#include <sigma/storage/safetensors.hpp>
#include <sigma/storage/utf8.hpp>
#include <sigma/storage/workspace.hpp>

#ifdef SIGMA_ZLIB
#include <zlib.h>
#endif

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <new>
#include <set>
#include <string_view>
#include <utility>

namespace sigma::detail {
namespace {

constexpr std::uint64_t four_gib = 0xFFFFFFFF, longest_header = 10000;  // as NumPy

#ifdef SIGMA_ZLIB
std::uint32_t crc32_of(std::span<const std::byte> bytes, std::uint32_t before = 0) {
    if (bytes.empty()) return before;  // zlib gives the address null another meaning
    const auto* const first = reinterpret_cast<const Bytef*>(bytes.data());
    return static_cast<std::uint32_t>(::crc32_z(before, first, bytes.size()));
}
#else
/// The table of the reflected IEEE 802.3 polynomial, as zip uses it.
constexpr std::array<std::uint32_t, 256> crc_table = [] {
    std::array<std::uint32_t, 256> table{};
    for (std::uint32_t i = 0; i < 256; ++i) {
        std::uint32_t c = i;
        for (int k = 0; k < 8; ++k) c = (c & 1u) != 0 ? 0xEDB88320u ^ c >> 1 : c >> 1;
        table[i] = c;
    }
    return table;
}();
std::uint32_t crc32_of(std::span<const std::byte> bytes, std::uint32_t before = 0) {
    std::uint32_t c = ~before;
    for (const std::byte b : bytes) c = crc_table[(c ^ std::to_integer<std::uint32_t>(b)) & 255u] ^ c >> 8;
    return ~c;
}
#endif

/// Returns a little-endian number of `width` bytes.
std::uint64_t number_at(std::span<const std::byte> bytes, std::size_t at, std::size_t width) {
    std::uint64_t n = 0;
    for (std::size_t i = width; i-- > 0;) n = n << 8 | std::to_integer<std::uint64_t>(bytes[at + i]);
    return n;
}
std::string_view text_at(std::span<const std::byte> bytes, std::size_t at, std::size_t count) {
    return {reinterpret_cast<const char*>(bytes.data()) + at, count};
}

template <class Bits>
Bits bits_at(const std::byte* from, bool swap) {
    std::array<std::byte, sizeof(Bits)> bytes{};
    std::memcpy(bytes.data(), from, sizeof(Bits));
    if (swap) std::reverse(bytes.begin(), bytes.end());
    return std::bit_cast<Bits>(bytes);
}

}  // namespace

void NpzFile::refuse(const std::string& place, std::string expected, std::string found) const {
    throw DataError(path_, place, std::move(expected), std::move(found));
}

std::vector<std::byte> NpzFile::fetch(std::uint64_t at, std::uint64_t count) const {
    if (count > size_ || at > size_ - count)
        refuse(sentence("byte ", at), sentence(count, " bytes of a zip archive"), sentence("a file of ", size_));
    std::vector<std::byte> bytes(static_cast<std::size_t>(count));
    const auto [got, code] = storage::read_at(file_.number(), at, bytes);
    if (got < bytes.size())
        refuse(sentence("byte ", at + got), "a readable file",
               code != 0 ? storage::system_text(code) : "the end of the file");
    return bytes;
}

NpzFile::NpzFile(std::string path) : path_(storage::placed(std::move(path))) {
    file_ = storage::open_to_read(path_, storage::Opening::at_once);
    storage::FileState state;
    if (!file_ || !storage::look_at(file_, state)) throw DataError::unreadable(path_, "", storage::system_text(errno));
    if (!state.is_file) refuse("", "a readable file", state.is_directory ? "a directory" : "a device or pipe");
    size_ = state.size;
    // The end of the archive: 22 bytes and a comment of at most 65535.
    const std::uint64_t tail_size = std::min<std::uint64_t>(size_, 22 + 65535), tail_at = size_ - tail_size;
    const std::vector<std::byte> tail = fetch(tail_at, tail_size);
    const std::size_t end = text_at(tail, 0, tail.size()).rfind(std::string_view("PK\5\6", 4));
    if (end == std::string_view::npos || tail.size() - end < 22)
        refuse("", "a .npz file (a zip archive)", "no end of a zip archive (truncated file?)");
    const std::uint64_t count = number_at(tail, end + 10, 2), length = number_at(tail, end + 12, 4),
                        begin = number_at(tail, end + 16, 4);
    if (begin == four_gib || count == 65535) refuse("", "a zip archive below 4 GiB", "a zip64 archive");
    if (begin > tail_at + end || length > tail_at + end - begin)
        refuse(sentence("byte ", tail_at + end), "a directory of the archive within the file",
               sentence(length, " bytes at byte ", begin));
    const std::vector<std::byte> directory = fetch(begin, length);
    std::size_t at = 0;
    std::uint64_t taken = 0;  // members that share bytes could unpack to far more than the file
    std::set<std::string> names;
    for (std::uint64_t i = 0; i < count; ++i) {
        const std::string place = sentence("byte ", begin + at);
        if (directory.size() - at < 46 || text_at(directory, at, 4) != std::string_view("PK\1\2", 4))
            refuse(place, sentence("an entry of the archive's directory, ", i + 1, " of ", count), "other bytes");
        const auto part = [&](std::size_t offset, std::size_t width) {
            return number_at(directory, at + offset, width);
        };
        const std::size_t name = part(28, 2), behind = part(30, 2) + part(32, 2);
        if (directory.size() - at - 46 < name + behind)
            refuse(place, "an entry of the archive's directory", "the end of the directory");
        NpzArray member;
        member.name = text_at(directory, at + 46, name);
        member.crc = static_cast<std::uint32_t>(part(16, 4));
        member.packed = part(20, 4), member.size = part(24, 4), member.member = part(42, 4);
        const std::uint64_t method = part(10, 2);
        member.deflated = method == 8;
        at += 46 + name + behind;
        const std::string quoted = storage::quotation(member.name);
        if (method != 0 && method != 8)
            refuse(quoted, "a member that is stored or deflated", sentence("method ", method));
        if (method == 0 && member.packed != member.size)
            refuse(quoted, sentence(member.size, " bytes, because the member is stored"), sentence(member.packed));
        const std::vector<std::byte> local = fetch(member.member, 30);
        if (text_at(local, 0, 4) != std::string_view("PK\3\4", 4) || (number_at(local, 6, 2) & 1u) != 0)
            refuse(quoted, "a member that is not encrypted", "an encrypted or missing member");
        member.member += 30 + number_at(local, 26, 2) + number_at(local, 28, 2);
        if (member.member > begin || member.packed > begin - member.member)
            refuse(quoted, "a member in front of the archive's directory",
                   sentence(member.packed, " bytes at byte ", member.member));
        taken += member.packed;
        if (taken > begin) refuse(quoted, "members that do not overlap", "more bytes than the file has");
        if (!names.insert(member.name).second)
            refuse(quoted, "unique names of members", "a second member of this name");
        add(member);
    }
    if (at != directory.size()) refuse("", sentence("a directory of ", count, " entries"), "more bytes");
}

void NpzFile::add(const NpzArray& member) {
    NpzArray array = member;
    const std::string place = storage::quotation(array.name);
    if (!array.name.ends_with(".npy"))
        refuse(place, "names of NumPy arrays, which end in .npy", "a member with a different ending");
    array.name.resize(array.name.size() - 4);
    if (storage::utf8_fault(array.name) != std::string::npos) refuse(place, "a name in UTF-8", "other bytes");
    const auto start = unpacked(array, std::min<std::uint64_t>(array.size, 12));
    const bool magic = start.size() == 12 && text_at(start, 0, 6) == "\x93NUMPY" && start[6] >= std::byte{1} &&
                       start[6] <= std::byte{3};
    if (!magic) refuse(place, "a .npy array of version 1 to 3", "other bytes");
    const std::size_t width = start[6] == std::byte{1} ? 2 : 4;
    const std::uint64_t length = number_at(start, 8, width);
    array.header = 8 + width + length;
    if (length > longest_header || array.header > array.size)
        refuse(place, sentence("a header of at most ", std::min(longest_header, array.size), " bytes"),
               sentence(length));
    const auto front = unpacked(array, array.header);
    std::string_view line = text_at(front, 8 + width, static_cast<std::size_t>(length));
    line.remove_suffix(line.ends_with('\n') ? 1 : 0);
    array.npy = storage::npy_header(line, path_, sentence(place, ", "), 8 + width);
    const auto bytes = storage::byte_count(array.npy.type, array.npy.shape);
    if (!bytes || *bytes != array.size - array.header)
        refuse(place, sentence("as many bytes as shape ", shape_text(array.npy.shape), " of ", array.npy.descr, " has"),
               sentence(array.size - array.header));
    arrays_.push_back(std::move(array));
}

std::vector<std::byte> NpzFile::unpacked(const NpzArray& array, std::uint64_t count) const {
    if (!array.deflated) {
        std::vector<std::byte> bytes = fetch(array.member, count);
        if (count == array.size && crc32_of(bytes) != array.crc)
            refuse(storage::quotation(array.name), "bytes with the checksum in the archive",
                   "bytes with another checksum");
        return bytes;
    }
#ifdef SIGMA_ZLIB
    // A deflated byte unpacks to 1032 at most (https://zlib.net/zlib_tech.html), so that a small file claims no memory.
    if (count / 1032 > array.packed + 1)
        refuse(storage::quotation(array.name), sentence(count, " bytes"), sentence(array.packed, " packed bytes"));
    const std::vector<std::byte> packed = fetch(array.member, array.packed);
    std::vector<std::byte> bytes(static_cast<std::size_t>(count));
    z_stream state{};
    if (inflateInit2(&state, -15) != Z_OK) throw std::bad_alloc();
    state.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(packed.data()));
    state.avail_in = static_cast<uInt>(packed.size());
    state.next_out = reinterpret_cast<Bytef*>(bytes.data());
    state.avail_out = static_cast<uInt>(bytes.size());
    const int code = inflate(&state, Z_SYNC_FLUSH);
    const bool whole = count == array.size;
    const bool good = state.avail_out == 0 &&
                      (whole ? code == Z_STREAM_END : code == Z_OK || code == Z_STREAM_END || code == Z_BUF_ERROR);
    inflateEnd(&state);
    if (!good || (whole && crc32_of(bytes) != array.crc))
        refuse(storage::quotation(array.name), "intact compressed bytes", "damaged bytes");
    return bytes;
#else
    refuse(storage::quotation(array.name), "an uncompressed array of numpy.savez (zlib is not linked)",
           "an array of numpy.savez_compressed");
#endif
}

std::vector<double> NpzFile::read(const NpzArray& array) const {
    const Dtype type = array.npy.type;
    const std::vector<std::uint64_t>& shape = array.npy.shape;
    const bool swap = array.npy.order == std::endian::big;
    const std::vector<std::byte> bytes = unpacked(array, array.size);
    const std::size_t width = size_of(type), count = (bytes.size() - array.header) / width;
    std::vector<double> values(count);
    const auto value = [&](std::size_t i) -> double {
        const std::byte* from = bytes.data() + array.header + i * width;
        if (type == Dtype::f64) return std::bit_cast<double>(bits_at<std::uint64_t>(from, swap));
        if (type == Dtype::f32) return static_cast<double>(std::bit_cast<float>(bits_at<std::uint32_t>(from, swap)));
        return static_cast<double>(storage::from_f16(bits_at<std::uint16_t>(from, swap)));
    };
    const std::size_t rank = shape.size();
    std::vector<std::size_t> index(rank, 0);
    for (std::size_t i = 0; i < count; ++i) {
        std::size_t from = i;
        if (array.npy.fortran_order) {
            from = 0;
            for (std::size_t axis = rank; axis-- > 0;) from = from * shape[axis] + index[axis];
            for (std::size_t axis = rank; axis-- > 0 && ++index[axis] == shape[axis];) index[axis] = 0;
        }
        values[i] = value(from);
    }
    return values;
}

void save_npz(const std::string& path, const std::vector<NpzMember>& members) {
    const auto number = [](std::string& to, std::uint64_t n, int width) {
        for (int i = 0; i < width; ++i) to += static_cast<char>(n >> 8 * i & 255);
    };
    std::vector<std::string> fronts;
    std::string directory;
    std::uint64_t at = 0;
    for (const NpzMember& m : members) {
        std::string line = sentence("{'descr': '<", storage::npy_name(m.type), "', 'fortran_order': False, 'shape': (");
        for (std::size_t i = 0; i < m.shape.size(); ++i) line += sentence(i == 0 ? "" : " ", m.shape[i], ",");
        if (m.shape.size() > 1) line.pop_back();
        line += "), }";
        line.append(63 - (10 + line.size()) % 64, ' ');  // as NumPy: elements begin at a multiple of 64
        line += '\n';
        std::string header("\x93NUMPY\1\0", 8);
        number(header, line.size(), 2);
        header += line;
        const std::uint64_t size = header.size() + m.bytes.size();
        const std::string name = m.name + ".npy";
        if (size >= four_gib || at >= four_gib - size || members.size() >= 65535)
            throw ArgumentError(sentence("file '", path, "'"), "a .npz file below 4 GiB",
                                "a larger file (use .safetensors, which has no limit)");
        std::string facts;  // version 2.0, names in UTF-8, stored, 1 January 1980
        for (const int word : {20, 1 << 11, 0, 0, 33}) number(facts, static_cast<std::uint64_t>(word), 2);
        number(facts, crc32_of(m.bytes, crc32_of(std::as_bytes(std::span(header)))), 4);
        number(facts, size, 4), number(facts, size, 4), number(facts, name.size(), 2), number(facts, 0, 2);
        directory += std::string("PK\1\2\24\0", 6) + facts + std::string(10, '\0');
        number(directory, at, 4);
        directory += name;
        fronts.push_back(std::string("PK\3\4", 4) + facts + name + header);
        at += fronts.back().size() + m.bytes.size();
    }
    const std::uint64_t length = directory.size();
    directory += std::string("PK\5\6\0\0\0\0", 8);
    number(directory, members.size(), 2), number(directory, members.size(), 2);
    number(directory, length, 4), number(directory, at, 4), number(directory, 0, 2);
    std::vector<std::span<const std::byte>> pieces;
    for (std::size_t i = 0; i < members.size(); ++i) {
        pieces.push_back(std::as_bytes(std::span(fronts[i])));
        pieces.push_back(members[i].bytes);
    }
    pieces.push_back(std::as_bytes(std::span(directory)));
    write_file_atomically(path, pieces);
}

}  // namespace sigma::detail
