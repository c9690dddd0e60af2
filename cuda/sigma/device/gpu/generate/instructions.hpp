// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/error.hpp>
#include <sigma/core/number_text.hpp>
#include <sigma/device/gpu/generated.hpp>
#include <sigma/device/gpu/kernels/math.hpp>
#include <sigma/plan/merged_maps.hpp>

#include <cmath>
#include <span>
#include <string>

namespace sigma::on_gpu {

/// Returns the product of coded factors, at most one of which contains the batch.
inline long long coded_product(long long a, long long b) {
    const long long product = std::abs(a) * std::abs(b);
    return a < 0 || b < 0 ? -product : product;
}
/// Returns the number of steps of loops `first` to `end` - 1 together, coded.
inline long long coded_count(const sigma::detail::FusedKernel& k, int first, int end) {
    long long count = 1;
    for (int i = first; i < end; ++i) count = coded_product(count, k.extent[i]);
    return count;
}

/// Returns a constant as a text that keeps its exact value.
inline std::string literal(double value, sigma::detail::ElementType element) {
    const std::string type = type_text(element);
    if (element == sigma::detail::ElementType::float32) value = static_cast<double>(static_cast<float>(value));
    if (std::isnan(value)) return "sigma_nan<" + type + ">()";
    if (std::isinf(value)) return (value < 0 ? "(-sigma_infinity<" : "(sigma_infinity<") + type + ">())";
    return sentence("(", sigma::detail::binary_text(value),
                    element == sigma::detail::ElementType::float32 ? "f)" : ")");
}

/// The registers in which an instruction at level 2 keeps values for later sweeps, or finds those of earlier ones:
/// `h`slot`[j]`.
struct Kept {
    int slot = -1;          ///< number of the register, or -1
    bool there = false;     ///< loads: an earlier sweep has kept the value
    bool needless = false;  ///< stores: only loads that find it in registers read it
};

/// The text of the micro-operations of a fused kernel: r12 is the result of instruction 12, t12 the current total of
/// reduction 12.
class FusedText {
public:
    using Opcode = sigma::detail::Instruction::Opcode;
    const sigma::detail::PlanView& plan;
    const sigma::detail::FusedKernel& k;
    const std::span<const sigma::detail::Instruction> instructions;
    const std::span<const sigma::detail::Argument> arguments;
    const sigma::detail::ElementType element;
    const std::string type;

    FusedText(const sigma::detail::PlanView& of, const sigma::detail::Kernel& kernel)
        : plan(of), k(kernel.fused), instructions(of.instructions_of(kernel)), arguments(of.arguments_of(kernel)),
          element(of.element), type(type_text(of.element)) {}

    int size() const { return static_cast<int>(instructions.size()); }
    const sigma::detail::Instruction& at(int i) const { return instructions[static_cast<std::size_t>(i)]; }
    const sigma::detail::Argument& argument(int a) const { return arguments[static_cast<std::size_t>(a)]; }
    int argument_count() const { return static_cast<int>(arguments.size()); }

    bool reduces() const {
        for (const sigma::detail::Instruction& n : instructions)
            if (n.opcode == Opcode::reduce) return true;
        return false;
    }
    bool reduces(int sweep) const {
        for (const sigma::detail::Instruction& n : instructions)
            if (n.opcode == Opcode::reduce && n.sweep == sweep) return true;
        return false;
    }
    /// Returns the position of a reduction among all reductions.
    int slot(int i) const {
        int n = 0;
        for (int j = 0; j < i; ++j) n += at(j).opcode == Opcode::reduce;
        return n;
    }

    // ---- one instruction ----

    static std::string r(int i) { return sentence("r", i); }
    static std::string t(int i) { return sentence("t", i); }
    std::string set(int i, const std::string& value) const {
        return "const " + type + " " + r(i) + " = " + value + ";\n";
    }

