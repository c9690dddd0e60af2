// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/error.hpp>
#include <sigma/plan/plan_view.hpp>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace sigma::on_gpu {

/// One launch for a kernel of a plan, as a text in the language of kernels/language.hpp. The text defines `struct
/// @_words` and `SIGMA_KERNEL(@, threads, @_words) { … }`. @ stands for a name, so that equal texts become one kernel.
/// Extents and strides are constants in it. Arguments are words of eight bytes (see words_text):
///   pointers to the arguments of the plan's kernel, moved to their offset and position in time;
///   `long long records`; `const sigma_counters*`; a pointer to scratch memory of this launch's kernel.
/// The text must be correct for any number of blocks and, on a host, of threads: work is divided by strides of the
/// grid. A device provides the requested number of threads.
struct Generated {
    std::string text;
    int threads = 256;            ///< threads of a block, if the device has so many
    long long items = 1;          ///< amount of work, coded (negative: for each record) …
    long long items_a_block = 1;  ///< … and the part of it that a block does at a time
    long long most_blocks = 0;    ///< 0: as many as the work needs, up to the limit of the device
};

/// Pairs of a key and a number that launches pass on in scratch memory: all keys, then all numbers, of four bytes each.
/// They are stably sorted by key before each launch except the first.
struct Sorting {
    long long pairs = 0;    ///< number of pairs, coded
    long long largest = 0;  ///< upper bound of valid keys, coded. Like `pairs`, it must fit an int
    long long least = 0;    ///< least pairs for which it pays on a device …
    long long most = std::numeric_limits<std::int32_t>::max();  ///< … and most pairs
};

/// The launches of one kernel of a plan, in order.
struct GeneratedKernel {
    std::vector<Generated> launches;
    long long scratch = 0;  ///< elements, coded, of memory that launches pass on; undefined before the first launch
    /// The launches of another way, or none: with sorts in between and bit-identical results; for products and long
    /// columns with another order of sums.
    std::vector<Generated> other{};
    Sorting sorting{};
    long long rows =
        0;  ///< rows of columns, coded: the other way, which alone needs the scratch, pays from `many_rows`
    static constexpr long long many_rows = 512;
};

/// Returns a coded extent or stride as a text: "128" or "(128 * w.records)".
inline std::string coded_text(long long coded) {
    return coded < 0 ? sentence("(", -coded, " * w.records)") : sentence(coded);
}

inline const char* type_text(sigma::detail::ElementType element) {
    return element == sigma::detail::ElementType::float32 ? "float" : "double";
}

/// Returns the struct of words of a kernel: w.p0, w.p1, …, w.records, w.counters, w.scratch.
inline std::string words_text(sigma::detail::ElementType element, int arguments) {
    const std::string type = type_text(element);
    std::string text = "struct @_words {\n";
    for (int i = 0; i < arguments; ++i) text += sentence("    ", type, "* p", i, ";\n");
    return text + "    long long records;\n    const sigma_counters* counters;\n    " + type + "* scratch;\n};\n";
}

}  // namespace sigma::on_gpu
