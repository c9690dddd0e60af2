// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/error.hpp>
#include <sigma/plan/product_forms.hpp>

#include <algorithm>

namespace sigma::detail {

class FindProductForms {
public:
    explicit FindProductForms(const PlanView& plan)
        : plan_(plan), forms_(plan.kernels.size()), reads_(plan.buffers.size()), touches_(plan.buffers.size()) {
        for (const Argument& a : plan.arguments) {
            ++touches_[at(a.buffer)];
            reads_[at(a.buffer)] += !a.written;
        }
    }
    std::vector<ProductForm> run() {
        for (int i = 0; i < kernel_count(); ++i) {
            if (kernel(i).kind != Kernel::Kind::product) continue;
            find_epilogue(i);
            find_transposition(i);
            forms_[at(i)].invariant = has_loop_invariant_b(plan_, kernel(i));
        }
        keep_needless_transpositions();
        return std::move(forms_);
    }

private:
    using Opcode = Instruction::Opcode;

    const PlanView& plan_;
    std::vector<ProductForm> forms_;
    std::vector<int> reads_, touches_;  // for each buffer: number of arguments that read it, and of all its arguments

    static std::size_t at(int i) { return static_cast<std::size_t>(i); }
    int kernel_count() const { return static_cast<int>(plan_.kernels.size()); }
    const Kernel& kernel(int i) const { return plan_.kernels[at(i)]; }
    const Argument& argument(const Kernel& k, int i) const { return plan_.arguments[at(k.argument + i)]; }

    // ---- the kernel after a product ----

    /// The computation of a kernel of kind `rows` on a product's result, and its arguments.
    struct Pattern {
        int load = -1, bias = -1, store = -1;
        bool add = false, relu = false;
    };
    bool match(const Kernel& k, int product_buffer, Pattern& found) const {
        const auto code = plan_.instructions_of(k);
        int value = -1, bias = -1, zero = -1, now = -1;  // instructions
        bool copied = false;                             // true if the result was copied to an output
        for (int i = 0; i < k.fused.instructions; ++i) {
            const Instruction& n = code[at(i)];
            const auto is = [&](int a, int b) { return (n.a == a && n.b == b) || (n.a == b && n.b == a); };
            switch (n.opcode) {
                case Opcode::load:
                    if (n.level != 2 || n.broadcast) return false;
                    if (argument(k, n.argument).buffer == product_buffer) {
                        if (value >= 0) return false;
                        value = now = i, found.load = n.argument;
                    } else {
                        if (bias >= 0) return false;
                        bias = i, found.bias = n.argument;
                    }
                    break;
                case Opcode::evaluate:
                    if (n.operation == Operation::constant && n.constant == 0) {
                        zero = i;
                    } else if (n.operation == Operation::copy && n.level == 2 && now >= 0 && n.a == now) {
                        now = i, copied = true;
                    } else if (n.operation == Operation::add && value >= 0 && bias >= 0 && now == value &&
                               is(value, bias) && !copied) {
                        now = i, found.add = true;
                    } else if (n.operation == Operation::maximum && zero >= 0 && now >= 0 && is(now, zero) &&
                               !found.relu && !copied) {
                        now = i, found.relu = true;
                    } else {
                        return false;
                    }
                    break;
                case Opcode::store:
                    if (n.level != 2 || found.store >= 0 || now < 0 || n.a != now) return false;
                    found.store = n.argument;
                    break;
                case Opcode::reduce: return false;
            }
        }
        // The last value must be the stored one; the sum before a relu must not be stored, too.
        return found.store >= 0 && value >= 0 && (bias >= 0) == found.add && (found.add || found.relu) &&
               code[at(k.fused.instructions - 1)].opcode == Opcode::store;
    }
    /// Returns whether only product `number`, once, and the next kernel, by reading, use the product's result.
    bool is_between(int number, int buffer) const {
        int product = 0, reads = 0;
        for (const Argument& a : plan_.arguments_of(kernel(number))) product += a.buffer == buffer;
        for (const Argument& a : plan_.arguments_of(kernel(number + 1))) reads += a.buffer == buffer && !a.written;
        return product == 1 && touches_[at(buffer)] == product + reads;
    }
    /// Returns whether the outer loops step evenly through the rows of an argument. `row` becomes the distance of two
    /// rows.
    static bool one_matrix(const FusedKernel& k, const Argument& a, int& row) {
        row = a.stride[k.rank - 2];
        for (int i = k.rank - 3; i >= 0; --i)
            if (a.stride[i] != times(k.extent[i + 1], a.stride[i + 1])) return false;
        return true;
    }
    /// Finds the epilogue of a product. The next kernel must be the only reader of the whole result, and must store one
    /// value in other memory than the product's operands.
    void find_epilogue(int number) {
        if (number + 1 >= kernel_count()) return;
        const Kernel &p = kernel(number), &k = kernel(number + 1);
        if (p.product.accumulate || p.product.count[0] != 1 || p.product.count[1] != 1) return;
        if (k.kind != Kernel::Kind::rows || k.fused.rank < 2 || k.fused.sweeps != 1 || k.loop != p.loop) return;
        const Argument& c = argument(p, 2);
        Pattern pattern;
        if (!plan_.in_arena(c.buffer) || !match(k, c.buffer, pattern) || !is_between(number, c.buffer)) return;

        const FusedKernel& f = k.fused;
        const int last = f.rank - 1;
        const Argument &from = argument(k, pattern.load), &to = argument(k, pattern.store);
        int from_row = 0, to_row = 0, rows = 1;
        if (from.offset != c.offset || from.time != c.time || !one_matrix(f, from, from_row) ||
            !one_matrix(f, to, to_row) || from_row != c.stride[0])
            return;
        for (int i = 0; i < last; ++i) rows = times(rows, f.extent[i]);
        const int columns = f.extent[last];
        // The kernel may include the padding of rows. The product does not write it, and no kernel relies on it.
        if (rows != p.product.m || columns < p.product.n ||
            (columns > p.product.n && (columns > from_row || columns > to_row)) || p.product.n <= 1)
            return;
        if (from.stride[last] != 1 || to.stride[last] != 1) return;
        if (pattern.add) {
            const Argument& bias = argument(k, pattern.bias);
            for (int i = 0; i < last; ++i)
                if (bias.stride[i] != 0) return;
            if (bias.stride[last] != 1 || plan_.overlap(bias.buffer, to.buffer)) return;
        }
        if (plan_.overlap(argument(p, 0).buffer, to.buffer) || plan_.overlap(argument(p, 1).buffer, to.buffer)) return;
        ProductForm& form = forms_[at(number)];
        form.epilogue = !pattern.relu ? ProductEpilogue::bias
                        : pattern.add ? ProductEpilogue::bias_relu
                                      : ProductEpilogue::relu;
        form.store = pattern.store, form.bias = pattern.bias, form.row = to_row;
    }

