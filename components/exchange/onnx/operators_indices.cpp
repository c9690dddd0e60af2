// SPDX-License-Identifier: BSL-1.0
#include <sigma/sigma.hpp>

#include "import.hpp"

#include <algorithm>
#include <string>

// Operators that read and write elements by their positions. Negative positions count from the end.
namespace sigma::detail {

namespace {

Tensor from_front(Tensor positions, int n) {
    const Tensor negative = positions < 0.0;
    return where(negative, positions + static_cast<double>(n), positions);
}
int known_extent(OnnxCall& c, const Shape& s, int at) {
    if (s[at] < 0) c.refuse("an axis that does not count records", sentence(at));
    return s[at];
}
/// Returns the order with one axis in front of all others. The next function returns the reverse order.
Shape fronted(int rank, int at) {
    Shape order(at);
    for (int i = 0; i < rank; ++i)
        if (i != at) order.extent[order.rank++] = i;
    return order;
}
int elements_of(const Shape& s) { return static_cast<int>(s.count()); }
Shape joined_shape(OnnxCall& c, const Shape& s, int at, const Shape& in_place) {
    Numbers all;
    for (int i = 0; i < s.rank; ++i) {
        if (i != at) all.push_back(s[i]);
        else all.insert(all.end(), in_place.extent, in_place.extent + in_place.rank);
    }
    return c.shape_of(all);
}

// ---- reading ----

void take(OnnxCall& c) {
    const Shape s = c.shape(0);
    if (s.rank == 0) c.refuse("an axis", "a number");
    const int at = c.axis(c.whole("axis", 0), s.rank), n = known_extent(c, s, at);
    if (c.in(1).known) {  // successive positions are a slice
        Numbers where_at = c.numbers(1);
        if (where_at.empty()) c.refuse("positions", "no positions");
        bool run = true;
        for (std::size_t i = 0; i < where_at.size(); ++i) {
            if (where_at[i] < -n || where_at[i] >= n)
                c.refuse(sentence("positions from ", -n, " to ", n - 1), sentence(where_at[i]));
            if (where_at[i] < 0) where_at[i] += n;
            run = run && where_at[i] == where_at[0] + static_cast<long long>(i);
        }
        if (run) {
            const int first = static_cast<int>(where_at[0]), end = first + static_cast<int>(where_at.size());
            const Tensor part = slice(c.weight(0, "table"), axis(at), first, end);
            return c.give(reshape(part, joined_shape(c, s, at, c.shape(1))));
        }
    }
    const Tensor x = c.weight(0, "table");
    const Tensor positions = from_front(c.x(1), n);
    const Shape i = positions.shape(), wanted = joined_shape(c, s, at, i);
    if (!s.batched()) {  // rows of a table
        const Tensor moved = permute(x, fronted(s.rank, at));
        const int width = elements_of(s) / n;
        const Tensor rows =
            gather(reshape(moved, {n, width}),
                   Tensor{reshape(positions.variable, c.shape_of({i.batched() ? -i.count() : i.count()}))});
        Shape apart = i, order;
        for (int k = 0; k < s.rank; ++k)
            if (k != at) apart.extent[apart.rank++] = s[k];
        for (int k = 0; k < at; ++k) order.extent[order.rank++] = i.rank + k;
        for (int k = 0; k < i.rank; ++k) order.extent[order.rank++] = k;
        for (int k = at; k < s.rank - 1; ++k) order.extent[order.rank++] = i.rank + k;
        return c.give(permute(reshape(rows, apart), order));
    }
    if (i.batched()) c.refuse("positions that are the same for all records", "positions that depend on the record");
    const Tensor flat = reshape(positions, all_ones(s).with(at, elements_of(i)));
    c.give(reshape(gather(x, flat, axis(at)), wanted));
}
void take_elements(OnnxCall& c) {
    const Shape s = c.shape(0), i = c.shape(1);
    if (i.rank != s.rank || s.rank == 0) c.refuse(sentence("positions of ", s.rank, " axes"), sentence(i.rank));
    const int at = c.axis(c.whole("axis", 0), s.rank), n = known_extent(c, s, at);
    Tensor x = c.x(0);
    for (int k = 0; k < s.rank; ++k) {
        if (k == at || s[k] == i[k]) continue;
        if (s[k] < 0 || i[k] < 0 || i[k] > s[k]) c.refuse("positions within the data", shape_text(c.in(1).dims()));
        x = slice(x, axis(k), 0, i[k]);
    }
    c.give(gather(x, from_front(c.x(1), n), axis(at)));
}
/// Converts the last axis of positions to one position in the merged `depth` leading axes.
Tensor one_position(OnnxCall& c, Tensor positions, const Shape& s, int first, int depth) {
    Tensor total{};
    for (int k = 0; k < depth; ++k) {
        const int n = known_extent(c, s, first + k);
        const Tensor part = from_front(slice(positions, axis(-1), k, k + 1), n);
        total = k == 0 ? part : static_cast<double>(n) * total + part;
    }
    return {reshape(total.variable, total.shape().without(total.shape().rank - 1))};
}
void take_slices(OnnxCall& c) {
    const Shape s = c.shape(0), i = c.shape(1);
    const int before = c.small("batch_dims", 0, 0, 5);
    if (i.rank < 1 || i.last() < 1 || before + i.last() > s.rank || before >= i.rank || s.batched() || i.batched())
        c.refuse("positions within data without an axis of records", shape_text(c.in(1).dims()));
    const int depth = i.last();
    int groups = 1, n = 1, width = 1;
    for (int k = 0; k < s.rank; ++k) (k < before ? groups : k < before + depth ? n : width) *= s[k];
    for (int k = 0; k < before; ++k)
        if (s[k] != i[k]) c.refuse("positions for each group", shape_text(c.in(1).dims()));
    const Tensor flat = one_position(c, c.x(1), s, before, depth);
    Numbers wanted(i.extent, i.extent + i.rank - 1);
    wanted.insert(wanted.end(), s.extent + before + depth, s.extent + s.rank);
    const Shape result = c.shape_of(wanted);
    const int rows = elements_of(flat.shape()) / groups;
    const Tensor data = reshape(c.x(0), {groups, n, width});
    c.give(reshape(gather(data, reshape(flat, {groups, rows, 1}), axis(1)), result));
}

// ---- writing ----

/// Returns the totals at places that are written, and the previous values at other places.
Tensor written(OnnxCall& c, Tensor before, Tensor count, Tensor total) {
    const std::string how = c.text("reduction", "none");
    if (how == "add") return before + total;
    if (how != "none") c.refuse("reduction none or add", how);
    return where(count > 0.5, total, before);
}
void put_elements(OnnxCall& c) {
    const Shape s = c.shape(0), i = c.shape(1);
    if (i.rank != s.rank || s.rank == 0 || c.in(2).dims() != c.in(1).dims())
        c.refuse("as many positions as updates, of the axes of the data", shape_text(c.in(1).dims()));
    const int at = c.axis(c.whole("axis", 0), s.rank), n = known_extent(c, s, at);
    Tensor positions = from_front(c.x(1), n), updates = c.x(2);
    for (int k = 0; k < s.rank; ++k) {
        if (k == at || s[k] == i[k]) continue;
        if (s[k] < 0 || i[k] < 0 || i[k] > s[k]) c.refuse("positions within the data", shape_text(c.in(1).dims()));
        positions = pad(positions, axis(k), 0, s[k] - i[k], -1);  // -1 is no place
        updates = pad(updates, axis(k), 0, s[k] - i[k]);
    }
    const Variable to = exchanged(positions.variable, at), what = exchanged(updates.variable, at);
    const Variable one = expand(c.constant(1).variable, what.shape());
    const Tensor total{exchanged(scatter_add_along(what, to, n), at)},
        count{exchanged(scatter_add_along(one, to, n), at)};
    c.give(written(c, c.x(0), count, total));
}
void put_slices(OnnxCall& c) {
    const Shape s = c.shape(0), i = c.shape(1);
    if (i.rank < 1 || i.last() < 1 || i.last() > s.rank || s.batched() || i.batched())
        c.refuse("positions within data without an axis of records", shape_text(c.in(1).dims()));
    int n = 1, width = 1;
    for (int k = 0; k < s.rank; ++k) (k < i.last() ? n : width) *= s[k];
    const Tensor flat = one_position(c, c.x(1), s, 0, i.last());
    const int rows = elements_of(flat.shape());
    if (c.shape(2).batched() || c.shape(2).count() != static_cast<long long>(rows) * width)
        c.refuse("an update for each position", shape_text(c.in(2).dims()));
    const Variable to = reshape(flat, Shape{rows}).variable, what = reshape(c.x(2), {rows, width}).variable;
    const Variable one = expand(c.constant(1).variable, Shape{rows, width});
    const Tensor total{scatter_add(what, to, n)}, count{scatter_add(one, to, n)};
    c.give(reshape(written(c, reshape(c.x(0), {n, width}), count, total), s));
}
void hot(OnnxCall& c) {
    const int classes = c.in_bounds("depth", c.whole_number(1), 1, 1 << 24);
    if (!c.in(2).known || c.in(2).known->count() != 2)
        c.refuse("two constant values",
                 !c.in(2).known ? "values that depend on inputs" : sentence(c.in(2).known->count()));
    const double off = c.in(2).known->at(0), on = c.in(2).known->at(1);
    const int rank = c.rank(0), at = c.axis(c.whole("axis", -1), rank + 1);
    c.shape_of([&] {
        Numbers all = c.in(0).dims();
        all.push_back(classes);
        return all;
    }());
    const Tensor last = one_hot(from_front(c.x(0), classes), classes);
    Shape order;
    for (int k = 0; k < rank; ++k) {
        if (k == at) order.extent[order.rank++] = rank;
        order.extent[order.rank++] = k;
    }
    if (at == rank) order.extent[order.rank++] = rank;
    c.give(off + (on - off) * permute(last, order), c.type(2));
}

// ---- interpolation between pixels ----

/// Samples images (records, height, width, channels) at places (records, count, 1), which may be outside.
class Sampler {
public:
    Sampler(OnnxCall& c, Tensor images) : s_(images.shape()) {
        outside_ = c.text("padding_mode", "zeros");
        aligned_ = c.whole("align_corners", 0) != 0;
        if (outside_ != "zeros" && outside_ != "border" && outside_ != "reflection")
            c.refuse("padding_mode zeros, border or reflection", outside_);
        flat_ = reshape(images, {s_[0], s_[1] * s_[2], s_[3]});
    }
    /// Converts coordinates from -1 … 1 to the pixels of an axis.
    Tensor pixels(Tensor x, int axis) const {
        const double n = s_[axis];
        return aligned_ ? (x + 1.0) * ((n - 1) / 2) : (x + 1.0) * (n / 2) - 0.5;
    }
    Tensor placed(Tensor x, int axis) const {
        const double n = s_[axis];
        if (outside_ == "border") return clipped(x, axis);
        if (outside_ != "reflection") return x;
        const double low = aligned_ ? 0 : -0.5, span = aligned_ ? std::max(n - 1, 1e-9) : n;
        const Tensor turn = mod(abs(x - low), 2 * span);
        const Tensor back = 2 * span - turn;
        return clipped(min(turn, back) + low, axis);
    }
    /// Returns the pixels at integer coordinates.
    Tensor at(Tensor y, Tensor x) const {
        const Tensor row = clipped(y, 1), column = clipped(x, 2);
        const Tensor position = row * static_cast<double>(s_[2]) + column;
        const Tensor found = gather(flat_, position, axis(1));
        if (outside_ != "zeros") return found;
        const Tensor high = equal(row, y), wide = equal(column, x);
        return where(high * wide, found, 0.0);
    }

private:
    Shape s_;
    Tensor flat_{};
    std::string outside_;
    bool aligned_ = false;