    /// Returns the formula of an elementwise instruction on registers.
    std::string value(const sigma::detail::Instruction& n) const {
        const std::string a = r(n.a), b = r(n.b), c = r(n.c);
        switch (n.operation) {
            case sigma::detail::Operation::constant: return literal(n.constant, element);
            case sigma::detail::Operation::maximum:  // for equal zeros the processor returns the one that is not
                                                     // constant
                if (is_number(n.a)) return a + " > " + b + " ? " + a + " : " + b;
                if (is_number(n.b)) return b + " > " + a + " ? " + b + " : " + a;
                return "sigma_math::maximum(" + a + ", " + b + ")";
            default: {
                const int operands = operand_count(n.operation);
                std::string text = std::string("sigma_math::sigma_") + sigma::detail::name(n.operation) + "(" + a;
                if (operands > 1) text += ", " + b;
                if (operands > 2) text += ", " + c;
                return text + ")";
            }
        }
    }
    static std::string reduction(sigma::detail::Operation o) {
        return o == sigma::detail::Operation::sum              ? "sigma_add"
               : o == sigma::detail::Operation::reduce_maximum ? "sigma_max"
                                                               : "sigma_min";
    }
    std::string neutral(sigma::detail::Operation o) const {
        const double infinity = HUGE_VAL;
        return literal(o == sigma::detail::Operation::sum              ? 0
                       : o == sigma::detail::Operation::reduce_maximum ? -infinity
                                                                       : infinity,
                       element);
    }
    std::string gather(int i, const std::string& what) const {
        return t(i) + " = " + reduction(at(i).operation) + "::of(" + t(i) + ", " + what + ");\n";
    }
    /// Returns the code that adds the operand of reduction `i` to its total.
    std::string gather(int i) const {
        const sigma::detail::Instruction& n = at(i);
        if (n.b < 0) return gather(i, r(n.a));
        return t(i) + " = sigma_math::fma(" + r(n.a) + ", " + r(n.b) + ", " + t(i) + ");\n";
    }
    /// Returns the code that sets the totals of all reductions of a sweep to neutral elements.
    std::string open(int sweep) const {
        std::string text;
        for (int i = 0; i < size(); ++i)
            if (at(i).opcode == Opcode::reduce && at(i).sweep == sweep)
                text += type + " " + t(i) + " = " + neutral(at(i).operation) + ";\n";
        return text;
    }
    /// Returns the code that runs once per kernel.
    std::string once() const {
        std::string text;
        for (int i = 0; i < size(); ++i) {
            const sigma::detail::Instruction& n = at(i);
            if (n.level == 0 && n.opcode == Opcode::load) text += set(i, sentence("w.p", n.argument) + "[0]");
            if (n.level == 0 && n.opcode == Opcode::evaluate) text += set(i, value(n));
        }
        return text;
    }

    // ---- places ----

    /// Returns the definitions of i2, i3, … of loops `first` to `end` - 1, for the position `from` among all their
    /// steps.
    std::string positions(const std::string& from, int first, int end) const {
        std::string text, rest = from;
        for (int loop = end - 1; loop >= first; --loop) {
            const std::string i = sentence("i", loop), extent = coded_text(k.extent[loop]), d = sentence("d", loop);
            if (loop == first) {
                text += "const long long " + i + " = " + rest + ";\n";
            } else {
                text += "const long long " + d + " = sigma_quotient(" + rest + ", " + extent + "), " + i + " = " +
                        rest + " - " + d + " * " + extent + ";\n";
                rest = d;
            }
        }
        return text;
    }
    /// Returns the offset of an argument at these positions: " + i0 * 64 + i1 * (3 * w.records)".
    std::string distance(int a, int first, int end) const {
        std::string text;
        for (int loop = first; loop < end; ++loop) {
            const int stride = argument(a).stride[loop];
            if (stride == 0) continue;
            text += sentence(" + i", loop);
            if (stride != 1) text += sentence(" * ", coded_text(stride));
        }
        return text;
    }
    /// Returns the definitions of q0, q1, …: the arguments at the positions of loops `first` to `end` - 1, from `from`.
    std::string pointers(const std::string& from, int first, int end) const {
        std::string text;
        for (int a = 0; a < argument_count(); ++a)
            text += sentence(type, "* const q", a, " = ", from, a, distance(a, first, end), ";\n");
        return text;
    }

    // ---- elements that lie together ----

