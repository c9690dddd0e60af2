// SPDX-License-Identifier: BSL-1.0
#include <sigma/sigma.hpp>

#include "import.hpp"

#include <cmath>
#include <limits>

// Attention and its parts. Values inside are (records, heads, positions, width).
namespace sigma::detail {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Returns a value with four axes: splits (records, positions, heads · width) by the number of heads of the node.
Tensor with_heads(OnnxCall& c, int i, const char* count) {
    const Shape s = c.shape(i);
    if (s.rank == 4) return c.x(i);
    if (s.rank != 3 || s.last() < 0) c.refuse("values of 3 or 4 axes", shape_text(c.in(i).dims()));
    const int heads = c.small(count, 0, 1, 1 << 16);
    if (s.last() % heads != 0) c.refuse(sentence("a width that ", heads, " heads divide"), sentence(s.last()));
    return permute(reshape(c.x(i), c.shape_of({s[0], s[1], heads, s.last() / heads})), {0, 2, 1, 3});
}
Tensor without_heads(OnnxCall& c, Tensor y) {
    const Shape s = y.shape();
    return reshape(permute(y, {0, 2, 1, 3}), c.shape_of({s[0], s[2], static_cast<long long>(s[1]) * s[3]}));
}
/// Concatenates past and present values along the positions.
Tensor behind(OnnxCall& c, int past, Tensor now) {
    if (!c.has(past)) return now;
    const Shape s = c.shape(past), t = now.shape();
    if (s.rank != 4 || !(s.with(2, 1) == t.with(2, 1)))
        c.refuse("past values with the shape of the present ones", shape_text(c.in(past).dims()));
    return c.checked(concatenate(axis(2), c.x(past), now));
}
/// Repeats each head of keys and values for several heads of queries.
Tensor repeated(OnnxCall& c, Tensor x, int times) {
    const Shape s = x.shape();
    if (times == 1) return x;
    const Tensor five = reshape(x, c.shape_of({s[0], s[1], 1, s[2], s[3]}));
    return reshape(broadcast_to(five, c.shape_of({s[0], s[1], times, s[2], s[3]})),
                   c.shape_of({s[0], static_cast<long long>(s[1]) * times, s[2], s[3]}));
}

void attend(OnnxCall& c) {
    const bool flat = c.rank(0) == 3;
    const Tensor q = with_heads(c, 0, "q_num_heads");
    const Tensor keys = behind(c, 4, with_heads(c, 1, "kv_num_heads"));
    const Tensor values = behind(c, 5, with_heads(c, 2, "kv_num_heads"));
    const Shape s = q.shape(), t = keys.shape(), v = values.shape();
    for (const Shape& each : {s, t, v})
        if (each[1] < 1 || each[2] < 1 || each[3] < 1)
            c.refuse("records in the first axis", shape_text(Numbers(each.extent, each.extent + each.rank)));
    if (s[1] % t[1] != 0 || t[1] != v[1])
        c.refuse("a number of key heads that divides that of query heads", sentence(t[1], " and ", s[1]));
    if (s[3] != t[3] || t[2] != v[2] || c.has(4) != c.has(5))
        c.refuse("keys as wide as queries, and as many values as keys",
                 shape_text(Numbers(t.extent, t.extent + t.rank)));
    const int past = c.has(4) ? c.shape(4)[2] : 0, rows = s[2], columns = t[2];
    // Scales both factors before the product, so that large numbers stay in range.
    const double scale = std::sqrt(c.real("scale", 1 / std::sqrt(static_cast<double>(s[3]))));
    const Tensor turned = permute(repeated(c, keys, s[1] / t[1]), {0, 1, 3, 2});
    const Tensor product = onnx_product(c, scale * q, scale * turned);
    const double cap = c.real("softcap", 0);
    const Tensor soft = cap > 0 ? cap * tanh(product / cap) : product;
    Tensor score = soft;
    bool masks = false;
    const auto allow = [&](Tensor where_so) { score = where(where_so, score, -infinity), masks = true; };
    if (c.has(3)) {
        Tensor mask = c.x(3);
        const bool truth = c.type(3) == OnnxType::BOOL;
        const Shape m = mask.shape();
        if (m.rank > 0 && m.last() > 0 && m.last() < columns && m.last() != 1)
            mask = pad(mask, axis(m.rank - 1), 0, columns - m.last(), truth ? 0 : -infinity);
        if (!broadcastable(mask.shape(), score.shape()) || !(broadcast(mask.shape(), score.shape()) == score.shape()))
            c.refuse("a mask that broadcasts to the scores", shape_text(c.in(3).dims()));
        if (truth) allow(mask);
        else score = score + mask, masks = true;
    }
    const Tensor column = iota_beside(score, columns);
    Tensor reach = reshape(iota_beside(score, rows), {rows, 1}) + static_cast<double>(past);  // position of a query
    if (c.has(6)) {
        if (c.shape(6).rank != 1) c.refuse("a length for each record", shape_text(c.in(6).dims()));
        const Tensor length{reshape(c.x(6).variable, c.shape_of({c.shape(6)[0], 1, 1, 1}))};
        allow(column < length);
        reach = reach + length - static_cast<double>(rows);
    }
    if (c.whole("is_causal", 0) != 0) allow(column <= reach);
    const int left = c.small("left_window_size", -1, -1, 1 << 24),
              right = c.small("right_window_size", -1, -1, 1 << 24);
    if (left >= 0) allow(reach - static_cast<double>(left) <= column);
    if (right >= 0) allow(column <= reach + static_cast<double>(right));
    Tensor share = softmax(score, axis(3));
    if (masks) share = where(max(score, axis(3), keep) > -infinity, share, 0.0);  // a row without keys gives 0
    const Tensor y = onnx_product(c, share, repeated(c, values, s[1] / t[1]));
    c.give(flat ? without_heads(c, y) : y);
    c.give(keys, c.type(1));
    c.give(values, c.type(2));
    const int mode = c.small("qk_matmul_output_mode", 0, 0, 3);
    c.give(mode == 0 ? product : mode == 1 ? soft : mode == 2 ? score : share);
}

/// Returns angles for each position: rows of a table, or given angles.
Tensor angles(OnnxCall& c, int i, int width) {
    const Shape s = c.shape(i);
    Tensor x = c.x(i);
    if (c.has(3)) {
        const Shape p = c.shape(3);
        if (s.rank != 2 || s.batched() || p.rank != 2)
            c.refuse("a table, and a position for each row", shape_text(c.in(i).dims()));
        x = gather(x, Tensor{reshape(c.x(3).variable, c.shape_of({static_cast<long long>(p[0]) * p[1]}))});
        x = reshape(x, c.shape_of({p[0], p[1], s[1]}));
    }
    const Shape t = x.shape();
    if (t.rank != 3 || t.last() != width) c.refuse(sentence("rows of ", width, " angles"), shape_text(c.in(i).dims()));
    return reshape(x, c.shape_of({t[0], 1, t[1], t[2]}));
}
void rotate(OnnxCall& c) {
    const bool flat = c.rank(0) == 3;
    const Tensor x = with_heads(c, 0, "num_heads");
    const Shape s = x.shape();
    const int turned = c.small("rotary_embedding_dim", 0, 0, s[3]), width = turned == 0 ? s[3] : turned,
              half = width / 2;
    if (width % 2 != 0) c.refuse("an even width", sentence(width));
    const Tensor cosine = angles(c, 1, half), sine = angles(c, 2, half);
    const bool pairs = c.whole("interleaved", 0) != 0;
    const Tensor part = slice(x, axis(3), 0, width);
    const auto one = [&](int k) {
        if (!pairs) return Tensor{slice(part, axis(3), k * half, (k + 1) * half)};
        const Tensor five = reshape(part, c.shape_of({s[0], s[1], s[2], half, 2}));
        return Tensor{reshape(slice(five, axis(4), k, k + 1), c.shape_of({s[0], s[1], s[2], half}))};
    };
    const Tensor first = one(0), second = one(1);
    const Tensor real = cosine * first - sine * second, imaginary = sine * first + cosine * second;
    if (!(real.shape() == first.shape())) c.refuse("angles for each position", shape_text(c.in(1).dims()));
    const auto last = [&](Tensor t) { return Tensor{reshape(t, c.shape_of({s[0], s[1], s[2], half, 1}))}; };
    Tensor y = pairs ? Tensor{reshape(concatenate(axis(4), last(real), last(imaginary)), part.shape())}
                     : concatenate(axis(3), real, imaginary);
    if (width < s[3]) y = concatenate(axis(3), y, slice(x, axis(3), width, s[3]));
    c.give(flat ? without_heads(c, y) : y);
}

constexpr OnnxOperator rows[] = {
    {"Attention", attend},
    {"RotaryEmbedding", rotate},
};

}  // namespace

std::span<const OnnxOperator> onnx_attention() { return rows; }

}  // namespace sigma::detail
