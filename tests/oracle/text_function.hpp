// SPDX-License-Identifier: BSL-1.0
// Functions of text in the tensor language: `v2 = sum(x0 * x1, axis(1), keep)`, line after line.
#pragma once
#include <sigma/function/made_calls.hpp>
#include <sigma/sigma.hpp>

#include "oracle/text_expression.hpp"

#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace sigma::test {

/// Values by their names.
using Values = std::map<std::string, Tensor>;

/// Computes an expression over values, as the compiler does with the same text.
class Formula {
    using Kind = Expression::Kind;

public:
    explicit Formula(const Values& values) : values_(values) {}

    Tensor operator()(const Expression& e) const {
        switch (e.kind) {
            case Kind::name: return values_.at(e.word);
            case Kind::operation: return operation(e);
            case Kind::member: return member(e);
            case Kind::call: return call(e);
            default: throw std::runtime_error("no tensor: '" + e.word + "'");
        }
    }

private:
    const Values& values_;

    // ---- arguments that are no tensors ----

    static int integer(const Expression& e) { return static_cast<int>(e.value); }
    static bool is_axes(const Expression& e) { return e.kind == Kind::call && (e.word == "axis" || e.word == "axes"); }
    static Axis axis_of(const Expression& e) { return axis(integer(e.parts.at(0))); }
    static Axes axes_of(const Expression& e) {
        Axes all;
        for (const Expression& part : e.parts) all.add(integer(part));
        return all;
    }
    /// 3, `batch` or `2 * batch`.
    static int extent_of(const Expression& e) {
        if (e.kind == Kind::operation) return extent_of(e.parts.at(0)) * extent_of(e.parts.at(1));
        return e.is(Kind::name, "batch") ? batch : integer(e);
    }
    /// `Shape{3, batch, 2}` or `{1, 0}`.
    static Shape shape_of(const Expression& e) {
        Shape s;
        for (const Expression& part : e.parts) s.extent[s.rank++] = extent_of(part);
        return s;
    }
    static void two(const Expression& e, int (&to)[2]) {
        to[0] = integer(e.parts.at(0)), to[1] = integer(e.parts.at(1));
    }
    static sigma::detail::Convolution convolution_of(const Expression& e) {
        sigma::detail::Convolution g;
        two(e.parts.at(0), g.stride), two(e.parts.at(1), g.dilation);
        g.groups = integer(e.parts.at(2));
        return g;
    }
    static sigma::detail::Pooling pooling_of(const Expression& e) {
        sigma::detail::Pooling p;
        two(e.parts.at(0), p.window), two(e.parts.at(1), p.stride), two(e.parts.at(2), p.before);
        return p;
    }
    static SortOrder order_of(const Expression& e) {
        return e.word == "SortOrder::descending" ? SortOrder::descending : SortOrder::ascending;
    }
    static Direction direction_of(const Expression& e) {
        return e.word == "Direction::backwards" ? Direction::backwards : Direction::forwards;
    }

    // ---- operations ----

    /// f of two operands, of which one may be a number.
    template <class F>
    Tensor binary(const Expression& a, const Expression& b, F f) const {
        if (a.is_number()) return f(a.value, (*this)(b));
        const Tensor x = (*this)(a);
        return b.is_number() ? f(x, b.value) : f(x, (*this)(b));
    }
    Tensor operation(const Expression& e) const {
        const std::string& o = e.word;
        if (e.parts.size() == 1) return -(*this)(e.parts[0]);
        const Expression &a = e.parts[0], &b = e.parts[1];
        if (o == "+") return binary(a, b, [](auto x, auto y) { return x + y; });
        if (o == "-") return binary(a, b, [](auto x, auto y) { return x - y; });
        if (o == "*") return binary(a, b, [](auto x, auto y) { return x * y; });
        if (o == "/") return binary(a, b, [](auto x, auto y) { return x / y; });
        if (o == "<") return binary(a, b, [](auto x, auto y) { return x < y; });
        if (o == "<=") return binary(a, b, [](auto x, auto y) { return x <= y; });
        if (o == ">") return binary(a, b, [](auto x, auto y) { return x > y; });
        if (o == ">=") return binary(a, b, [](auto x, auto y) { return x >= y; });
        throw std::runtime_error("no operator: " + o);
    }
    Tensor member(const Expression& e) const {
        const Expression& of = e.parts.at(0);
        if (of.word == "top_k") {
            const TopK found = of.parts.size() > 2 ? top_k(at(of, 0), integer(of.parts[1]), axis_of(of.parts[2]))
                                                   : top_k(at(of, 0), integer(of.parts[1]));
            return e.word == "indices" ? found.indices : found.values;
        }
        if (of.word == "slogdet") {
            const SignAndLogarithm found = slogdet(at(of, 0));
            return e.word == "sign" ? found.sign : found.logarithm;
        }
        throw std::runtime_error("no member: " + e.word);
    }
    Tensor at(const Expression& e, std::size_t i) const { return (*this)(e.parts.at(i)); }

