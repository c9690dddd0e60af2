// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/plan/liveness.hpp>
#include <sigma/plan/plan.hpp>

namespace sigma::detail {

/// Returns the coded strides of a row-major tensor with rows of `row` elements, as a Shape for convenience.
constexpr Shape row_major(const Shape& s, int row) {
    Shape strides = s;
    int step = 1;
    for (int i = s.rank - 1; i >= 0; --i) {
        strides.extent[i] = step;
        step = times(step, i == s.rank - 1 ? row : s[i]);
    }
    return strides;
}

/// The places of a tensor's elements, coded like the extents of a plan.
struct TensorLayout {
    Shape strides{};
    int offset = 0;
    int time = 0;  ///< elements from position to position of a loop
    bool exists = true;

    /// Returns the layout of one position of (batch, time, …).
    constexpr TensorLayout at_position() const {
        TensorLayout l = *this;
        l.time += strides[1];
        l.strides = strides.without(1);
        return l;
    }
    /// Returns the layout after a reshape. Axes may be split anywhere, and merged if they step evenly, as in NumPy.
    constexpr TensorLayout reshaped(const Shape& from, const Shape& to) const {
        TensorLayout l = *this;
        l.strides = to;
        int i = 0, j = 0;
        while (true) {
            while (i < from.rank && from[i] == 1) ++i;
            while (j < to.rank && to[j] == 1) l.strides.extent[j++] = 1;
            if (i == from.rank || j == to.rank) return l;
            int x = from[i], y = to[j], end = i + 1, last = j;
            while (x != y) {
                const int a = x < 0 ? -x : x, b = y < 0 ? -y : y;
                if (a < b || (a == b && y < 0)) x = times(x, from[end++]);  // of 4 and 4 * batch, 4 is extended
                else y = times(y, to[++last]);
            }
            for (int k = i; k + 1 < end; ++k)
                if (strides[k] != times(from[k + 1], strides[k + 1])) l.exists = false;
            l.strides.extent[last] = strides[end - 1];
            for (int k = last; k > j; --k) l.strides.extent[k - 1] = times(l.strides[k], to[k]);
            i = end;
            j = last + 1;
        }
    }
};
/// Returns whether the axes from `begin` to `end` step evenly, as one axis.
constexpr bool mergeable(const Shape& s, const TensorLayout& l, int begin, int end) {
    int inner = -1;  // skips axes of extent 1, which have no steps
    for (int i = end - 1; i >= begin; --i) {
        if (s[i] == 1) continue;
        if (inner >= 0 && l.strides[i] != times(s[inner], l.strides[inner])) return false;
        inner = i;
    }
    return true;
}
/// Returns the stride of these axes as one axis.
constexpr int merged_stride(const Shape& s, const TensorLayout& l, int begin, int end) {
    for (int i = end - 1; i >= begin; --i)
        if (s[i] != 1) return l.strides[i];
    return end > begin ? l.strides[end - 1] : 0;
}

/// Returns whether a product can read an operand. Its leading axes must step as one axis, or for a product of each of
/// several matrices as two.
constexpr bool product_takes(const Node& product, const Shape& s, const TensorLayout& l) {
    if (product.attribute == 0) return mergeable(s, l, 0, s.rank - 1);
    return s.rank <= 4 || mergeable(s, l, 0, s.rank - 2);
}
/// Returns whether a node is padded for all readers: parameters and states are.
constexpr bool always_padded(const Node& n) {
    return (n.operation == Operation::parameter || n.operation == Operation::state) && n.shape.last() > 1;
}

/// Tensors without a copy: slices, permutations, reshapes and steps of loops that readers can read from the operand's
/// memory, and parts of concatenations and stacks that are computed in their final place.
struct Views {
    const PassInput* in = nullptr;
    List<char> view{};  ///< nonzero for a node that is not computed, but a view of its operand's memory
    /// Concatenation or stack that contains the memory of a node, or the slice of a gradient of an image whose part
    /// alone is computed, or -1.
    List<int> destination{};

