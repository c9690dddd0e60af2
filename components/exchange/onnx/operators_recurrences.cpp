// SPDX-License-Identifier: BSL-1.0
#include <sigma/sigma.hpp>

#include "import.hpp"

#include <array>

namespace sigma::detail {

namespace {

constexpr int longest_unrolled = 512;

using Function = AnyFunction<Tensor(Tensor)>;
struct NamedFunction {
    std::string_view name;
    double alpha, beta;  ///< Default values.
    Tensor (*f)(Tensor x, double alpha, double beta);
};
constexpr NamedFunction functions[] = {
    {"relu", 0, 0, [](Tensor x, double, double) { return relu(x); }},
    {"tanh", 0, 0, [](Tensor x, double, double) { return tanh(x); }},
    {"sigmoid", 0, 0, [](Tensor x, double, double) { return sigmoid(x); }},
    {"softsign", 0, 0, [](Tensor x, double, double) { return x / (1.0 + abs(x)); }},
    {"softplus", 0, 0, [](Tensor x, double, double) { return softplus(x); }},
    {"affine", 1, 0, [](Tensor x, double a, double b) { return a * x + b; }},
    {"scaledtanh", 1, 1, [](Tensor x, double a, double b) { return a * tanh(b * x); }},
    {"hardsigmoid", 0.2, 0.5, [](Tensor x, double a, double b) { return max(min(a * x + b, 1.0), 0.0); }},
    {"leakyrelu", 0.01, 0, [](Tensor x, double a, double) { return where(x < 0.0, a * x, x); }},
    {"thresholdedrelu", 1, 0, [](Tensor x, double a, double) { return where(x > a, x, 0.0); }},
    {"elu", 1, 0, [](Tensor x, double a, double) { return where(x > 0.0, x, a * expm1(min(x, 0.0))); }},
};

/// Imports RNN, GRU or LSTM, one direction after another.
class Recurrence {
public:
    Recurrence(OnnxCall& call, int gates, std::vector<const char*> standard)
        : c_(call), gates_(gates), standard_(std::move(standard)) {
        layout_ = c_.whole("layout", 0) != 0;
        if (c_.rank(0) != 3) c_.refuse("sequences of three axes", shape_text(c_.in(0).dims()));
        const Tensor given = c_.x(0);
        x_ = layout_ ? given : permute(given, {1, 0, 2});
        const Shape s = x_.shape();
        if (s[1] < 0) c_.refuse("sequences of known length", shape_text(c_.in(0).dims()));
        const std::string way = c_.text("direction", "forward");
        if (way != "forward" && way != "reverse" && way != "bidirectional") c_.refuse("a direction", way);
        directions_ = way == "bidirectional" ? 2 : 1;
        reverse_ = way == "reverse";
        units_ = c_.small("hidden_size", c_.rank(2) == 3 ? c_.shape(2)[2] : 0, 1, 1 << 20);
        const long long rows = static_cast<long long>(gates_) * units_;
        require_dims(1, {directions_, rows, s[2]}), require_dims(2, {directions_, rows, units_});
        if (c_.has(3)) require_dims(3, {directions_, 2 * rows});
        clip_ = c_.real("clip", 0);
        w_ = c_.weight(1, "weights", flipped), r_ = c_.weight(2, "recurrent_weights", flipped);
        if (c_.has(3)) b_ = c_.weight(3, "biases");
        if (c_.has(4)) {
            const Tensor lengths = reshape(c_.x(4), {s[0], 1});
            const Tensor now = iota_beside(x_, s[1]);
            mask_ = lengths > now;
        }
    }

    template <std::size_t n, class Cell>
    void run(Cell cell) {
        std::vector<Tensor> all, last[n];
        for (int d = 0; d < directions_; ++d) {
            direction_ = d;
            const bool backwards = reverse_ || d == 1;
            const std::array<Tensor, n> states = sequence<n>(cell, backwards);
            Tensor y = states[0];
            if (c_.has(4)) y = where(as_column(mask_), y, 0.0);
            all.push_back(y);
            for (std::size_t i = 0; i < n; ++i) {
                const int at = backwards ? 0 : x_.shape()[1] - 1;
                last[i].push_back(slice(states[i], axis(1), at, at + 1));  // (batch, 1, units)
            }
        }
        const Shape s = x_.shape();
        Tensor y = beside(all, {s[0], s[1], 1, units_}, 2);
        c_.give(layout_ ? y : permute(y, {1, 2, 0, 3}));
        for (std::size_t i = 0; i < n; ++i) {
            const Tensor h = beside(last[i], {s[0], 1, units_}, 1);
            c_.give(layout_ ? h : permute(h, {1, 0, 2}));
        }
    }

