// SPDX-License-Identifier: BSL-1.0
// What all fuzz targets share. Each is a program of its own, of driver.cpp or, with clang's -fsanitize=fuzzer, of
// libfuzzer.cpp.
#pragma once
#include <sigma/storage/utf8.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

/// The target: is this input accepted?
bool fuzz_accepts(const std::uint8_t* data, std::size_t size);
/// A target may have it: it makes lengths and the like right after a change, so that it reaches what lies behind checks
/// of them; driver.cpp calls it.
void fuzz_repair(std::string& bytes);

/// An input in addition to the files of the corpus.
struct FuzzSeed {
    std::string name;  ///< As of a file: `valid…` must be accepted, any other refused.
    std::string bytes;
};
/// Optional: inputs that would be large files.
std::vector<FuzzSeed> fuzz_seeds();

namespace fuzz {

inline void require(bool holds) {
    if (!holds) std::abort();
}
/// Messages can always be printed.
template <class Refusal>
void require_printable(const Refusal& refusal) {
    require(sigma::storage::utf8_fault(refusal.what()) == std::string_view::npos);
}

}  // namespace fuzz