    /// Returns the node with the memory of node `i`: itself, unless it is a view or has a destination.
    constexpr int root_of(int i) const {
        while (true) {
            if (destination[i] >= 0) i = destination[i];
            else if (view[i]) i = in->at(i).a;
            else return i;
        }
    }
    /// Returns the node with the image of a convolution in memory: without padding, which is a view that only
    /// convolutions read, or the part of a gradient that slices keep.
    constexpr int image_of(int i) const {
        if (in->at(i).operation == Operation::convolve_input) return destination[i] >= 0 ? destination[i] : i;
        int image = in->at(i).a;
        while (view[image] && in->at(image).operation == Operation::pad) image = in->at(image).a;
        return image;
    }
    /// Returns whether the gradient of an image is computed in the place of a slice, or of a slice of that.
    constexpr bool cuts_gradient(int i) const {
        int image = i;
        while (in->at(image).operation == Operation::slice) image = in->at(image).a;
        if (image == i || in->at(image).operation != Operation::convolve_input || destination[image] < 0) return false;
        for (int v = destination[image]; v != image; v = in->at(v).a)
            if (v == i) return true;
        return false;
    }
    /// Returns whether a node is a concatenation or a stack with all parts computed in place.
    constexpr bool has_all_parts(int i) const {
        const Node& n = in->at(i);
        if (n.operation != Operation::concatenate && n.operation != Operation::stack) return false;
        return destination[n.a] == i && (n.operation == Operation::stack || (destination[n.b] == i && n.a != n.b));
    }
    /// Returns the elements from row to row of a root, given which nodes are padded.
    constexpr int pitch_of(int root, const List<char>& padded) const {
        const Shape& s = in->at(root).shape;
        return padded[root] ? row_pitch(s, in->lanes) : s.last();
    }
    constexpr TensorLayout layout_of(int i, const List<char>& padded) const {
        const Node& n = in->at(i);
        if (destination[i] >= 0) {
            const Node& whole = in->at(destination[i]);
            TensorLayout l = layout_of(destination[i], padded);
            if (whole.operation == Operation::stack) return l.at_position();
            if (i != whole.a) l.offset += times(first_of(whole), l.strides[axis_of(whole)]);
            return l;
        }
        if (!view[i]) return TensorLayout{row_major(n.shape, pitch_of(i, padded))};
        return viewed(n, layout_of(n.a, padded));
    }
    /// Returns the layout of a view from that of its operand. `exists` is false if strides cannot express it.
    constexpr TensorLayout viewed(const Node& n, TensorLayout l) const {
        switch (n.operation) {
            case Operation::step: return l.at_position();
            case Operation::slice: l.offset += times(first_of(n), l.strides[axis_of(n)]); return l;
            case Operation::permute: {
                const Shape from = l.strides;
                for (int i = 0; i < n.shape.rank; ++i) l.strides.extent[i] = from[source_axis(n, i)];
                return l;
            }
            default: return l.reshaped(in->at(n.a).shape, n.shape);
        }
    }
};

class FindViews {
public:
    constexpr FindViews(const PassInput& in, const Liveness& liveness) : in_(in), live_(liveness.live) {}
    constexpr Views run() {
        views_ = {&in_, List<char>(in_.size(), 0), List<int>(in_.size(), -1)};
        padded_ = List<char>(in_.size(), 0);
        steps_ = List<int>(in_.size(), 0);
        for (int i = 0; i < in_.size(); ++i) padded_[i] = always_padded(in_.at(i));
        bool any = false, moves = false;
        for (int i = 0; i < in_.size(); ++i) {
            const Operation o = in_.at(i).operation;
            any = any || (live_[i] && o == Operation::reshape);
            moves = moves || (live_[i] && (is_movement(o) || is_loop_value(o)));
        }
        if (moves) list_readers();
        if (moves) choose_destinations();
        if (moves) cut_gradients();
        if (any || moves) choose_views();
        return static_cast<Views&&>(views_);
    }

private:
    const PassInput& in_;
    const List<char>& live_;
    Views views_{};
    List<char> padded_{};  ///< paddings that are known so far
    List<int> steps_{};    ///< number of steps from each node to its root
    /// Greatest number of steps to a root, since roots are found recursively, and compilers allow 512 nested calls.
    static constexpr int most_steps = 400;
    List<int> first_reader_{}, next_reader_{}, reader_{};

    constexpr TensorLayout layout_of(int i) const { return views_.layout_of(i, padded_); }

    constexpr void list_readers() {
        first_reader_ = List<int>(in_.size(), -1);
        for (int i = 0; i < in_.size(); ++i) {
            if (!live_[i]) continue;
            PassInput::for_each_operand(in_.at(i), [&](int o) {
                reader_.push(i);
                first_reader_[o] = next_reader_.push(first_reader_[o]);
            });
        }
    }
    constexpr bool leaves(int i) const {
        for (const Variable& v : in_.program.outputs)
            if (v.id == i) return true;
        return false;
    }

    /// Returns whether fused kernels can use a layout: steps of 1 along the innermost axis, and the batch first.
    static constexpr bool plain(const Shape& s, const TensorLayout& l) {
        if (!l.exists || s.batch_axis() > 0) return false;
        for (int i = s.rank - 1; i >= 0; --i)
            if (s[i] != 1) return l.strides[i] == 1;
        return true;
    }
    constexpr bool readers_take(int i, const TensorLayout& l) const {
        const Shape& s = in_.at(i).shape;
        if (!l.exists || s.batch_axis() > 0) return false;
        const bool steps_by_one = plain(s, l);
        for (int r = first_reader_[i]; r >= 0; r = next_reader_[r]) {
            const Node& n = in_.at(reader_[r]);
            const Operation o = n.operation;
            if (is_block(o)) continue;  // accepts any strides
            if (!steps_by_one) return false;
            if (is_product(o) ? !product_takes(n, s, l)
                              : !(is_map(o) || is_reduction(o) || is_movement(o) || o == Operation::reshape ||
                                  o == Operation::argmax || is_loop_value(o) || o == Operation::advance ||
                                  o == Operation::assign))
                return false;
        }
        return true;
    }

