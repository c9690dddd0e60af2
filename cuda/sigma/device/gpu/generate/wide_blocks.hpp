// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/device/gpu/generate/sorted.hpp>

#include <algorithm>
#include <initializer_list>
#include <limits>
#include <string>
#include <vector>

namespace sigma::on_gpu::detail {

/// A kernel on blocks, and the places of its blocks.
struct Blocks {
    sigma::detail::BlockKernel kernel;
    std::vector<sigma::detail::Argument> arguments;

    Blocks(const sigma::detail::PlanView& plan, const sigma::detail::Kernel& k) : kernel(k.block) {
        const auto all = plan.arguments_of(k);
        arguments.assign(all.begin(), all.end());
    }
    /// Returns the kernel with blocks of one element for some arguments; the blocks of the others stay unchanged.
    Blocks by_element(std::initializer_list<std::size_t> some) const {
        Blocks each = *this;
        const auto loop = static_cast<std::size_t>(each.kernel.rank++);
        for (const std::size_t a : some) {
            each.kernel.extent[loop] = kernel.blocks[a].columns;
            each.arguments[a].stride[loop] = kernel.blocks[a].column;
            each.kernel.blocks[a].columns = 1;
        }
        for (std::size_t a = 0; a < arguments.size(); ++a)
            if (std::find(some.begin(), some.end(), a) == some.end()) each.arguments[a].stride[loop] = 0;
        return each;
    }
    int columns(std::size_t argument) const { return kernel.blocks[argument].columns; }
    std::string element_text(std::size_t argument, const std::string& number) const {
        return sentence(".p", argument, "[", number, " * ", kernel.blocks[argument].column, "]");
    }

    long long count() const {
        long long all = 1;
        for (int i = 0; i < kernel.rank; ++i) all = coded_times(all, kernel.extent[i]);
        return all;
    }
    std::string count_text() const { return coded_text(count()); }
    /// Returns the function `@_of(w, at)`, which computes the beginning of block number `at` of each argument: `p0`,
    /// `p1`, … of a `@_blocks`.
    std::string addresses_text(const std::string& type) const {
        std::string members, pointers, steps;
        for (std::size_t a = 0; a < arguments.size(); ++a) {
            members += sentence("    ", type, "* p", a, ";\n");
            pointers += sentence(a > 0 ? ", " : "", "w.p", a);
        }
        for (int i = kernel.rank; i-- > 0;) {
            const std::string extent = coded_text(kernel.extent[i]);
            steps += sentence("    x = at % ", extent, ";\n    at /= ", extent, ";\n");
            for (std::size_t a = 0; a < arguments.size(); ++a)
                if (const int stride = arguments[a].stride[i]; stride != 0)
                    steps += sentence("    p.p", a, " += x * ", coded_text(stride), ";\n");
        }
        return sentence("struct @_blocks {\n", members,
                        "};\nSIGMA_DEVICE @_blocks @_of(const @_words& w, long long at) {\n", "    @_blocks p = {",
                        pointers, "};\n    long long x = 0;\n", steps,
                        "    (void)x;\n    (void)at;\n    return p;\n}\n");
    }
};

/// Number of columns from which on a sort of all rows is assumed to be faster than a thread for each row (estimated).
inline constexpr int wide_row = 256;

inline long long least_of(const Blocks& of) {
    return of.columns(0) >= wide_row ? 0 : std::numeric_limits<long long>::max();
}

/// Number of rows from which on a thread for each row uses the device well, if it reads its row once (estimated).
inline constexpr long long many_rows = 1 << 14;

/// Adds an argsort by sorts: by the words of the numbers, the lowest first, then by their rows, so that rows end
/// together.
inline void add_sorted_argsort(GeneratedKernel& to, const sigma::detail::PlanView& plan, const Blocks& of) {
    const std::string type = type_text(plan.element), addresses = of.addresses_text(type);
    const int columns = of.columns(0), results = of.columns(1);
    const long long blocks = of.count(), pairs = coded_times(blocks, columns);
    const auto launch = [&](long long items, const std::string& body) {
        to.other.push_back(sorted_launch(plan.element, 2, pairs, items, addresses, body));
    };
    const int words = static_cast<int>(bytes_of(plan.element) / 4);
    for (int word = 0; word < words; ++word)
        launch(pairs, shared_out("count", sentence(word == 0 ? "        numbers[at] = (int)at;\n" : "",
                                                   "        const long long from = numbers[at];\n"
                                                   "        keys[at] = sigma_ordered_word(@_of(w, from / ",
                                                   columns, ")", of.element_text(0, sentence("(from % ", columns, ")")),
                                                   ", ", word, ", ", of.kernel.option ? "true" : "false", ");\n")));
    if (of.kernel.rank > 0)
        launch(pairs, shared_out("count", sentence("        keys[at] = (sigma_u32)(numbers[at] / ", columns, ");\n")));
    launch(coded_times(blocks, results),
           shared_out(sentence(coded_text(blocks), " * ", results, "ll"),
                      sentence("        const long long row = at / ", results, ", i = at % ", results,
                               ";\n        @_of(w, row)", of.element_text(1, "i"), " = (", type, ")(numbers[row * ",
                               columns, " + i] - row * ", columns, ");\n")));
    to.sorting = {pairs, pairs, least_of(of)};
    if (8 * results <= columns) to.sorting.most = std::min(to.sorting.most, many_rows * columns);
}

/// Adds a scatter by a sort: by the element of all rows that is added to.
inline void add_sorted_scatter(GeneratedKernel& to, const sigma::detail::PlanView& plan, const Blocks& of) {
    const std::string type = type_text(plan.element), addresses = of.addresses_text(type);
    const int columns = of.columns(0), results = of.columns(2);
    const long long pairs = coded_times(of.count(), columns), all = coded_times(of.count(), results);
    const std::string none = sentence("(sigma_u32)(", coded_text(all), ")");
    const std::string key = sentence("        const long long row = at / ", columns, ", to = sigma_row(@_of(w, row)",
                                     of.element_text(1, sentence("(at % ", columns, ")")), ", ", results,
                                     "ll);\n        keys[at] = to < 0 ? ", none, " : (sigma_u32)(row * ", results,
                                     " + to);\n        numbers[at] = (int)at;\n");
    const std::string clear = sentence("        @_of(w, at / ", results, ")",
                                       of.element_text(2, sentence("(at % ", results, ")")), " = 0;\n");
    const std::string segments =
        sentence("struct @_segments {\n    const @_words& w;\n    SIGMA_MEMBER ", type,
                 " value(long long number, long long) const { return @_of(w, number / ", columns, ")",
                 of.element_text(0, sentence("(number % ", columns, ")")), "; }\n    SIGMA_MEMBER ", type,
                 "* to(long long key, long long) const { return &@_of(w, key / ", results, ")",
                 of.element_text(2, sentence("(key % ", results, ")")), "; }\n};\n");
    to.other.push_back(sorted_launch(plan.element, 3, pairs, results > columns ? all : pairs, addresses,
                                     shared_out("count", key) + shared_out(coded_text(all), clear)));
    to.other.push_back(sorted_launch(
        plan.element, 3, pairs, pairs, addresses + segments,
        sentence("    sigma_sum_segments<", type, ">(@_segments{w}, keys, numbers, count, 1, ", none, ");\n")));
    to.sorting = {pairs, all, least_of(of)};
}

}  // namespace sigma::on_gpu::detail