    template <class All, class Some>
    Tensor reduction(const Expression& e, All all, Some some) const {
        const Tensor x = at(e, 0);
        if (e.parts.size() == 1) return all(x);
        return some(x, axes_of(e.parts[1]), e.parts.size() > 2 ? keep : sigma::detail::Keep{});
    }
    /// Of a function with an axis and without.
    template <class F>
    Tensor along(const Expression& e, F f) const {
        return e.parts.size() > 1 ? f(at(e, 0), axis_of(e.parts[1])) : f(at(e, 0));
    }

    static const std::map<std::string, Tensor (*)(Tensor)>& unary() {
        static const std::map<std::string, Tensor (*)(Tensor)> all{
#define SIGMA_TEXT_UNARY(f) {#f, [](Tensor x) -> Tensor { return f(x); }}
            SIGMA_TEXT_UNARY(abs),        SIGMA_TEXT_UNARY(sign),          SIGMA_TEXT_UNARY(exp),
            SIGMA_TEXT_UNARY(expm1),      SIGMA_TEXT_UNARY(log),           SIGMA_TEXT_UNARY(log1p),
            SIGMA_TEXT_UNARY(sqrt),       SIGMA_TEXT_UNARY(rsqrt),         SIGMA_TEXT_UNARY(tanh),
            SIGMA_TEXT_UNARY(sigmoid),    SIGMA_TEXT_UNARY(sin),           SIGMA_TEXT_UNARY(cos),
            SIGMA_TEXT_UNARY(tan),        SIGMA_TEXT_UNARY(asin),          SIGMA_TEXT_UNARY(acos),
            SIGMA_TEXT_UNARY(atan),       SIGMA_TEXT_UNARY(erf),           SIGMA_TEXT_UNARY(floor),
            SIGMA_TEXT_UNARY(round),      SIGMA_TEXT_UNARY(stop_gradient), SIGMA_TEXT_UNARY(square),
            SIGMA_TEXT_UNARY(relu),       SIGMA_TEXT_UNARY(softplus),      SIGMA_TEXT_UNARY(gelu),
            SIGMA_TEXT_UNARY(leaky_relu), SIGMA_TEXT_UNARY(elu),           SIGMA_TEXT_UNARY(selu),
            SIGMA_TEXT_UNARY(silu),       SIGMA_TEXT_UNARY(mish),          SIGMA_TEXT_UNARY(softsign),
            SIGMA_TEXT_UNARY(relu6),      SIGMA_TEXT_UNARY(hard_tanh),     SIGMA_TEXT_UNARY(flatten),
            SIGMA_TEXT_UNARY(transpose),  SIGMA_TEXT_UNARY(inverse),       SIGMA_TEXT_UNARY(determinant),
#undef SIGMA_TEXT_UNARY
        };
        return all;
    }