    constexpr void choose_destinations() {
        for (int i = in_.size() - 1; i >= 0; --i) {
            const Operation o = in_.at(i).operation;
            if (!live_[i] || (o != Operation::concatenate && o != Operation::stack)) continue;
            if (in_.at(i).shape.batch_axis() > 0 || (o == Operation::stack && is_moved_stack(in_.at(i)))) continue;
            choose_destination(in_.at(i).a, i);
            if (in_.at(i).b >= 0 && in_.at(i).b != in_.at(i).a) choose_destination(in_.at(i).b, i);
        }
    }
    constexpr void choose_destination(int part, int whole) {
        const Node& n = in_.at(part);
        const bool computed = is_map(n.operation) || is_reduction(n.operation) || is_product(n.operation) ||
                              n.operation == Operation::concatenate;
        if (!computed || views_.destination[part] >= 0 || leaves(part)) return;
        if (in_.loop_around(part) != in_.loop_around(whole)) return;
        views_.destination[part] = whole;
        const TensorLayout l = layout_of(part);
        const bool taken = readers_take(part, l) && (!is_product(n.operation) || product_takes(n, n.shape, l));
        if (taken && steps_[whole] < most_steps) steps_[part] = steps_[whole] + 1;
        else views_.destination[part] = -1;
    }

    // ---- padding of images: convolutions read zeros around an image without a copy ----

    /// Returns whether a node moves or cuts rows or columns of images.
    constexpr bool frames_images(int i) const {
        return in_.at(i).shape.rank == 4 && (axis_of(in_.at(i)) == 1 || axis_of(in_.at(i)) == 2);
    }
    /// Returns whether only convolutions read a `pad`, as their image. Their kernels compute images of one channel
    /// faster from a padded copy.
    constexpr bool pads_images(int i) const {
        if (leaves(i) || !frames_images(i) || in_.at(i).shape[3] == 1) return false;
        for (int r = first_reader_[i]; r >= 0; r = next_reader_[r]) {
            const Node& n = in_.at(reader_[r]);
            const bool image =
                n.a == i && n.b != i && is_convolution(n.operation) && n.operation != Operation::convolve_input;
            if (!image && !(n.operation == Operation::pad && pads_images(reader_[r]))) return false;
        }
        return true;
    }
    /// Finds slices that are the only readers of the gradient of an image.
    constexpr void cut_gradients() {
        for (int i = 0; i < in_.size(); ++i) {
            if (!live_[i] || in_.at(i).operation != Operation::convolve_input) continue;
            for (int v = i;;) {
                const int r = first_reader_[v];
                if (leaves(v) || r < 0 || next_reader_[r] >= 0) break;
                v = reader_[r];
                if (in_.at(v).operation != Operation::slice || !frames_images(v) ||
                    in_.loop_around(v) != in_.loop_around(i))
                    break;
                views_.destination[i] = v;
            }
        }
    }

    constexpr void choose_views() {
        for (int i = 0; i < in_.size(); ++i) {
            const Node& n = in_.at(i);
            const Operation o = n.operation;
            if (!live_[i] || leaves(i) || (o == Operation::slice && views_.cuts_gradient(i))) continue;
            if (o == Operation::pad) {
                const bool again = views_.view[n.a] && in_.at(n.a).operation == Operation::pad;
                if (pads_images(i)) choose_view(i, again || only_reshaped(n.a));
                continue;
            }
            if (o == Operation::reshape) {
                const Operation root = in_.at(views_.root_of(n.a)).operation;
                const bool padded = root == Operation::parameter || root == Operation::state;
                if (padded && n.shape.last() != in_.at(n.a).shape.last()) continue;
                if (views_.root_of(n.a) == n.a || only_reshaped(n.a)) {
                    choose_view(i, true);
                    continue;
                }
            } else if (o != Operation::slice && o != Operation::permute && o != Operation::step) {
                continue;
            }
            if (in_.at(n.a).shape.batch_axis() > 0) continue;
            const TensorLayout l = views_.viewed(n, layout_of(n.a));
            choose_view(i, readers_take(i, l));
        }
    }
    constexpr void choose_view(int i, bool taken) {
        const int steps = steps_[in_.at(i).a] + 1;
        views_.view[i] = taken && steps <= most_steps;
        if (views_.view[i]) steps_[i] = steps;
    }
    constexpr bool only_reshaped(int i) const {
        while (views_.destination[i] < 0 && views_.view[i] && in_.at(i).operation == Operation::reshape)
            i = in_.at(i).a;
        return views_.destination[i] < 0 && !views_.view[i];
    }
};

/// Second pass: finds views and destinations.
constexpr Views find_views(const PassInput& in, const Liveness& liveness) {
    return detail::FindViews(in, liveness).run();
}

}  // namespace sigma::detail