    // ---- for cells: the current direction ----
    int units() const { return units_; }
    Tensor gate(Tensor z, int i) const { return slice(z, axis(-1), i * units_, (i + 1) * units_); }
    Tensor recurrent() const { return of_direction(r_); }
    Tensor recurrent_gates(int first, int end) const {
        return slice(recurrent(), axis(1), first * units_, end * units_);
    }
    /// Returns the biases of a gate: those of the input, or the recurrent ones.
    Tensor bias(bool recurrent_ones, int first, int end) const {
        if (!c_.has(3)) return {expand(c_.constant(0).variable, Shape{(end - first) * units_})};
        const int from = (recurrent_ones ? gates_ : 0) + first;
        return slice(of_direction(b_), axis(0), from * units_, (from + end - first) * units_);
    }
    Tensor apply(int number, Tensor z) const {
        if (clip_ > 0) z = max(min(z, clip_), -clip_);
        const auto* const a = c_.attribute("activations");
        const int per = static_cast<int>(standard_.size()), at = direction_ * per + number;
        std::string name = a && at < a->strings_size() ? a->strings(at) : standard_[static_cast<std::size_t>(number)];
        for (char& ch : name) ch = ch >= 'A' && ch <= 'Z' ? static_cast<char>(ch - 'A' + 'a') : ch;
        for (const NamedFunction& f : functions)
            if (f.name == name)
                return f.f(z, factor("activation_alpha", at, f.alpha), factor("activation_beta", at, f.beta));
        c_.refuse("an activation of recurrent layers", name);
    }
    Tensor peephole(int i, int number) const {
        return slice(of_direction(c_.weight(i, "peepholes")), axis(0), number * units_, (number + 1) * units_);
    }

private:
    OnnxCall& c_;
    int gates_, directions_ = 1, units_ = 0, direction_ = 0;
    std::vector<const char*> standard_;
    bool layout_ = false, reverse_ = false;
    double clip_ = 0;
    Tensor x_{}, w_{}, r_{}, b_{}, mask_{};
    static constexpr std::uint64_t flipped = 0 | 2 << 4 | 1 << 8;