    Tensor call(const Expression& e) const {
        const std::string& f = e.word;
        const auto& a = e.parts;
        if (const auto found = unary().find(f); found != unary().end()) return found->second(at(e, 0));

        // max(x, y) of tensors, max(x, axis(1), keep) and max(x)
        const bool reduces = a.size() == 1 || (a.size() > 1 && is_axes(a[1]));
#define SIGMA_TEXT_REDUCTION(name)               \
    if (f == #name && reduces)                   \
        return reduction(                        \
            e, [](Tensor x) { return name(x); }, \
            [](Tensor x, const Axes& over, sigma::detail::Keep k) { return name(x, over, k); });
        SIGMA_TEXT_REDUCTION(sum)
        SIGMA_TEXT_REDUCTION(mean)
        SIGMA_TEXT_REDUCTION(max)
        SIGMA_TEXT_REDUCTION(min)
        SIGMA_TEXT_REDUCTION(variance)
        SIGMA_TEXT_REDUCTION(standard_deviation)
        SIGMA_TEXT_REDUCTION(norm)
#undef SIGMA_TEXT_REDUCTION
#define SIGMA_TEXT_BINARY(name) \
    if (f == #name) return binary(a.at(0), a.at(1), [](auto x, auto y) { return name(x, y); });
        SIGMA_TEXT_BINARY(pow)
        SIGMA_TEXT_BINARY(max)
        SIGMA_TEXT_BINARY(min)
        SIGMA_TEXT_BINARY(mod)
        SIGMA_TEXT_BINARY(equal)
#undef SIGMA_TEXT_BINARY
        if (f == "not_equal") return not_equal(at(e, 0), at(e, 1));
        if (f == "where") {
            const Tensor c = at(e, 0);
            return binary(a.at(1), a.at(2), [&](auto x, auto y) { return where(c, x, y); });
        }
#define SIGMA_TEXT_ALONG(name) \
    if (f == #name) return along(e, [](Tensor x, auto... on) { return name(x, on...); });
        SIGMA_TEXT_ALONG(argmax)
        SIGMA_TEXT_ALONG(argmin)
        SIGMA_TEXT_ALONG(softmax)
        SIGMA_TEXT_ALONG(log_softmax)
        SIGMA_TEXT_ALONG(logsumexp)
        SIGMA_TEXT_ALONG(cumprod)
#undef SIGMA_TEXT_ALONG
        if (f == "cumsum") {
            Cumulative how;
            if (a.size() > 2) {
                if (const Expression* o = a[2].option("exclusive")) how.exclusive = o->word == "true";
                if (const Expression* o = a[2].option("reverse")) how.reverse = o->word == "true";
            }
            return cumsum(at(e, 0), axis_of(a.at(1)), how);
        }
        if (f == "linear_recurrence") {
            if (a.size() > 2) return linear_recurrence(at(e, 0), at(e, 1), axis_of(a[2]));
            return linear_recurrence(at(e, 0), at(e, 1));
        }
        if (f == "sort") return sort(at(e, 0), axis_of(a.at(1)), a.size() > 2 ? order_of(a[2]) : SortOrder::ascending);
        if (f == "argsort")
            return argsort(at(e, 0), axis_of(a.at(1)), a.size() > 2 ? order_of(a[2]) : SortOrder::ascending);
        if (f == "gather") return a.size() > 2 ? gather(at(e, 0), at(e, 1), axis_of(a[2])) : gather(at(e, 0), at(e, 1));

        if (f == "reshape") return reshape(at(e, 0), shape_of(a.at(1)));
        if (f == "permute") return permute(at(e, 0), shape_of(a.at(1)));
        if (f == "broadcast_to") return broadcast_to(at(e, 0), shape_of(a.at(1)));
        if (f == "slice") return slice(at(e, 0), axis_of(a.at(1)), integer(a.at(2)), integer(a.at(3)));
        if (f == "zero_pad") return zero_pad(at(e, 0), axis_of(a.at(1)), integer(a.at(2)), integer(a.at(3)));
        if (f == "pad") {
            const Tensor x = at(e, 0);
            const Axis on = axis_of(a.at(1));
            const int before = integer(a.at(2)), after = integer(a.at(3));
            if (a.size() > 4 && a[4].kind == Kind::name)
                return pad(x, on, before, after, a[4].word == "PadMode::reflect" ? PadMode::reflect : PadMode::edge);
            return pad(x, on, before, after, a.size() > 4 ? a[4].value : 0.0);
        }
        if (f == "concatenate") {
            const Axis on = axis_of(a.at(0));
            Tensor all = at(e, 1);
            for (std::size_t i = 2; i < a.size(); ++i) all = concatenate(on, all, at(e, i));
            return all;
        }
        if (f == "one_hot") return one_hot(at(e, 0), integer(a.at(1)));
        if (f == "iota_beside") return iota_beside(at(e, 0), integer(a.at(1)));

        if (f == "dot") return dot(at(e, 0), at(e, 1));
        if (f == "solve") return solve(at(e, 0), at(e, 1));
        if (f == "einsum") return a.size() > 2 ? einsum(a[0].word, at(e, 1), at(e, 2)) : einsum(a.at(0).word, at(e, 1));
        if (f == "convolve") return convolve(at(e, 0), at(e, 1), convolution_of(a.at(2)));
        if (f == "convolve_transposed") return convolve_transposed(at(e, 0), at(e, 1), convolution_of(a.at(2)));
        if (f == "max_pool") return max_pool(at(e, 0), pooling_of(a.at(1)), integer(a.at(2)), integer(a.at(3)));
        if (f == "average_pool") return average_pool(at(e, 0), pooling_of(a.at(1)));

        if (f == "last") return last(at(e, 0), direction_of(a.at(1)));
        // Functions within functions: scan_tanh(x, h, u, d) is
        // scan(x, h, [&](auto now, auto before) { return tanh(now + dot(before, u)); }, d), and
        // gradient_of("square(u)", x) is gradient([](auto u) { return sum(square(u)); })(x).
        if (f == "scan_tanh") {
            const Tensor x = at(e, 0), h = at(e, 1), u = at(e, 2);
            return scan(
                x, h, [&](Tensor now, Tensor before) { return tanh(now + dot(before, u)); }, direction_of(a.at(3)));
        }
        if (f == "gradient_of") {
            const Tensor own{sigma::detail::copy(at(e, 1).variable)};
            const Values inside{{"u", own}};
            const Tensor total = sum(Formula(inside)(Parser::parse(a.at(0).word)));
            sigma::detail::List<Variable> wanted;
            wanted.push(own.variable);
            return {sigma::detail::differentiate_now(total.variable, wanted)[0]};
        }
        throw std::runtime_error("no function: '" + f + "'");
    }
};

/// Statements, `name = expression`, in their order.
struct Function {
    std::vector<std::pair<std::string, Expression>> statements{};
    std::vector<std::pair<std::string, std::string>> results{};  ///< each with the argument that weighs it

    /// The values of all results.
    std::vector<Tensor> run(Values values) const {
        for (const auto& [name, expression] : statements) {
            const Tensor x = Formula(values)(expression);
            values.insert_or_assign(name, x);
        }
        std::vector<Tensor> found;
        for (const auto& [name, weight] : results) found.push_back(values.at(name));
        return found;
    }
};

}  // namespace sigma::test