    // ---- transpositions before a product ----

    /// Returns the only kernel that writes a buffer if it is a transposition, else -1.
    int transposition_into(int buffer) const {
        if (!plan_.in_arena(buffer) || touches_[at(buffer)] - reads_[at(buffer)] != 1) return -1;
        for (int i = 0; i < kernel_count(); ++i)
            if (kernel(i).kind == Kernel::Kind::transpose && argument(kernel(i), 1).buffer == buffer) return i;
        return -1;
    }
    /// Returns whether a kernel of `first` to `end` - 1 writes memory of a buffer.
    bool is_written_between(int buffer, int first, int end) const {
        for (int i = first; i < end; ++i)
            for (const Argument& a : plan_.arguments_of(kernel(i)))
                if (a.written && plan_.overlap(a.buffer, buffer)) return true;
        return false;
    }
    /// Returns whether operand B of product `number` is the whole result of transposition `t`, and its source still
    /// exists.
    bool reads_all_of(int number, int t) const {
        const Kernel &p = kernel(number), &k = kernel(t);
        const Argument &b = argument(p, 1), &from = argument(k, 0), &to = argument(k, 1);
        if (t >= number || k.loop != p.loop || b.offset != to.offset || b.time != to.time) return false;
        if (b.stride[0] != to.stride[0]) return false;
        if (p.product.k != k.transpose.columns || p.product.n != k.transpose.rows) return false;
        for (int i = 0; i < 2; ++i)
            if (p.product.count[i] != k.transpose.count[i] ||
                (k.transpose.count[i] != 1 && b.stride[1 + i] != to.stride[1 + i]))
                return false;
        // The memory of the source may be reused after the transposition. The next kernel may be part of the product.
        return !is_written_between(from.buffer, t, std::min(number + 2, kernel_count()));
    }
    void find_transposition(int number) {
        const int t = transposition_into(argument(kernel(number), 1).buffer);
        if (t >= 0 && reads_all_of(number, t)) forms_[at(number)].transposition = t;
    }
    void keep_needless_transpositions() {
        std::vector<int> without(forms_.size());
        for (const ProductForm& f : forms_)
            if (f.transposition >= 0) ++without[at(f.transposition)];
        for (ProductForm& f : forms_)
            if (f.transposition >= 0 &&
                without[at(f.transposition)] != reads_[at(argument(kernel(f.transposition), 1).buffer)])
                f.transposition = -1;
    }
};

SIGMA_IMPL std::vector<ProductForm> find_product_forms(const PlanView& plan) {
    return detail::FindProductForms(plan).run();
}

SIGMA_IMPL std::string to_text(const std::vector<ProductForm>& forms) {
    constexpr const char* epilogues[] = {"none", "bias", "relu", "bias and relu"};
    std::string text;
    int number = 0;
    for (const ProductForm& f : forms) {
        if (f.epilogue != ProductEpilogue::none)
            text += sentence("  kernel ", number, ": ", epilogues[static_cast<int>(f.epilogue)],
                             " as an epilogue, instead of kernel ", number + 1, "\n");
        if (f.transposition >= 0)
            text += sentence("  kernel ", number, ": reads transposed, instead of kernel ", f.transposition, "\n");
        if (f.invariant) text += sentence("  kernel ", number, ": B is the same at all positions of its loop\n");
        ++number;
    }
    return text;
}

}  // namespace sigma::detail