    /// Returns the number of elements in 16 bytes.
    int pack() const { return static_cast<int>(16 / bytes_of(element)); }
    /// Returns whether rows can be processed 16 bytes at a time if all addresses are aligned.
    bool packable() const {
        if (k.rank == 0) return false;
        if (k.tail != sigma::detail::FusedKernel::Tail::padded && k.extent[k.rank - 1] % pack() != 0) return false;
        return in_packs(instructions, arguments, k, pack());
    }
    /// Returns the condition that all addresses processed in this way are aligned to 16 bytes.
    std::string aligned() const {
        std::string text;
        for (int a = 0; a < argument_count(); ++a) {
            bool found = false;
            for (const sigma::detail::Instruction& n : instructions) found = found || (is_vector(n) && n.argument == a);
            if (found) text += sentence(text.empty() ? "(sigma_u64)w.p" : " | (sigma_u64)w.p", a);
        }
        return "sigma_packed(" + (text.empty() ? "0" : text) + ")";
    }
    /// Returns the number of units of V elements of loops `first` to the last.
    std::string units(int first) const {
        return coded_text(coded_count(k, first, k.rank - 1)) + " * " + units_of_row();
    }
    bool has_sweep(int sweep) const {
        for (const sigma::detail::Instruction& n : instructions)
            if (n.sweep == sweep && n.level == 2) return true;
        return false;
    }
    /// Returns the code of a sweep for unit u of V elements along loops `first` to the last, from pointers `from`0,
    /// `from`1, …. With `rows_too` it includes the code that runs once per row.
    std::string code_of(int sweep, int first, const std::string& from, bool rows_too,
                        std::span<const Kept> kept = {}) const {
        const int last = k.rank - 1;
        std::string text, loads, body, stores;
        if (first < last)
            text += sentence("const long long d = sigma_quotient(u, ", units_of_row()) + "), c = (u - d * (" +
                    units_of_row() + ")) * V;\n" + positions("d", first, last);
        else text += "const long long c = u * V;\n";
        const auto place = [&](int a) { return sentence(from, a, distance(a, first, last)); };
        for (int i = 0; i < size(); ++i) {
            const sigma::detail::Instruction& n = at(i);
            if (n.sweep != sweep || n.level == 0 || (n.level == 1 && !rows_too)) continue;
            const std::string number = sentence(i);
            const Kept keeps = kept.empty() ? Kept{} : kept[static_cast<std::size_t>(i)];
            const std::string there = sentence("h", keeps.slot, "[j]");
            if (n.opcode == Opcode::load && is_vector(n)) {
                loads += "const sigma_vector<" + type + ", V> x" + number + " = " +
                         (keeps.there ? there : "sigma_load_vector<V>(" + place(n.argument) + " + c)") + ";\n";
                if (keeps.slot >= 0 && !keeps.there) loads += there + " = x" + number + ";\n";
                body += set(i, "x" + number + ".v[v]");
            } else if (n.opcode == Opcode::load) {
                loads += set(i, sentence("*(", place(n.argument)) + ")");
            } else if (n.opcode == Opcode::evaluate) {
                (n.level == 1 ? loads : body) += set(i, value(n));
            } else if (n.opcode == Opcode::reduce) {
                const bool partly = k.tail == sigma::detail::FusedKernel::Tail::padded;
                body += (partly ? sentence("if (c + v < ", coded_text(k.extent[last])) + ") " : "") + gather(i);
            } else if (n.level == 2) {
                loads += "sigma_vector<" + type + ", V> y" + number + ";\n";
                body += "y" + number + ".v[v] = " + r(n.a) + ";\n";
                if (!keeps.needless)
                    stores += sentence("sigma_store_vector<V>(", place(n.argument)) + " + c, y" + number + ");\n";
                if (keeps.slot >= 0) stores += there + " = y" + number + ";\n";
            } else {
                stores += sentence("if (c == 0) *(", place(n.argument)) + ") = " + r(n.a) + ";\n";
            }
        }
        return text + loads + "SIGMA_UNROLL\nfor (int v = 0; v < V; ++v) {\n" + body + "}\n" + stores;
    }

    /// Returns a kernel from `run`, a function of V, that processes 16 bytes at a time if possible.
    std::string kernel(const std::string& run, int threads) const {
        std::string text = math + words_text(element, argument_count()) +
                           "template <int V> SIGMA_DEVICE void @_run(const @_words& w) {\n" + run +
                           sentence("}\nSIGMA_KERNEL(@, ", threads, ", @_words) {\n");
        if (packable()) text += sentence("if (", aligned(), ") return @_run<", pack(), ">(w);\n");
        return text + "@_run<1>(w);\n}\n";
    }

private:
    bool is_number(int i) const {
        return at(i).opcode == Opcode::evaluate && at(i).operation == sigma::detail::Operation::constant &&
               !std::isnan(at(i).constant);
    }
    std::string units_of_row() const { return sentence("((", coded_text(k.extent[k.rank - 1])) + " + V - 1) / V)"; }
};

}  // namespace sigma::on_gpu
