// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/error.hpp>
#include <sigma/device/gpu/generate/instructions.hpp>

#include <algorithm>

namespace sigma::on_gpu {

namespace detail {

/// The text of reductions over columns. One thread computes a short reduction. Otherwise a block processes up to 32
/// adjacent columns, and several threads of it share the rows of each column and combine their results in the block's
/// memory. A long reduction of few columns is first divided into parts.
class ColumnsText : FusedText {
public:
    using FusedText::FusedText;

    GeneratedKernel generate() const {
        if (rows() > 0 && rows() <= 16) return {{{column_by_column(), 256, count(), 256, 0}}, 0};
        const Generated whole{text(Form::whole), threads, tiles(), 1, 0};
        const bool few = count() > 0 && tiles() <= 256;  // too few for a device without parts
        if (!few || (rows() > 0 && rows() < GeneratedKernel::many_rows)) return {{whole}, 0};
        const long long number = most_parts();
        const std::vector<Generated> cut{
            {text(Form::parts), threads, coded_product(rows(), tiles()), part, number * tiles()},
            {text(Form::combination), threads, tiles(), 1, 0}};
        int reductions = 0;
        for (const sigma::detail::Instruction& n : instructions) reductions += n.opcode == Opcode::reduce;
        if (rows() > 0) return {cut, reductions * number * count()};
        // For many_rows rows and more there are at most rows / 100 parts of `part` rows.
        static_assert(part == 128 && GeneratedKernel::many_rows >= 512);
        return {{whole}, -((reductions * count() * -rows() + 99) / 100), cut, {}, rows()};
    }

private:
    enum class Form {
        whole,        ///< all in one launch
        parts,        ///< reductions of parts of the rows, stored in scratch memory
        combination,  ///< reductions of the parts, and the code that follows
    };
    static constexpr int threads = 512, part = 128;

    int first() const { return k.outer + k.reduced; }
    long long rows() const { return coded_count(k, k.outer, first()); }
    long long columns() const { return coded_count(k, first(), k.rank); }
    /// Returns the number of columns over all outer loops, coded.
    long long count() const { return coded_product(coded_count(k, 0, k.outer), columns()); }
    int width() const {
        int width = 32;
        while (width > 1 && columns() > 0 && width / 2 >= columns()) width /= 2;
        return width;
    }
    long long tiles() const {
        const long long across =
            columns() < 0 ? -((-columns() + width() - 1) / width()) : (columns() + width() - 1) / width();
        return coded_product(coded_count(k, 0, k.outer), across);
    }
    long long most_parts() const { return std::clamp<long long>(1024 / tiles(), 4, 256); }

