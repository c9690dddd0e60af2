// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/error.hpp>
#include <sigma/plan/plan_view.hpp>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace sigma::on_gpu {

/// One launch of a kernel, as text in the language of kernels/language.hpp, for one kernel of a plan. The text defines
/// `struct @_words` and `SIGMA_KERNEL(@, threads, @_words) { … }`; @ stands for a name, so that equal texts become one
/// kernel. Extents and strides are constants in it; arguments come as words of eight bytes (see words_text):
///   pointers to the arguments of the plan's kernel, moved to their offset and position in time;
///   `long long records`; `const sigma_counters*`; a pointer to scratch memory of this launch's kernel.
/// The text must be right for any number of blocks and, on a host, of threads: what there is to do is shared out by
/// strides of the grid. A device gives as many threads as are asked for.
struct Generated {
    std::string text;
    int threads = 256;            ///< in a block, on a device that has them
    long long items = 1;          ///< coded (negative: for each record): how much there is to do …
    long long items_a_block = 1;  ///< … and how much of it a block does at a time
    long long most_blocks = 0;    ///< 0: as many as there is work for, up to the device's own limit
};

/// Pairs of a key and a number that launches leave to each other in scratch memory: all keys, then all numbers, four
/// bytes each. They are sorted by key before each launch but the first; equal keys keep their order.
struct Sorting {
    long long pairs = 0;    ///< coded
    long long largest = 0;  ///< coded; what keys that count are less than. Like `pairs`, it must be an int's
    long long least = 0;    ///< pairs from which on it pays on a device …
    long long most = std::numeric_limits<std::int32_t>::max();  ///< … and up to which
};

/// All launches of one kernel of a plan, one after the other.
struct GeneratedKernel {
    std::vector<Generated> launches;
    long long scratch =
        0;  ///< elements, coded; memory that one launch leaves to the next, with no meaning before the first
    /// The same in another way, or nothing: by sorting in between, with the same bits; products and long columns with
    /// another order of sums.
    std::vector<Generated> other{};
    Sorting sorting{};
    long long rows = 0;  ///< of columns, coded: the other way, which alone takes the memory, pays from `many_rows` on
    static constexpr long long many_rows = 512;
};

/// What stands in a text for a coded extent or stride: "128", or "(128 * w.records)".
inline std::string coded_text(long long coded) {
    return coded < 0 ? sentence("(", -coded, " * w.records)") : sentence(coded);
}

inline const char* type_text(sigma::detail::ElementType element) {
    return element == sigma::detail::ElementType::float32 ? "float" : "double";
}

/// The struct of words of a kernel with so many arguments: w.p0, w.p1, …, w.records, w.counters, w.scratch.
inline std::string words_text(sigma::detail::ElementType element, int arguments) {
    const std::string type = type_text(element);
    std::string text = "struct @_words {\n";
    for (int i = 0; i < arguments; ++i) text += sentence("    ", type, "* p", i, ";\n");
    return text + "    long long records;\n    const sigma_counters* counters;\n    " + type + "* scratch;\n};\n";
}

}  // namespace sigma::on_gpu
