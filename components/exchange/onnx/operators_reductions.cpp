// SPDX-License-Identifier: BSL-1.0
#include <sigma/sigma.hpp>

#include "import.hpp"

namespace sigma::detail {

namespace {

Axes axes_of(const std::vector<int>& given) {
    Axes all;
    for (const int a : given) all.add(a);
    return all;
}
/// Reverses an axis.
Tensor reversed(OnnxCall& c, Tensor x, int along) {
    const int n = x.shape()[along];
    if (n < 0) c.refuse("an axis that does not count records", sentence(along));
    const Tensor at = (n - 1.0) - iota_beside(x, n);
    return gather(x, {reshape(at.variable, all_ones(x.shape()).with(along, n))}, axis(along));
}

// ---- reductions ----

using Reducer = Tensor (*)(Tensor x, const Axes& over);
template <Reducer f>
void reduce_by(OnnxCall& c) {
    c.shape(0);
    const int rank = c.rank(0);
    const bool none = c.whole("noop_with_empty_axes", 0) != 0;
    const std::vector<int> over = c.axes(1, rank, !none);
    const Tensor x = c.x(0);
    if (over.empty() && rank > 0 && c.opset() < 18) return c.give(x);
    const Tensor y = f(x, axes_of(over));
    c.give(c.whole("keepdims", 1) != 0 ? y : Tensor{reshape(y.variable, dropped(x.shape(), axes_of(over)))});
}
Tensor all_products(Tensor x, const Axes& over) {
    for (int i = 0; i < over.count; ++i) {
        const int at = over.number[i], n = x.shape()[at];
        x = slice(cumprod(x, axis(at)), axis(at), n - 1, n);
    }
    return x;
}
Tensor log_sum_exp(Tensor x, const Axes& over) {
    const Tensor greatest = stop_gradient(max(x, over, keep));
    const Tensor shift = where(abs(greatest) < std::numeric_limits<double>::infinity(), greatest, 0.0);
    return log(sum(exp(x - shift), over, keep)) + shift;
}

// ---- along one axis ----

template <bool greatest>
void position(OnnxCall& c) {
    const int rank = c.rank(0);
    const int at = c.axis(c.whole("axis", 0), rank);
    const Tensor x = greatest ? c.x(0) : -c.x(0);
    const bool last = c.whole("select_last_index", 0) != 0;
    const Tensor found = argmax(last ? reversed(c, x, at) : x, axis(at));
    const Tensor y = last ? (x.shape()[at] - 1.0) - found : found;
    c.give(c.whole("keepdims", 1) != 0 ? Tensor{reshape(y.variable, x.shape().with(at, 1))} : y, OnnxType::INT64);
}
void cumulative(OnnxCall& c) {
    const int at = c.axis(c.whole_number(1), c.rank(0));
    c.give(cumsum(c.x(0), axis(at), {c.whole("exclusive", 0) != 0, c.whole("reverse", 0) != 0}));
}
void greatest_few(OnnxCall& c) {
    const int at = c.axis(c.whole("axis", -1), c.rank(0));
    const int k = c.in_bounds("k", c.has(1) ? c.whole_number(1) : c.whole("k", 0), 1, c.shape(0)[at]);
    const bool largest = c.whole("largest", 1) != 0;
    const Tensor x = c.x(0);
    const TopK found = top_k(largest ? x : -x, k, axis(at));
    c.give(largest ? found.values : -found.values);
    c.give(found.indices, OnnxType::INT64);
}
/// Applies f along an axis. Before operator set 13, all axes from this one are merged.
template <class F>
void along(OnnxCall& c, F f) {
    const int rank = c.rank(0);
    const Tensor x = c.x(0);
    const int at = c.axis(c.whole("axis", c.opset() < 13 ? 1 : -1), rank);
    if (c.opset() >= 13) return c.give(f(x, at));
    const Shape s = x.shape();
    Shape flat = s;
    flat.rank = at + 1;
    long long rest = 1;
    for (int i = at; i < rank; ++i) rest *= s[i];
    flat.extent[at] = static_cast<int>(rest);
    c.give(reshape(f(reshape(x, flat), at), s));
}
void soft(OnnxCall& c) {
    along(c, [](Tensor x, int at) { return softmax(x, axis(at)); });
}
void log_soft(OnnxCall& c) {
    along(c, [](Tensor x, int at) { return log_softmax(x, axis(at)); });
}
void hard(OnnxCall& c) {
    along(c, [](Tensor x, int at) {
        const int n = x.shape()[at];
        const Tensor first{reshape(argmax(x, axis(at)).variable, x.shape().with(at, 1))};
        const Tensor numbers = iota_beside(x, n);
        return equal(first, Tensor{reshape(numbers.variable, all_ones(x.shape()).with(at, n))});
    });
}

constexpr OnnxOperator rows[] = {
    {"ReduceSum", reduce_by<[](Tensor x, const Axes& over) { return sum(x, over, keep); }>},
    {"ReduceMean", reduce_by<[](Tensor x, const Axes& over) { return mean(x, over, keep); }>},
    {"ReduceMax", reduce_by<[](Tensor x, const Axes& over) { return max(x, over, keep); }>},
    {"ReduceMin", reduce_by<[](Tensor x, const Axes& over) { return min(x, over, keep); }>},
    {"ReduceL1", reduce_by<[](Tensor x, const Axes& over) { return sum(abs(x), over, keep); }>},
    {"ReduceL2", reduce_by<[](Tensor x, const Axes& over) { return norm(x, over, keep); }>},
    {"ReduceSumSquare", reduce_by<[](Tensor x, const Axes& over) { return sum(square(x), over, keep); }>},
    {"ReduceLogSum", reduce_by<[](Tensor x, const Axes& over) { return log(sum(x, over, keep)); }>},
    {"ReduceLogSumExp", reduce_by<log_sum_exp>},
    {"ReduceProd", reduce_by<all_products>},
    {"ArgMax", position<true>},
    {"ArgMin", position<false>},
    {"CumSum", cumulative},
    {"TopK", greatest_few},
    {"Softmax", soft},
    {"LogSoftmax", log_soft},
    {"Hardmax", hard},
};

}  // namespace

std::span<const OnnxOperator> onnx_reductions() { return rows; }

}  // namespace sigma::detail