    void require_dims(int i, const Numbers& wanted) const {
        if (c_.in(i).dims() != wanted)
            c_.refuse(sentence("input ", i, " of shape ", shape_text(wanted)), shape_text(c_.in(i).dims()));
    }
    double factor(std::string_view name, int at, double otherwise) const {
        const auto* const a = c_.attribute(name);
        return a && at < a->floats_size() ? static_cast<double>(a->floats(at)) : otherwise;
    }
    Tensor of_direction(Tensor t) const { return {reshape(slice(t.variable, 0, direction_, 1), t.shape().without(0))}; }
    static Tensor beside(const std::vector<Tensor>& parts, const Shape& one, int along) {
        Tensor y = reshape(parts[0], one);
        for (std::size_t i = 1; i < parts.size(); ++i) y = concatenate(axis(along), y, reshape(parts[i], one));
        return y;
    }
    Tensor initial(int i) const {
        const Shape s{x_.shape()[0], units_};
        if (!c_.has(i)) return {expand(c_.constant(0).variable, s)};
        const Tensor all = c_.x(i);
        if (all.shape().rank != 3) c_.refuse("states of three axes", shape_text(c_.in(i).dims()));
        const Tensor ordered = layout_ ? permute(all, {1, 0, 2}) : all;
        if (ordered.shape()[0] != directions_ || ordered.shape()[2] != units_)
            c_.refuse("states of each direction", shape_text(c_.in(i).dims()));
        return broadcast_to(of_direction(ordered), s);
    }
    template <std::size_t n, class Cell>
    std::array<Tensor, n> sequence(Cell cell, bool backwards) {
        const Tensor z = dot(x_, of_direction(w_)) + bias(false, 0, gates_);
        std::array<Tensor, n> before{};
        for (std::size_t i = 0; i < n; ++i) before[i] = initial(5 + static_cast<int>(i));
        const auto step = [&](Tensor now, const std::array<Tensor, n>& h) { return cell(now, h); };
        const auto masked = [&](Tensor now, Tensor given, const std::array<Tensor, n>& h) {
            std::array<Tensor, n> next = step(now, h);
            const Tensor column = reshape(given, {given.shape()[0], 1});
            for (std::size_t i = 0; i < n; ++i) next[i] = where(column, next[i], h[i]);
            return next;
        };
        const bool has_mask = c_.has(4);
        const Shape s = z.shape();
        if (s[0] < 0) {
            const auto direction = backwards ? Direction::backwards : Direction::forwards;
            return as_array(
                has_mask
                    ? scan(
                          std::array{z, mask_}, before,
                          [&](Tensor now, Tensor given, auto... h) { return masked(now, given, {h...}); }, direction)
                    : scan(std::array{z}, before, [&](Tensor now, auto... h) { return step(now, {h...}); }, direction));
        }
        if (s[1] > longest_unrolled)
            c_.refuse(sentence("records, or at most ", longest_unrolled, " steps"), sentence(s[1]));
        std::vector<std::array<Tensor, n>> all(static_cast<std::size_t>(s[1]));
        for (int i = 0; i < s[1]; ++i) {
            const int t = backwards ? s[1] - 1 - i : i;
            const Tensor now = reshape(slice(z, axis(1), t, t + 1), {s[0], s[2]});
            before = has_mask ? masked(now, reshape(slice(mask_, axis(1), t, t + 1), Shape{s[0]}), before)
                              : step(now, before);
            all[static_cast<std::size_t>(t)] = before;
        }
        std::array<Tensor, n> stacked{};
        for (std::size_t i = 0; i < n; ++i) {
            std::vector<Tensor> parts;
            for (const auto& each : all) parts.push_back(each[i]);
            stacked[i] = beside(parts, {s[0], 1, units_}, 1);
        }
        return stacked;
    }
};

void simple(OnnxCall& c) {
    Recurrence r(c, 1, {"tanh"});
    r.run<1>([&](Tensor now, const std::array<Tensor, 1>& h) {
        return std::array{r.apply(0, now + dot(h[0], r.recurrent()) + r.bias(true, 0, 1))};
    });
}
void gru(OnnxCall& c) {
    Recurrence r(c, 3, {"sigmoid", "tanh"});
    const bool before = c.whole("linear_before_reset", 0) != 0;
    r.run<1>([&](Tensor now, const std::array<Tensor, 1>& h) {
        const Tensor both = dot(h[0], r.recurrent_gates(0, 2)) + r.bias(true, 0, 2);
        const Tensor z = r.apply(0, r.gate(now, 0) + r.gate(both, 0));
        const Tensor reset = r.apply(0, r.gate(now, 1) + r.gate(both, 1));
        const Tensor w = r.recurrent_gates(2, 3), b = r.bias(true, 2, 3);
        const Tensor inner = before ? reset * (dot(h[0], w) + b) : dot(reset * h[0], w) + b;
        const Tensor next = r.apply(1, r.gate(now, 2) + inner);
        return std::array{next + z * (h[0] - next)};
    });
}
void lstm(OnnxCall& c) {
    Recurrence r(c, 4, {"sigmoid", "tanh", "tanh"});
    const bool peeps = c.has(7), together = c.whole("input_forget", 0) != 0;
    r.run<2>([&](Tensor now, const std::array<Tensor, 2>& state) {
        const Tensor h = state[0], cell = state[1];
        const Tensor all = now + dot(h, r.recurrent()) + r.bias(true, 0, 4);
        const auto gate = [&](int i, int peephole, Tensor beside) {
            const Tensor z = r.gate(all, i);
            return r.apply(0, peeps ? z + r.peephole(7, peephole) * beside : z);
        };
        const Tensor in = gate(0, 0, cell), forget = together ? 1.0 - in : gate(2, 2, cell);
        const Tensor kept = forget * cell;
        const Tensor next = kept + in * r.apply(1, r.gate(all, 3));
        const Tensor out = gate(1, 1, next);
        return std::array{out * r.apply(2, next), next};
    });
}

constexpr OnnxOperator rows[] = {{"RNN", simple}, {"GRU", gru}, {"LSTM", lstm}};

}  // namespace

std::span<const OnnxOperator> onnx_recurrences() { return rows; }

}  // namespace sigma::detail
