// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/storage/dtype.hpp>
#include <sigma/storage/file.hpp>
#include <sigma/storage/npy.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

// Arrays in NumPy's .npz files: a zip archive (PKWARE's APPNOTE 6.3.10) of .npy members (NumPy Enhancement Proposal
// 1).
namespace sigma::detail {

/// An array of a file. `read` returns its elements in row-major order.
struct NpzArray {
    std::string name;  ///< Name, without ".npy".
    storage::NpyHeader npy;
    std::uint64_t member = 0;  ///< Position of its first byte in the file.
    std::uint64_t packed = 0;  ///< Number of bytes in the file.
    std::uint64_t size = 0;    ///< Number of unpacked bytes.
    std::uint64_t header = 0;  ///< Unpacked bytes before the first element.
    std::uint32_t crc = 0;
    bool deflated = false;
};

/// A .npz file. The constructor reads the headers of the archive and the arrays, in memory that does not depend on
/// their contents. All functions throw DataError. Archives of 4 GiB or more and encrypted members are rejected, and
/// compressed members if zlib is not linked.
class NpzFile {
public:
    /// Opens a file. A relative path is relative to the storage of the current workspace.
    explicit NpzFile(std::string path);

    const std::string& path() const { return path_; }
    const std::vector<NpzArray>& arrays() const { return arrays_; }
    /// Returns the elements of an array.
    std::vector<double> read(const NpzArray& array) const;

private:
    void add(const NpzArray& member);
    std::vector<std::byte> fetch(std::uint64_t at, std::uint64_t count) const;
    /// Unpacks the first `count` bytes of a member. Verifies the checksum if these are all bytes.
    std::vector<std::byte> unpacked(const NpzArray& array, std::uint64_t count) const;
    [[noreturn]] void refuse(const std::string& place, std::string expected, std::string found) const;

    std::string path_;
    storage::Descriptor file_;
    std::uint64_t size_ = 0;
    std::vector<NpzArray> arrays_;
};

/// An array to write. The bytes are little-endian and row-major.
struct NpzMember {
    std::string name;
    Dtype type;
    std::vector<std::uint64_t> shape;
    std::span<const std::byte> bytes;
};
/// Writes a file as a whole (AtomicFile), with uncompressed members in this order. The bytes depend only on the arrays.
void save_npz(const std::string& path, const std::vector<NpzMember>& members);

}  // namespace sigma::detail