    Tensor clipped(Tensor x, int axis) const { return max(min(x, s_[axis] - 1.0), 0.0); }
};
/// Returns the weight of a pixel at a distance from 0 to 2 (Keys 1981, with a = -3/4).
Tensor cubic_share(Tensor distance) {
    const Tensor d = abs(distance);
    const Tensor near = (1.25 * d - 2.25) * d * d + 1.0;
    const Tensor far = ((-0.75 * d + 3.75) * d - 6.0) * d + 3.0;
    return where(d <= 1.0, near, far);
}
void sample_grid(OnnxCall& c) {
    const Shape x = c.shape(0), g = c.shape(1);
    if (x.rank != 4 || g.rank != 4 || x[0] != g[0] || g[3] != 2 || x[1] < 0 || x[2] < 0 || x[3] < 0)
        c.refuse("images, and a grid of places for each", shape_text(c.in(1).dims()));
    std::string mode = c.text("mode", c.opset() < 20 ? "bilinear" : "linear");
    if (mode == "linear" || mode == "cubic") mode.insert(0, "bi");  // the old names of operator set 16
    const int count = g[1] * g[2];
    const Tensor places = reshape(c.x(1), {g[0], count, 2});
    const Sampler sampler(c, c.images(0));
    Tensor column = sampler.pixels(slice(places, axis(2), 0, 1), 2),
           row = sampler.pixels(slice(places, axis(2), 1, 2), 1);
    Tensor y{};
    if (mode == "nearest") {
        row = round(sampler.placed(row, 1)), column = round(sampler.placed(column, 2));
        y = sampler.at(row, column);
    } else if (mode == "bilinear" || mode == "bicubic") {
        const bool cubic = mode == "bicubic";
        if (!cubic) row = sampler.placed(row, 1), column = sampler.placed(column, 2);
        const Tensor top = floor(row), left = floor(column);
        for (int i = cubic ? -1 : 0; i <= (cubic ? 2 : 1); ++i)
            for (int j = cubic ? -1 : 0; j <= (cubic ? 2 : 1); ++j) {
                const Tensor at_row = top + static_cast<double>(i), at_column = left + static_cast<double>(j);
                const Tensor down = row - at_row, right = column - at_column;
                const Tensor of_row = cubic ? cubic_share(down) : 1.0 - abs(down);
                const Tensor of_column = cubic ? cubic_share(right) : 1.0 - abs(right);
                const Tensor pixel = sampler.at(cubic ? sampler.placed(at_row, 1) : at_row,
                                                cubic ? sampler.placed(at_column, 2) : at_column);
                const Tensor part = of_row * of_column * pixel;
                y = y.variable.tape == nullptr ? part : y + part;
            }
    } else c.refuse("mode bilinear, nearest or bicubic", mode);
    c.give(reshape(y, c.shape_of({x[0], g[1], g[2], x[1]})), c.type(), true);
}

// ---- constants ----

void not_zero(OnnxCall& c) {
    const OnnxValue& v = c.in(0);
    if (!v.known) c.refuse("a constant", "a value that depends on inputs");
    const Numbers& dims = v.known->dims;
    Elements e;
    e.type = OnnxType::INT64;
    std::vector<long long> found;
    for (long long i = 0; i < v.known->count(); ++i)
        if (v.known->at(i) != 0) found.push_back(i);
    e.dims = {static_cast<long long>(dims.size()), static_cast<long long>(found.size())};
    long long behind = v.known->count();
    for (const long long d : dims) {
        if (d == 0) break;
        behind /= d;
        for (const long long i : found) e.numbers.push_back(static_cast<double>(i / behind % d));
    }
    c.give_known(std::move(e));
}
void compress(OnnxCall& c) {
    const Shape s = c.shape(0);
    const bool flat = c.attribute("axis") == nullptr;
    const int at = flat ? 0 : c.axis(c.whole("axis", 0), s.rank);
    Tensor x = c.x(0);
    if (flat) x = reshape(x, Shape{elements_of(s)});
    const int n = known_extent(c, x.shape(), at);
    const Numbers chosen = c.numbers(1);
    Elements e;
    e.type = OnnxType::INT64;
    for (std::size_t i = 0; i < chosen.size() && i < static_cast<std::size_t>(n); ++i)
        if (chosen[i] != 0) e.numbers.push_back(static_cast<double>(i));
    const auto count = static_cast<long long>(e.numbers.size());
    if (count == 0) c.refuse("at least one selected element", "no element");
    e.dims.assign(static_cast<std::size_t>(x.shape().rank), 1);
    e.dims[static_cast<std::size_t>(at)] = count;
    c.give(gather(x, c.table(std::move(e), "positions"), axis(at)));
}
void reverse_sequences(OnnxCall& c) {
    const Shape s = c.shape(0);
    if (s.rank < 2) c.refuse("sequences", shape_text(c.in(0).dims()));
    const int records = c.axis(c.whole("batch_axis", 1), s.rank), time = c.axis(c.whole("time_axis", 0), s.rank);
    if (records == time) c.refuse("two different axes", "one axis twice");
    const int n = known_extent(c, s, time);
    if (c.shape(1).rank != 1 || c.shape(1)[0] != s[records])
        c.refuse("a length for each sequence", shape_text(c.in(1).dims()));
    const Tensor lengths = reshape(c.x(1), all_ones(s).with(records, s[records]));
    const Tensor now{reshape(iota_beside(lengths, n).variable, all_ones(s).with(time, n))};
    const Tensor inside = now < lengths;
    const Tensor mirrored = lengths - 1.0 - now;
    c.give(gather(c.x(0), where(inside, mirrored, now), axis(time)));
}

// ---- losses of classes ----

void give_class_loss(OnnxCall& c, Tensor log_share) {  // (records, …, classes)
    const Shape s = log_share.shape();
    if (c.rank(1) != s.rank - 1) c.refuse("a class for each position", shape_text(c.in(1).dims()));
    const Tensor target = c.x(1);
    const bool ignores = c.attribute("ignore_index") != nullptr;
    const auto nothing = static_cast<double>(c.whole("ignore_index", 0));
    const Tensor hot_rows = one_hot(target, s.last());
    if (!(hot_rows.shape() == s)) c.refuse("a class for each position", shape_text(c.in(1).dims()));
    const Tensor chosen = sum(where(hot_rows, log_share, 0.0), axis(-1));
    Tensor weight = c.has(2) ? sum(hot_rows * c.x(2), axis(-1)) : sum(hot_rows, axis(-1));
    if (ignores) weight = where(equal(target, nothing), 0.0, weight);
    const Tensor each = -chosen * weight;
    const std::string how = c.text("reduction", "mean");
    if (how == "none") c.give(each);
    else if (how == "sum") c.give(sum(each));
    else if (how == "mean") c.give(sum(each) / sum(weight));
    else c.refuse("reduction none, sum or mean", how);
}
void negative_likelihood(OnnxCall& c) { give_class_loss(c, c.images(0)); }
void cross_entropy(OnnxCall& c) {
    if (c.rank(0) < 2) c.refuse("scores of classes", shape_text(c.in(0).dims()));
    const Tensor y = log_softmax(c.images(0), axis(-1));
    give_class_loss(c, y);
    c.give(y, c.type(), true);
}

constexpr OnnxOperator rows[] = {
    {"Gather", take},
    {"GatherElements", take_elements},
    {"GatherND", take_slices},
    {"Scatter", put_elements},
    {"ScatterElements", put_elements},
    {"ScatterND", put_slices},
    {"OneHot", hot},
    {"GridSample", sample_grid},
    {"NonZero", not_zero},
    {"Compress", compress},
    {"ReverseSequence", reverse_sequences},
    {"NegativeLogLikelihoodLoss", negative_likelihood},
    {"SoftmaxCrossEntropyLoss", cross_entropy},
};

}  // namespace

std::span<const OnnxOperator> onnx_indices() { return rows; }

}  // namespace sigma::detail
