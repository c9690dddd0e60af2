// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/device/gpu/backend.hpp>
#include <sigma/plan/plan_view.hpp>

namespace sigma::on_gpu {

/// A kernel of rows that a library's product can do beside its own work: C + bias, max(0, C) or both, stored elsewhere.
/// Numbers are of arguments of the kernel of rows.
struct Merge {
    Epilogue epilogue = Epilogue::none;
    int store = -1, bias = -1;
    int row = 0;  ///< elements between rows of the destination, coded
    explicit operator bool() const { return epilogue != Epilogue::none; }
};

namespace detail {

using Step = Instruction::Step;

/// Do the loops outside the row of an argument run through `rows` rows, one after the other, that are `row` apart?
inline bool one_matrix(const FusedKernel& k, const Argument& a, int& row) {
    row = a.stride[k.rank - 2];
    for (int i = k.rank - 3; i >= 0; --i)
        if (a.stride[i] != times(k.extent[i + 1], a.stride[i + 1])) return false;
    return true;
}
inline bool in_arena(const PlanView& plan, int buffer) {
    const Buffer::Where where = plan.buffers[static_cast<std::size_t>(buffer)].where;
    return where == Buffer::Where::fixed || where == Buffer::Where::batched;
}
/// Do two buffers share memory? What is bound from outside is memory of its own.
inline bool overlap(const PlanView& plan, int x, int y) {
    const Buffer& a = plan.buffers[static_cast<std::size_t>(x)];
    const Buffer& b = plan.buffers[static_cast<std::size_t>(y)];
    if (x == y || a.where != b.where || !in_arena(plan, x)) return x == y;
    const auto end = [](const Buffer& buffer) { return buffer.offset + footprint(buffer.shape, buffer.row); };
    return a.offset < end(b) && b.offset < end(a);
}
/// Does anything but the product and the kernel after it touch the buffer?
inline bool used_elsewhere(const PlanView& plan, int buffer, int product, const Kernel& rows) {
    for (std::size_t i = 0; i < plan.kernels.size(); ++i) {
        const Kernel& k = plan.kernels[i];
        if (static_cast<int>(i) == product || &k == &rows) continue;
        for (const Argument& a : plan.arguments_of(k))
            if (a.buffer == buffer) return true;
    }
    for (const Argument& a : plan.arguments_of(rows))
        if (a.buffer == buffer && a.written) return true;
    int uses = 0;
    for (const Argument& a : plan.arguments_of(plan.kernels[static_cast<std::size_t>(product)]))
        uses += a.buffer == buffer;
    return uses != 1;
}

/// What a kernel of rows computes of `load`: nothing that an epilogue knows, or which one.
struct Pattern {
    int load = -1, bias = -1, store = -1;  // arguments
    bool add = false, relu = false;
};
inline bool match(const PlanView& plan, const Kernel& k, int product_buffer, Pattern& found) {
    const auto code = plan.instructions_of(k);
    int value = -1, bias = -1, zero = -1, now = -1;  // instructions
    bool copied = false;                             // the result, on its way to an output
    for (int i = 0; i < k.fused.instructions; ++i) {
        const Instruction& n = code[static_cast<std::size_t>(i)];
        const auto is = [&](int a, int b) { return (n.a == a && n.b == b) || (n.a == b && n.b == a); };
        switch (n.step) {
            case Step::load:
                if (n.level != 2 || n.spread) return false;
                if (plan.arguments_of(k)[static_cast<std::size_t>(n.argument)].buffer == product_buffer) {
                    if (value >= 0) return false;
                    value = now = i, found.load = n.argument;
                } else {
                    if (bias >= 0) return false;
                    bias = i, found.bias = n.argument;
                }
                break;
            case Step::evaluate:
                if (n.operation == Operation::constant && n.constant == 0) {
                    zero = i;
                } else if (n.operation == Operation::copy && n.level == 2 && now >= 0 && n.a == now) {
                    now = i, copied = true;
                } else if (n.operation == Operation::add && value >= 0 && bias >= 0 && now == value &&
                           is(value, bias) && !copied) {
                    now = i, found.add = true;
                } else if (n.operation == Operation::maximum && zero >= 0 && now >= 0 && is(now, zero) && !found.relu &&
                           !copied) {
                    now = i, found.relu = true;
                } else {
                    return false;
                }
                break;
            case Step::store:
                if (n.level != 2 || found.store >= 0 || now < 0 || n.a != now) return false;
                found.store = n.argument;
                break;
            case Step::reduce: return false;
        }
    }
    // What is stored must be the last value; the sum before a relu must not be wanted too.
    return found.store >= 0 && value >= 0 && (bias >= 0) == found.add && (found.add || found.relu) &&
           code[static_cast<std::size_t>(k.fused.instructions - 1)].step == Step::store;
}

}  // namespace detail

/// May kernel `number + 1` be done by product `number` in the library? Only where it reads the whole of the product,
/// which nobody else reads, and stores one thing, which must not lie where the product's operands have just died.
inline Merge merge_of(const PlanView& plan, int number) {
    if (number + 1 >= static_cast<int>(plan.kernels.size())) return {};
    const Kernel& p = plan.kernels[static_cast<std::size_t>(number)];
    const Kernel& k = plan.kernels[static_cast<std::size_t>(number) + 1];
    if (p.kind != Kernel::Kind::product || p.product.accumulate || p.product.count[0] != 1 || p.product.count[1] != 1)
        return {};
    if (k.kind != Kernel::Kind::rows || k.fused.rank < 2 || k.fused.phases != 1 || k.loop != p.loop) return {};
    const Argument& c = plan.arguments_of(p)[2];
    detail::Pattern pattern;
    if (!detail::in_arena(plan, c.buffer) || !detail::match(plan, k, c.buffer, pattern)) return {};
    if (detail::used_elsewhere(plan, c.buffer, number, k)) return {};

    const FusedKernel& f = k.fused;
    const int last = f.rank - 1;
    const auto arguments = plan.arguments_of(k);
    const Argument& from = arguments[static_cast<std::size_t>(pattern.load)];
    const Argument& to = arguments[static_cast<std::size_t>(pattern.store)];
    int from_row = 0, to_row = 0, rows = 1;
    if (from.offset != c.offset || from.time != c.time || !detail::one_matrix(f, from, from_row) ||
        !detail::one_matrix(f, to, to_row) || from_row != c.stride[0])
        return {};
    for (int i = 0; i < last; ++i) rows = times(rows, f.extent[i]);
    const int columns = f.extent[last];
    // A row may be swept to the end of its padding; the product leaves that alone, and nobody relies on it.
    if (rows != p.product.m || columns < p.product.n ||
        (columns > p.product.n && (columns > from_row || columns > to_row)) || p.product.n <= 1)
        return {};
    if (from.stride[last] != 1 || to.stride[last] != 1) return {};
    if (pattern.add) {
        const Argument& bias = arguments[static_cast<std::size_t>(pattern.bias)];
        for (int i = 0; i < last; ++i)
            if (bias.stride[i] != 0) return {};
        if (bias.stride[last] != 1 || detail::overlap(plan, bias.buffer, to.buffer)) return {};
    }
    for (int operand : {0, 1})
        if (detail::overlap(plan, plan.arguments_of(p)[static_cast<std::size_t>(operand)].buffer, to.buffer)) return {};
    const Epilogue e = !pattern.relu ? Epilogue::bias : pattern.add ? Epilogue::bias_relu : Epilogue::relu;
    return {e, pattern.store, pattern.bias, to_row};
}

}  // namespace sigma::on_gpu
