// SPDX-License-Identifier: BSL-1.0
// Any bytes are either refused with a DataError or a .npz file, each of whose arrays is read or refused, with as many
// elements as its shape says.
#include "foreign/npz.hpp"
#include "target.hpp"

#include <sigma/core/error.hpp>

#include <cstddef>
#include <fstream>
#include <string>

bool fuzz_accepts(const std::uint8_t* data, std::size_t size) try {
    const std::string path = "fuzzed.npz";
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
    const sigma::detail::NpzFile file(path);
    for (const sigma::detail::NpzArray& array : file.arrays()) {
        if (array.npy.type != sigma::Dtype::f16 && array.npy.type != sigma::Dtype::f32 &&
            array.npy.type != sigma::Dtype::f64)
            continue;
        std::size_t count = 1;
        for (const std::uint64_t extent : array.npy.shape) count *= static_cast<std::size_t>(extent);
        fuzz::require(file.read(array).size() == count);
    }
    return true;
} catch (const sigma::DataError& refusal) {
    fuzz::require_printable(refusal);
    return false;
}
