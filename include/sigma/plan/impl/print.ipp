// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/plan/print.hpp>

namespace sigma::detail {

SIGMA_IMPL std::string coded_text(long long n) {
    return n == batch ? "batch" : n < 0 ? sentence(-n, "*batch") : sentence(n);
}

SIGMA_IMPL std::string to_text(const Buffer& b) {
    constexpr const char* names[] = {"none", "input", "output", "parameter", "state", "fixed", "batched"};
    const bool in_arena = b.where == Buffer::Where::fixed || b.where == Buffer::Where::batched;
    return sentence(names[static_cast<int>(b.where)], in_arena ? " at " : " ", b.offset, " ", sigma::to_text(b.shape),
                    b.padded ? sentence(", rows of ", b.row) : "");
}

SIGMA_IMPL const char* name(Kernel::Kind kind) {
    constexpr const char* names[] = {"rows",   "columns",     "product", "transpose", "move", "fill_uniform",
                                     "argmax", "convolution", "pooling", "lookup",    "block"};
    return names[static_cast<int>(kind)];
}

SIGMA_IMPL const char* name(FusedKernel::Tail tail) {
    constexpr const char* names[] = {"none", "memory", "masked"};
    return names[static_cast<int>(tail)];
}

SIGMA_IMPL std::string loops_text(const FusedKernel& k) {
    std::string text = "loops";
    if (k.rank == 0) text += " none";
    for (int i = 0; i < k.rank; ++i) {
        const bool bar = i > 0 && (i == k.outer || (k.reduced > 0 && i == k.outer + k.reduced));
        text += (bar ? " | " : " ") + coded_text(k.extent[i]);
    }
    return text;
}

SIGMA_IMPL const char* operation_name(const Kernel& k) {
    switch (k.kind) {
        case Kernel::Kind::product: return sigma::name(k.product.operation());
        case Kernel::Kind::convolution: return sigma::name(k.convolution.operation);
        case Kernel::Kind::pooling: return sigma::name(k.pooling.operation);
        case Kernel::Kind::lookup: return sigma::name(k.lookup.operation);
        case Kernel::Kind::block: return sigma::name(k.block.operation);
        default: return name(k.kind);
    }
}

/// " batch 9 8 3"
SIGMA_IMPL std::string extents_text(std::initializer_list<int> extents) {
    std::string text;
    for (const int n : extents) text += " " + coded_text(n);
    return text;
}

SIGMA_IMPL std::string single_text(const Kernel& k, const Argument* first) {
    const auto buffer = [&](int i) { return sentence("b", first[i].buffer); };
    const auto call = [&] {
        std::string text = sentence(buffer(k.arguments - 1), " = ", operation_name(k));
        for (int i = 0; i + 1 < k.arguments; ++i) text += (i ? ", " : "(") + buffer(i);
        return text + "), extents";
    };
    const auto copy = [&] { return sentence(buffer(1), " = ", buffer(0), ", extents"); };
    const auto loops = [](int rank, const int* extents) {
        std::string text;
        for (int i = 0; i < rank; ++i) text += extents_text({extents[i]});
        return text;
    };
    switch (k.kind) {
        case Kernel::Kind::rows:
        case Kernel::Kind::columns: return {};  // not single
        case Kernel::Kind::fill_uniform:
            return buffer(0) + sentence(" = stream ", static_cast<unsigned long long>(k.fill_uniform.stream));
        case Kernel::Kind::transpose: {
            const TransposeKernel& t = k.transpose;
            return copy() + extents_text({t.rows, t.columns, t.count[0], t.count[1]});
        }
        case Kernel::Kind::move:
            return copy() + loops(k.move.rank, k.move.extent) + (k.move.clear != 0 ? ", zeros elsewhere" : "");
        case Kernel::Kind::argmax: return copy() + loops(k.argmax.rank, k.argmax.extent);
        case Kernel::Kind::convolution: {
            const ConvolutionKernel& c = k.convolution;
            return call() + extents_text({c.images, c.result_height, c.result_width, c.outputs, c.weights_rows()});
        }
        case Kernel::Kind::pooling: {
            const PoolingKernel& p = k.pooling;
            return call() + extents_text({p.images, p.windows_high, p.windows_wide, p.channels});
        }
        case Kernel::Kind::block: return call() + loops(k.block.rank, k.block.extent);
        case Kernel::Kind::lookup: return call() + extents_text({k.lookup.ids, k.lookup.width});
        case Kernel::Kind::product: break;
    }
    const ProductKernel& p = k.product;
    std::string text = buffer(2) + (!p.accumulate ? (p.negative ? " = -" : " = ") : p.negative ? " -= " : " += ");
    if (p.scaled) text += buffer(3) + " * ";
    else if (p.alpha != 1) text += sentence(p.alpha, " * ");
    text += sentence(operation_name(k), "(", buffer(0), ", ", buffer(1), "), ", coded_text(p.m), " x ", coded_text(p.n),
                     " x ", coded_text(p.k));
    return text + (p.each ? sentence(", ", coded_text(p.count[0]), " x ", coded_text(p.count[1]), " times") : "");
}

}  // namespace sigma::detail
