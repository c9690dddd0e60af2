// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/error.hpp>
#include <sigma/plan/kernel_cost.hpp>
#include <sigma/plan/print.hpp>

#include <algorithm>
#include <vector>

namespace sigma::detail {

/// Returns whether an instruction evaluates an operation that computes something.
SIGMA_IMPL bool is_arithmetic(const Instruction& n) {
    return n.opcode == Instruction::Opcode::evaluate && n.operation != Operation::constant &&
           n.operation != Operation::copy && n.operation != Operation::expand &&
           n.operation != Operation::stop_gradient;
}

/// Counts the work of one kernel.
class KernelCounter {
public:
    KernelCounter(const PlanView& plan, const Kernel& k, long long records)
        : plan_(plan), k_(k), records_(records), element_(static_cast<double>(bytes_of(plan.element))) {}

    KernelCost count() {
        switch (k_.kind) {
            case Kernel::Kind::rows:
            case Kernel::Kind::columns: count_fused(); break;
            case Kernel::Kind::product: count_product(k_.product); break;
            case Kernel::Kind::transpose: {
                const TransposeKernel& t = k_.transpose;
                copy(times({t.rows, t.columns, t.count[0], t.count[1]}));
                break;
            }
            case Kernel::Kind::move:
                copy(extents(k_.move.extent, k_.move.rank));
                write(at(k_.move.clear));
                break;
            case Kernel::Kind::fill_uniform: write(times({k_.fill_uniform.rows, k_.fill_uniform.columns})); break;
            case Kernel::Kind::argmax: {
                const double all = extents(k_.argmax.extent, k_.argmax.rank);
                read(all), write(k_.argmax.rank > 0 ? all / at(k_.argmax.extent[k_.argmax.rank - 1]) : 1);
                cost_.operations += all;
                break;
            }
            case Kernel::Kind::convolution: count_convolution(k_.convolution); break;
            case Kernel::Kind::pooling: count_pooling(k_.pooling); break;
            case Kernel::Kind::lookup: count_lookup(k_.lookup); break;
            case Kernel::Kind::block: count_blocks(k_.block); break;
        }
        return cost_;
    }

private:
    const PlanView& plan_;
    const Kernel& k_;
    long long records_;
    double element_;
    KernelCost cost_{};

    double at(int coded) const { return static_cast<double>(resolve(coded, records_)); }
    double times(std::initializer_list<int> coded) const {
        double product = 1;
        for (const int n : coded) product *= at(n);
        return product;
    }
    double extents(const int* extent, int rank) const {
        double product = 1;
        for (int i = 0; i < rank; ++i) product *= at(extent[i]);
        return product;
    }
    void read(double elements) { cost_.bytes_read += elements * element_; }
    void write(double elements) { cost_.bytes_written += elements * element_; }
    void copy(double elements) { read(elements), write(elements); }

