// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/plan/plan.hpp>

namespace sigma::detail {

/// Chooses the products and sums that become one operation, which is rounded once. Compilers must not choose, so that
/// the results of a plan are bit-identical on every device and with every compiler. A product is merged into the only
/// addition, subtraction or sum that reads it, if both have the same level and sweep. All other products are `apart`.
/// Operations of whole blocks are left to the compilers. Works on the kernel with the last micro-operations.
class Contraction {
public:
    constexpr Contraction(List<Instruction>& instructions, FusedKernel& kernel)
        : instructions_(instructions), k_(kernel) {}
    constexpr void run() {
        List<int> readers(k_.instructions, 0);
        for (int i = 0; i < k_.instructions; ++i)
            for (int o : operands(at(i)))
                if (o >= 0) ++readers[o];
        List<char> gone(k_.instructions, 0);
        for (int i = 0; i < k_.instructions; ++i) {
            Instruction& n = at(i);
            const auto goes_in = [&](int o) { return readers[o] == 1 && is_product(at(o)) && together(at(o), n); };
            if (!adds(n)) continue;
            if (goes_in(n.a)) {
                gone[n.a] = 1;
                take_first(n);
            } else if (n.b >= 0 && goes_in(n.b)) {
                gone[n.b] = 1;
                take_second(n);
            }
        }
        remove(gone);
        for (int i = 0; i < k_.instructions; ++i)
            if (begins_with_addition(at(i)))
                for (int o : operands(at(i)))
                    if (o >= 0 && ends_with_product(at(o))) at(o).apart = true;
    }

private:
    using Opcode = Instruction::Opcode;
    List<Instruction>& instructions_;
    FusedKernel& k_;

    struct Operands {
        int all[3];
        constexpr const int* begin() const { return all; }
        constexpr const int* end() const { return all + 3; }
    };
    static constexpr Operands operands(const Instruction& n) { return {{n.a, n.b, n.c}}; }
    constexpr Instruction& at(int i) { return instructions_[k_.instruction + i]; }

    static constexpr bool is_product(const Instruction& n) {
        return n.opcode == Opcode::evaluate && n.operation == Operation::multiply;
    }
    static constexpr bool adds(const Instruction& n) {
        if (n.opcode == Opcode::reduce) return n.operation == Operation::sum;
        return n.opcode == Opcode::evaluate && (n.operation == Operation::add || n.operation == Operation::subtract);
    }
    static constexpr bool together(const Instruction& x, const Instruction& y) {
        return x.level == y.level && (x.level == 0 || x.sweep == y.sweep);
    }
    constexpr void take_first(Instruction& n) {
        const Instruction product = at(n.a);
        if (n.opcode == Opcode::evaluate) {
            n.operation = n.operation == Operation::add ? Operation::multiply_add : Operation::multiply_subtract;
            n.c = n.b;
        }
        n.a = product.a;
        n.b = product.b;
    }
    constexpr void take_second(Instruction& n) {
        const Instruction product = at(n.b);
        n.operation = n.operation == Operation::add ? Operation::multiply_add : Operation::subtract_product;
        n.c = n.a;
        n.a = product.a;
        n.b = product.b;
    }
    constexpr void remove(const List<char>& gone) {
        List<short> now(k_.instructions, -1);
        int count = 0;
        for (int i = 0; i < k_.instructions; ++i) {
            if (gone[i]) continue;
            Instruction n = at(i);
            for (short* o : {&n.a, &n.b, &n.c})
                if (*o >= 0) *o = now[*o];
            now[i] = static_cast<short>(count);
            at(count++) = n;
        }
        for (; k_.instructions > count; --k_.instructions) instructions_.pop();
    }

    /// Returns whether an instruction begins with an addition. Functions count, since compilers inline their products
    /// and sums.
    static constexpr bool begins_with_addition(const Instruction& n) {
        const bool passes = n.operation == Operation::copy || n.operation == Operation::expand ||
                            n.operation == Operation::stop_gradient || n.operation == Operation::negate;
        return adds(n) || (n.opcode == Opcode::evaluate && (passes || is_function(n.operation)));
    }
    static constexpr bool ends_with_product(const Instruction& n) {
        return is_product(n) || (n.opcode == Opcode::evaluate && is_function(n.operation));
    }
};

}  // namespace sigma::detail
