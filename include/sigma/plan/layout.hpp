// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/plan/views.hpp>

namespace sigma::detail {

/// The memory layout of each tensor. The rows of a padded tensor take whole vectors, so that kernels need no tails.
struct Layouts {
    const PassInput* in = nullptr;
    const Views* views = nullptr;
    List<char> padded{};  ///< nonzero if each row, also of a view, ends with the padding of a row in memory

    /// Returns the number of elements from row to row.
    constexpr int pitch_of(int i) const { return views->pitch_of(i, padded); }
    constexpr TensorLayout layout_of(int i) const { return views->layout_of(i, padded); }
};

/// Third pass: chooses layouts. Inputs and outputs are dense, as are operands that a product or a reshape must read as
/// one run of elements.
constexpr Layouts choose_layouts(const PassInput& in, const Liveness& liveness, const Views& views) {
    Layouts result{&in, &views, List<char>(in.size(), 1)};
    List<char>& padded = result.padded;
    const auto unpad = [&](int root) { padded[root] = padded[root] && always_padded(in.at(root)); };
    for (int i = 0; i < in.size(); ++i) {
        if (!liveness.live[i]) continue;
        const Node& n = in.at(i);
        if (n.operation == Operation::input || n.shape.last() <= 1) padded[i] = 0;
        if (n.operation == Operation::reshape && !views.view[i]) padded[i] = 0;  // copied in one run
    }
    for (int i = 0; i < in.size(); ++i) {
        const Node& n = in.at(i);
        if (!liveness.live[i] || n.operation != Operation::reshape || !views.view[i]) continue;
        // A reshape with other rows than its operand needs dense rows. Rows behind a permute, such as (3, 2, 1) of (1,
        // 3, 2), may be padded where the reshape needs even steps.
        if (n.shape.last() != in.at(n.a).shape.last() || !result.layout_of(i).exists) unpad(views.root_of(i));
    }
    for (int i = 0; i < in.size(); ++i) {  // rows that became columns must follow each other without gaps
        const Node& n = in.at(i);
        if (!liveness.live[i] || !is_product(n.operation)) continue;
        for (int o : {n.a, n.b, i})
            if (!product_takes(n, in.at(o).shape, result.layout_of(o))) unpad(views.root_of(o));
    }
    for (const Variable& v : in.program.outputs) padded[views.root_of(v.id)] = 0;
    const auto has_whole_rows = [&](int i) {
        const int root = views.root_of(i);
        while (i != root) {
            const int next = views.destination[i] >= 0 ? views.destination[i] : in.at(i).a;
            if (in.at(i).shape.last() != in.at(next).shape.last()) return false;
            i = next;
        }
        return true;
    };
    for (int i = 0; i < in.size(); ++i)
        padded[i] = padded[views.root_of(i)] && in.at(i).shape.last() > 1 && has_whole_rows(i);
    return result;
}

}  // namespace sigma::detail
