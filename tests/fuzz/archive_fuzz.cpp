// SPDX-License-Identifier: BSL-1.0
// Any bytes are either refused with a DataError or an archive: then its entries can be read one by one by their names,
// and it is extracted or refused as a whole.
#include <sigma/data/source/source.hpp>
#include <sigma/data/source/unpack.hpp>

#include "../support/scratch.hpp"
#include "target.hpp"

#include <filesystem>

namespace {

using namespace sigma::data;

constexpr std::size_t most = 1u << 20;

void read(const Source& source) {
    const auto stream = source.open();
    std::vector<std::byte> some(10000);
    while (stream->read(some) > 0) continue;
}

void extract_somewhere(const Source& source) {
    const Scratch folder;
    try {
        extract(source, folder / "data", {.bytes = most, .entries = 50});
        std::filesystem::remove_all(folder.path / "data");
    } catch (const sigma::DataError& refusal) {
        fuzz::require_printable(refusal);
    } catch (const sigma::StorageError&) {  // of what the disk cannot hold
    }
    fuzz::require(std::filesystem::is_empty(folder.path));
}

}  // namespace

bool fuzz_accepts(const std::uint8_t* data, std::size_t size) try {
    const Source source = memory(std::as_bytes(std::span(data, size)));
    try {
        read(unpacked(source, most));
    } catch (const sigma::DataError& refusal) { fuzz::require_printable(refusal); }
    const std::vector<ArchiveEntry> all = entries(source, most);
    int count = 0;
    for (const ArchiveEntry& one : all)
        if (one.kind == ArchiveEntry::Kind::file && ++count < 5) read(entry(source, one.name, most));
    extract_somewhere(source);
    return !all.empty();
} catch (const sigma::DataError& refusal) {
    fuzz::require_printable(refusal);
    return false;
}