    /// Returns how often an instruction of a fused kernel is evaluated.
    double evaluations(const Instruction& n) const {
        const FusedKernel& f = k_.fused;
        if (n.level == 0) return 1;
        const bool columns = k_.kind == Kernel::Kind::columns, after = columns && n.sweep == 1;
        double product = 1;
        for (int i = 0; i < f.rank; ++i) {
            const bool reduced = columns && i >= f.outer && i < f.outer + f.reduced;
            if ((n.level == 1 && i >= f.outer) || (after && reduced)) continue;
            product *= at(f.extent[i]);
        }
        return product;
    }
    void count_fused() {
        const auto arguments = plan_.arguments_of(k_);
        std::vector<char> loaded(arguments.size(), 0);
        for (const Instruction& n : plan_.instructions_of(k_)) {
            if (n.opcode == Instruction::Opcode::load) loaded[static_cast<std::size_t>(n.argument)] = 1;
            const bool computes = n.opcode == Instruction::Opcode::reduce || is_arithmetic(n);
            const bool two = n.operation == Operation::multiply_add || n.operation == Operation::multiply_subtract;
            if (computes) cost_.operations += (two ? 2 : 1) * evaluations(n);
        }
        for (std::size_t a = 0; a < arguments.size(); ++a) {
            double elements = 1;
            for (int i = 0; i < k_.fused.rank; ++i)
                if (arguments[a].stride[i] != 0) elements *= at(k_.fused.extent[i]);
            if (loaded[a]) read(elements);
            if (arguments[a].written) write(elements);
        }
    }
    void count_product(const ProductKernel& p) {
        const double m = at(p.m), n = at(p.n), k = at(p.k), count = at(p.count[0]) * at(p.count[1]);
        const auto arguments = plan_.arguments_of(k_);
        // An operand that all products share has no stride from product to product.
        const auto copies = [&](std::size_t a) {
            double product = 1;
            for (int i = 0; i < 2; ++i)
                if (a < arguments.size() && arguments[a].stride[1 + i] != 0) product *= at(p.count[i]);
            return product;
        };
        read(m * k * copies(0)), read(k * n * copies(1)), write(m * n * count);
        if (p.accumulate) read(m * n * count);
        cost_.multiply_adds = m * n * k * count;
    }
    void count_convolution(const ConvolutionKernel& c) {
        const double images = at(c.images);
        const double x = images * c.height * c.width * c.channels;
        const double y = images * c.positions() * c.outputs;
        const double w = static_cast<double>(c.weights_rows()) * c.outputs;
        if (c.operation == Operation::convolve_input) read(y), read(w), write(x);
        else if (c.operation == Operation::convolve_weights) read(x), read(y), write(w);
        else read(x), read(w), write(y);
        cost_.multiply_adds = y * c.weights_rows();
    }
    void count_pooling(const PoolingKernel& p) {
        const double images = at(p.images);
        const double x = images * p.height * p.width * p.channels;
        const double y = images * p.windows_high * p.windows_wide * p.channels;
        read(x);
        if (p.operation == Operation::pool_max) write(y);
        else if (p.operation == Operation::unpool) read(2 * y), write(x);
        else read(x + y), write(y);
        cost_.operations += y * p.geometry.window[0] * p.geometry.window[1];
    }
    void count_lookup(const LookupKernel& l) {
        const double ids = at(l.ids), values = ids * at(l.width);
        read(ids);
        if (l.operation == Operation::gather) return copy(values);
        read(values), write(at(l.rows) * at(l.width));
        cost_.operations += values;
    }
    void count_blocks(const BlockKernel& b) {
        const double count = extents(b.extent, b.rank);
        const auto arguments = plan_.arguments_of(k_);
        double largest = 0;
        for (std::size_t a = 0; a < arguments.size() && a < 4; ++a) {
            const double elements = count * b.blocks[a].rows * b.blocks[a].columns;
            largest = std::max(largest, elements);
            arguments[a].written ? write(elements) : read(elements);
        }
        cost_.operations += largest;
    }
};

SIGMA_IMPL KernelCost kernel_cost(const PlanView& plan, const Kernel& k, long long records) {
    return KernelCounter(plan, k, records).count();
}

SIGMA_IMPL std::string kernel_summary(const PlanView& plan, const Kernel& k) {
    const auto extents = [](std::initializer_list<int> all) {
        std::string text;
        for (const int n : all) text += sentence(text.empty() ? ", " : " x ", coded_text(n));
        return text;
    };
    const std::string name = operation_name(k);
    switch (k.kind) {
        case Kernel::Kind::product: return name + extents({k.product.m, k.product.n, k.product.k});
        case Kernel::Kind::transpose: return name + extents({k.transpose.rows, k.transpose.columns});
        case Kernel::Kind::convolution:
            return name + extents({k.convolution.images, k.convolution.result_height, k.convolution.result_width,
                                   k.convolution.outputs, k.convolution.weights_rows()});
        case Kernel::Kind::pooling:
            return name +
                   extents({k.pooling.images, k.pooling.windows_high, k.pooling.windows_wide, k.pooling.channels});
        case Kernel::Kind::lookup: return name + extents({k.lookup.ids, k.lookup.width});
        case Kernel::Kind::rows:
        case Kernel::Kind::columns: break;
        default: return name;
    }
    // A fused kernel: its operations, each once, in their order.
    std::vector<Operation> seen;
    std::string text;
    constexpr std::size_t most = 4;
    for (const Instruction& n : plan.instructions_of(k)) {
        if (n.opcode != Instruction::Opcode::reduce && !is_arithmetic(n)) continue;
        if (std::ranges::find(seen, n.operation) != seen.end()) continue;
        seen.push_back(n.operation);
        if (seen.size() <= most) text += sentence(text.empty() ? "" : ", ", sigma::detail::name(n.operation));
    }
    if (seen.size() > most) text += ", …";
    return text.empty() ? "copy" : text;
}

}  // namespace sigma::detail
