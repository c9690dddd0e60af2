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

/// Arrays in NumPy's .npz files: a zip archive (PKWARE's APPNOTE 6.3.10) of .npy members (NumPy Enhancement Proposal
/// 1).
namespace sigma::detail {

/// An array of such a file. Elements are what `read` makes of them, row-major.
struct NpzArray {
    std::string name;  ///< without ".npy"
    storage::NpyHeader said;
    std::uint64_t member = 0;  ///< where its bytes begin in the file,
    std::uint64_t packed = 0;  ///< how many there are,
    std::uint64_t size = 0;    ///< and how many they unpack to
    std::uint64_t header = 0;  ///< bytes before the first element
    std::uint32_t crc = 0;
    bool deflated = false;
};

/// Opening reads what the archive and each array say of themselves, in memory that does not depend on what they claim.
/// Everything throws DataError. Archives of 4 GiB or more, and members that are encrypted, are refused; compressed ones
/// too where zlib is not linked.
class NpzFile {
public:
    /// A relative path is below the storage of the workspace in use.
    explicit NpzFile(std::string path);

    const std::string& path() const { return path_; }
    const std::vector<NpzArray>& arrays() const { return arrays_; }
    /// The elements of an array of f2, f4 or f8.
    std::vector<double> read(const NpzArray& array) const;

private:
    void add(const NpzArray& member);
    std::vector<std::byte> fetch(std::uint64_t at, std::uint64_t count) const;
    /// The first `count` bytes of what a member unpacks to; all of them are checked against its checksum.
    std::vector<std::byte> unpacked(const NpzArray& array, std::uint64_t count) const;
    [[noreturn]] void refuse(const std::string& place, std::string expected, std::string found) const;

    std::string path_;
    storage::Descriptor file_;
    std::uint64_t size_ = 0;
    std::vector<NpzArray> arrays_;
};

/// An array to be written; the bytes are little-endian and row-major.
struct NpzMember {
    std::string name;
    Dtype type;
    std::vector<std::uint64_t> shape;
    std::span<const std::byte> bytes;
};
/// Replaces the file as a whole (AtomicFile). Stored members in the order given, the same bytes every time.
void save_npz(const std::string& path, const std::vector<NpzMember>& members);

}  // namespace sigma::detail