    /// Returns the code that adds one row of a column to the registers of its reductions.
    std::string row() const {
        std::string text = positions("i", k.outer, first());
        for (int i = 0; i < size(); ++i) {
            const sigma::detail::Instruction& n = at(i);
            if (n.level == 0 || n.sweep != 0) continue;
            if (n.opcode == Opcode::load)
                text += set(i, sentence("*(q", n.argument) + distance(n.argument, k.outer, first()) + ")");
            if (n.opcode == Opcode::evaluate) text += set(i, value(n));
            if (n.opcode == Opcode::reduce) text += gather(i);
        }
        return text;
    }
    std::string from_scratch(int i, const std::string& which) const {
        return sentence("w.scratch[(", slot(i), " * parts + ", which, ") * ", coded_text(count()), " + cell]");
    }
    /// Returns the code in which the first thread of each column combines the results of the others.
    std::string meet(Form form) const {
        std::string text;
        for (int i = 0; i < size(); ++i) {
            const sigma::detail::Instruction& n = at(i);
            if (n.opcode != Opcode::reduce) continue;
            text += sentence("shared[SIGMA_THREAD] = ", t(i)) +
                    ";\nSIGMA_SYNC();\nif (mine && y == 0)\nfor (int j = 1; j < height; ++j) " +
                    gather(i, "shared[x + j * width]") + "SIGMA_SYNC();\n";
            if (form == Form::parts)
                text += sentence("if (mine && y == 0) ", from_scratch(i, "part")) + " = " + t(i) + ";\n";
        }
        return text;
    }
    /// Returns the code that runs once per column.
    std::string after() const {
        std::string text;
        for (int i = 0; i < size(); ++i) {
            const sigma::detail::Instruction& n = at(i);
            const std::string place = sentence("q", n.argument) + "[0]";
            if (n.opcode == Opcode::reduce) {
                text += set(i, t(i));
                if (n.argument >= 0) text += place + " = " + r(i) + ";\n";
            } else if (n.level > 0 && n.sweep > 0) {
                if (n.opcode == Opcode::load) text += set(i, place);
                if (n.opcode == Opcode::evaluate) text += set(i, value(n));
                if (n.opcode == Opcode::store) text += place + " = " + r(n.a) + ";\n";
            }
        }
        return text;
    }
    /// Returns the definitions of q0, q1, …, the beginnings of columns.
    std::string places() const {
        std::string text = positions("o", 0, k.outer) + positions("column", first(), k.rank);
        for (int a = 0; a < argument_count(); ++a)
            text += sentence(type, "* const q", a, " = w.p", a, distance(a, 0, k.outer), distance(a, first(), k.rank),
                             ";\n");
        return text;
    }
    std::string column_by_column() const {
        return math + words_text(element, argument_count()) + "SIGMA_KERNEL(@, 256, @_words) {\n" + once() +
               "for (long long cell = SIGMA_BLOCK * SIGMA_THREADS + SIGMA_THREAD; cell < " + coded_text(count()) +
               "; cell += SIGMA_BLOCKS * SIGMA_THREADS) {\nconst long long o = sigma_quotient(cell, " +
               coded_text(columns()) + "), column = cell - o * " + coded_text(columns()) + ";\n" + open(0) + places() +
               "SIGMA_UNROLL\nfor (int i = 0; i < " + coded_text(rows()) + "; ++i) {\n" + row() + "}\n" + after() +
               "}\n}\n";
    }
    std::string text(Form form) const {
        const std::string across = coded_text(columns()), w = sentence(width());
        std::string text = sentence(math, words_text(element, argument_count()), "SIGMA_KERNEL(@, ", threads,
                                    ", @_words) {\nSIGMA_SHARED ", type, " shared[", threads, "];\n", once());
        text += "const int width = SIGMA_THREADS < " + w + " ? SIGMA_THREADS : " + w +
                ", x = SIGMA_THREAD % width, y = SIGMA_THREAD / width, height = SIGMA_THREADS / width;\n"
                "const long long tiles = (" +
                across + " + width - 1) / width, all = tiles * " + coded_text(coded_count(k, 0, k.outer)) +
                ", rows = " + coded_text(rows()) + ";\n";
        if (form != Form::whole)
            text += sentence("const long long wanted = (rows + ", part - 1, ") / ", part, ", parts = wanted > ",
                             most_parts(), " ? ", most_parts(),
                             " : wanted < 1 ? 1 : wanted, each = (rows + parts - 1) / parts;\n");
        text += form == Form::parts
                    ? "for (long long block = SIGMA_BLOCK; block < all * parts; block += SIGMA_BLOCKS) {\n"
                      "const long long part = sigma_quotient(block, all), tile = block - part * all;\n"
                    : "for (long long tile = SIGMA_BLOCK; tile < all; tile += SIGMA_BLOCKS) {\n";
        text +=
            "const long long o = sigma_quotient(tile, tiles), column = (tile - o * tiles) * width + x;\n"
            "const bool mine = column < " +
            across + " && y < height;\n";
        if (form != Form::whole) text += "const long long cell = o * " + across + " + column;\n";
        text += open(0) + places() + "if (mine) {\n";
        if (form != Form::combination)
            text += "#ifndef SIGMA_HOST\n#pragma unroll 4\n#endif\n";  // several loads at once
        if (form == Form::whole) text += sentence("for (long long i = y; i < rows; i += height) {\n", row()) + "}\n";
        if (form == Form::parts)
            text +=
                "for (long long i = part * each + y, end = (part + 1) * each < rows ? (part + 1) * each : rows; i < "
                "end; i += "
                "height) {\n" +
                row() + "}\n";
        if (form == Form::combination) {
            text += "for (long long i = y; i < parts; i += height) {\n";
            for (int i = 0; i < size(); ++i)
                if (at(i).opcode == Opcode::reduce) text += gather(i, from_scratch(i, "i"));
            text += "}\n";
        }
        text += sentence("}\n", meet(form));
        if (form != Form::parts) text += sentence("if (mine && y == 0) {\n", after()) + "}\n";
        return text + "}\n}\n";
    }
};

}  // namespace detail

/// Returns the launches of reductions over leading axes, followed by elementwise code.
inline GeneratedKernel generate_columns(const sigma::detail::PlanView& plan, const sigma::detail::Kernel& k) {
    return detail::ColumnsText(plan, k).generate();
}

}  // namespace sigma::on_gpu
