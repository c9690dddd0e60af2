// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/error.hpp>
#include <sigma/tape/along_axis.hpp>
#include <sigma/tape/compose.hpp>
#include <sigma/tape/convolution.hpp>
#include <sigma/tape/differentiate.hpp>
#include <sigma/tape/linear_algebra.hpp>
#include <sigma/tape/program.hpp>

#include "support/reference.hpp"

#include <cmath>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

/// Gradients from `differentiate` against central differences, both in double precision, as a suite that can be run
/// with other adjoint rules: a wrong rule must make it fail.
namespace sigma::test {

struct Range {
    double low = -2, high = 2;
};
using Function = std::function<Variable(const std::vector<Variable>&)>;

/// A function of some arguments, their shapes and where they lie; its result may have any shape.
struct GradientCase {
    std::string name{};
    std::vector<Shape> shapes{};
    Function f{};
    std::vector<Range> ranges{};  ///< the last one holds for all further arguments
    bool smooth = true;           ///< second derivatives are checked too
};

/// What a case is checked with: points, random upstream gradients, random directions, and the differences.
class GradientCheck {
public:
    explicit GradientCheck(GradientCase given, unsigned seed) : c_(std::move(given)) {
        std::mt19937 random(seed);
        const auto draw = [&](Range r) {
            return r.low + (r.high - r.low) * static_cast<double>(random() % 100003) / 100003;
        };
        const auto fill = [&](const Shape& s, Range r) {
            Values v(static_cast<std::size_t>(Extents(s, records).count()));
            for (double& x : v) x = draw(r);
            return v;
        };
        const Recorded forward(c_, *this, 0);
        result_ = forward.y.shape();
        for (std::size_t i = 0; i < c_.shapes.size(); ++i) {
            const std::size_t last = c_.ranges.size() - 1;
            at_.inputs.push_back(fill(c_.shapes[i], c_.ranges.empty() ? Range{} : c_.ranges[std::min(i, last)]));
        }
        at_.inputs.push_back(fill(result_, {0.3, 1.7}));                              // upstream
        for (const Shape& s : c_.shapes) at_.inputs.push_back(fill(s, {-1.7, 1.7}));  // directions
        first_ = differences(forward.program, forward.y.id, at_.inputs[c_.shapes.size()]);
        if (!c_.smooth) return;
        const Recorded gradient(c_, *this, 1);
        second_ = differences(gradient.program, gradient.directional.id, {1.0});
    }

    const GradientCase& given() const { return c_; }

    /// What is wrong with the gradients that these rules give, or nothing.
    template <class Rules>
    std::string run(Rules rules) const {
        const Recorded r(c_, *this, c_.smooth ? 2 : 1, rules);
        const Interpretation found = interpret(r.program, at_, records);
        for (std::size_t i = 0; i < c_.shapes.size(); ++i) {
            if (!(r.first[static_cast<int>(i)].shape() == c_.shapes[i]))
                return sentence(c_.name, ": the gradient of argument ", i, " has another shape");
            std::string wrong = difference(found, r.first[static_cast<int>(i)], first_[i], "gradient of argument ", i);
            if (wrong.empty() && c_.smooth)
                wrong =
                    difference(found, r.second[static_cast<int>(i)], second_[i], "second derivative of argument ", i);
            if (!wrong.empty()) return wrong;
        }
        return "";
    }

private:
    static constexpr long long records = 3;
    GradientCase c_;
    Shape result_{};
    Bindings at_{};
    std::vector<Values> first_{}, second_{};

    /// The tape of the case: the function, its gradients against the upstream (order 1), and the gradients of their
    /// product with the directions (order 2).
    struct Recorded {
        sigma::detail::Program program{};
        Variable y{}, directional{};
        sigma::detail::List<Variable> first{}, second{};

        template <class Rules = detail::Adjoints>
        Recorded(const GradientCase& c, const GradientCheck& examine, int order, Rules rules = {}) {
            sigma::detail::Tape* tape = &program.tape;
            const int n = static_cast<int>(c.shapes.size());
            std::vector<Variable> x;
            sigma::detail::List<Variable> wrt;
            for (int i = 0; i < n; ++i) {
                x.push_back({tape, tape->leaf(sigma::detail::Operation::input, c.shapes[static_cast<std::size_t>(i)],
                                              static_cast<unsigned>(i))});
                wrt.push(x.back());
            }
            y = c.f(x);
            if (order == 0) return;
            const Variable upstream{
                tape, tape->leaf(sigma::detail::Operation::input, examine.result_, static_cast<unsigned>(n))};
            first = differentiate(y, upstream, wrt, rules);
            directional = constant(tape, 0);
            for (int i = 0; i < n; ++i) {
                const Shape s = c.shapes[static_cast<std::size_t>(i)];
                const Variable v{tape,
                                 tape->leaf(sigma::detail::Operation::input, s, static_cast<unsigned>(n + 1 + i))};
                const Variable total =
                    sigma::detail::reduce(sigma::detail::Operation::sum, first[i] * v, Shape{}.aligned(s.rank));
                directional = directional + reshape(total, Shape{});
            }
            if (order == 2) second = differentiate(directional, constant(tape, 1), wrt, rules);
        }
        Recorded(const Recorded&) = delete;  // variables point at the tape
        Recorded& operator=(const Recorded&) = delete;
    };

    /// Central differences of Σ weight · node with respect to every element of every argument.
    std::vector<Values> differences(const sigma::detail::Program& program, int node, const Values& weight) const {
        constexpr double h = 1e-5;
        Bindings b = at_;
        const auto value = [&] {
            const Values v = Interpreter(program.tape, b, records).run()[static_cast<std::size_t>(node)];
            double total = 0;
            for (std::size_t i = 0; i < v.size(); ++i) total += weight.at(i) * v[i];
            return total;
        };
        std::vector<Values> result;
        for (std::size_t i = 0; i < c_.shapes.size(); ++i) {
            result.emplace_back();
            for (double& x : b.inputs[i]) {
                const double middle = x;
                x = middle + h;
                const double above = value();
                x = middle - h;
                const double below = value();
                x = middle;
                result.back().push_back((above - below) / (2 * h));
            }
        }
        return result;
    }
    std::string difference(const Interpretation& found, Variable v, const Values& wanted, const char* what,
                           std::size_t i) const {
        const Values& values = found.values[static_cast<std::size_t>(v.id)];
        for (std::size_t j = 0; j < values.size(); ++j) {
            // Errors of the differences: h² times the third derivative, and the rounding of sums divided by h.
            const double tolerance = 1e-6 * (1 + std::abs(wanted[j]));
            if (!(std::abs(values[j] - wanted[j]) <= tolerance))
                return sentence(c_.name, ": ", what, i, ", element ", j, ": expected ", wanted[j], ", found ",
                                values[j]);
        }
        return "";
    }
};

/// Every operation that has an adjoint, each operand, over shapes of rank 0 to 5 with extents 1, odd sizes, batches and
/// broadcasting. Points lie away from kinks.
class GradientSuite {
public:
    GradientSuite() {
        elementwise();
        pairwise();
        reductions();
        movement();
        products();
        composites();
        images();
        tables();
        along_an_axis();
        matrices();
    }
    const std::vector<GradientCheck>& checks() const { return checks_; }

    /// The first thing that is wrong with the gradients that these rules give, or nothing.
    template <class Rules>
    std::string run(Rules rules) const {
        for (const GradientCheck& examine : checks_) {
            std::string wrong = examine.run(rules);
            if (!wrong.empty()) return wrong;
        }
        return "";
    }

private:
    std::vector<GradientCheck> checks_{};
    using Xs = const std::vector<Variable>&;

    void add(GradientCase c) { checks_.emplace_back(std::move(c), static_cast<unsigned>(checks_.size()) + 1); }

    /// A function of the tensor language.
    template <Shape... S, class F>
    void tensors(const std::string& name, F f, std::vector<Range> ranges = {}, bool smooth = true) {
        Function g = [f](Xs x) {
            return [&]<std::size_t... i>(std::index_sequence<i...>) {
                return f(Tensor{x[i]}...).variable;
            }(std::make_index_sequence<sizeof...(S)>{});
        };
        add({name, {S...}, std::move(g), std::move(ranges), smooth});
    }

    template <class F>
    void unary(const std::string& name, F f, Range range = {}, bool smooth = true) {
        for (const Shape& s : {Shape{}, Shape(1), Shape(7), Shape(batch, 3), Shape(3, 1, 2), Shape(1, 2, 1, 3, 2)})
            add({name, {s}, [f](Xs x) { return f(x[0]); }, {range}, smooth});
    }
    void elementwise() {
        unary("copy", [](Variable x) { return sigma::detail::copy(x * x); });
        unary("negate", [](Variable x) { return -sin(x); });
        unary("absolute, positive", [](Variable x) { return abs(x); }, {0.5, 2});
        unary("absolute, negative", [](Variable x) { return abs(x); }, {-2, -0.5});
        unary("exp", [](Variable x) { return exp(x); });
        unary("log", [](Variable x) { return log(x); }, {0.5, 3});
        unary("log1p", [](Variable x) { return log1p(x); }, {-0.5, 3});
        unary("expm1", [](Variable x) { return expm1(x); });
        unary("sqrt", [](Variable x) { return sqrt(x); }, {0.5, 3});
        unary("rsqrt", [](Variable x) { return rsqrt(x); }, {0.5, 3});
        unary("tanh", [](Variable x) { return tanh(x); });
        unary("sigmoid", [](Variable x) { return sigmoid(x); });
        unary("sin", [](Variable x) { return sin(x); });
        unary("cos", [](Variable x) { return cos(x); });
        unary("tan", [](Variable x) { return tan(x); }, {-1, 1});
        unary("asin", [](Variable x) { return asin(x); }, {-0.8, 0.8});
        unary("acos", [](Variable x) { return acos(x); }, {-0.8, 0.8});
        unary("atan", [](Variable x) { return atan(x); }, {-3, 3});
        unary("erf", [](Variable x) { return erf(x); });
        unary("x^3 of either sign", [](Variable x) { return pow(x, constant(x.tape, 3)); });
        unary("2^x", [](Variable x) { return pow(constant(x.tape, 2), x); });
        unary("relu, above", [](Variable x) { return max(x * x, constant(x.tape, 0)); }, {0.5, 2});
        unary("relu, below", [](Variable x) { return max(x, constant(x.tape, 0)); }, {-2, -0.5});
        unary("constant above", [](Variable x) { return max(constant(x.tape, 1), x * x); }, {1.2, 2});
        unary("minimum with a constant", [](Variable x) { return min(x * x, constant(x.tape, 9)); }, {0.5, 2});
        unary("constant below", [](Variable x) { return min(constant(x.tape, 0.1), x); }, {0.5, 2});
    }

    template <class F>
    void binary(const std::string& name, F f, Range a = {}, Range b = {}) {
        const std::pair<Shape, Shape> shapes[] = {{Shape{}, Shape{}},
                                                  {Shape(5), Shape(5)},
                                                  {Shape(3, 1), Shape(1, 5)},
                                                  {Shape(batch, 3), Shape(3)},
                                                  {Shape(1), Shape(batch, 1)},
                                                  {Shape{}, Shape(2, 1, 3)},
                                                  {Shape(2, 1, 1, 3), Shape(3, 1)},
                                                  {Shape(2, 1, 1, 1, 3), Shape(1, 2, 1, 3)}};
        for (const auto& [s, t] : shapes) add({name, {s, t}, [f](Xs x) { return f(x[0], x[1]); }, {a, b}});
    }
    void pairwise() {
        // Operands that never meet; the tape puts the one written first into the first place.
        const auto apart = [](auto f, bool greater_first) {
            return [f, greater_first](Variable x, Variable y) {
                const Variable first = greater_first ? 3.0 + sin(y) : sin(x);
                return f(first, greater_first ? sin(x) : 3.0 + sin(y));
            };
        };
        binary("mod", [](Variable x, Variable y) { return mod(x, y); }, {0.62, 0.8},
               {0.28, 0.3});  // quotients of 2 and more
        const auto maximum = [](Variable x, Variable y) { return max(x, y); };
        const auto minimum = [](Variable x, Variable y) { return min(x, y); };
        binary("add", [](Variable x, Variable y) { return x + y; });
        binary("subtract", [](Variable x, Variable y) { return x - y; });
        binary("multiply", [](Variable x, Variable y) { return x * y; });
        binary("divide", [](Variable x, Variable y) { return x / y; }, {}, {0.5, 2});
        binary("power", [](Variable x, Variable y) { return pow(x, y); }, {0.5, 2}, {-1.5, 2.5});
        for (bool greater_first : {false, true}) {
            binary("maximum", apart(maximum, greater_first));
            binary("minimum", apart(minimum, greater_first));
        }
        binary("where, first", [](Variable x, Variable y) { return where(less(sin(x), 3.0 + sin(y)), x * y, y); });
        binary("where, second", [](Variable x, Variable y) { return where(less(3.0 + sin(y), sin(x)), x, x * y); });
        tensors<Shape(batch, 3), Shape(3), Shape(batch, 1)>("where of three shapes", [](auto c, auto x, auto y) {
            return where(c < 5.0, x * y, x) + where(c > 5.0, x, y * y);
        });
        tensors<Shape(3, 5)>("chosen by its own sign", [](auto x) { return where(x > 0.0, x * x, sin(x)); },
                             {{0.1, 2}});
    }

    void reductions() {
        const auto reduction = [&](sigma::detail::Operation o, const std::string& name) {
            const std::pair<Shape, Shape> shapes[] = {{Shape(5), Shape(1)},
                                                      {Shape(3, 4), Shape(3, 1)},
                                                      {Shape(3, 4), Shape(1, 4)},
                                                      {Shape(3, 4), Shape(1, 1)},
                                                      {Shape(batch, 3), Shape(1, 3)},
                                                      {Shape(batch, 3), Shape(batch, 1)},
                                                      {Shape(2, 3, 4), Shape(1, 3, 1)},
                                                      {Shape(2, 3, 1, 2, 2), Shape(2, 1, 1, 2, 1)},
                                                      {Shape(2, batch, 3), Shape(1, 1, 3)}};
            for (const auto& [from, to] : shapes)
                add({name,
                     {from},
                     [o, target = to](Xs x) { return sigma::detail::reduce(o, x[0] * x[0], target); },
                     {}});
        };
        reduction(sigma::detail::Operation::sum, "sum");
        reduction(sigma::detail::Operation::reduce_maximum, "reduce_maximum");
        reduction(sigma::detail::Operation::reduce_minimum, "reduce_minimum");
        tensors<Shape(batch, 2, 3)>("mean over the batch", [](auto x) { return mean(exp(x), axes(0, 2)); });
        tensors<Shape(batch, 5)>("mean of everything", [](auto x) { return mean(square(x)); });
        tensors<Shape(2, 3, 5)>("max over a middle axis", [](auto x) { return max(sin(x), axis(1), keep) * x; });
    }

    void movement() {
        tensors<Shape(1, 3)>("broadcast_to", [](auto x) { return broadcast_to(x * x, {2, 4, 3}); });
        tensors<Shape{}>("broadcast_to from a scalar", [](auto x) { return broadcast_to(exp(x), {3, 5}); });
        tensors<Shape(batch, 6)>("reshape",
                                 [](auto x) { return reshape(x * x, {batch, 3, 2}) * reshape(x, {batch, 3, 2}); });
        tensors<Shape(batch, 6)>("reshape into the batch", [](auto x) { return reshape(sin(x), {-2, 3}); });
        tensors<Shape(2, 3, 1, 2)>("reshape, rank 4 to 1", [](auto x) { return exp(reshape(x, Shape{12})); });
        tensors<Shape(3, 5)>("transpose", [](auto x) { return transpose(x * x); });
        tensors<Shape(batch, 3, 2)>("permute the batch", [](auto x) { return permute(x * x, {2, 0, 1}); });
        tensors<Shape(2, 3, 1, 2, 3)>("permute, rank 5", [](auto x) { return permute(sin(x), {4, 2, 0, 3, 1}); });
        tensors<Shape(batch, 7)>("slice", [](auto x) { return slice(x * x, axis(1), 2, 5) * slice(x, axis(1), 0, 3); });
        tensors<Shape(5, 2, 3)>("slice the first axis", [](auto x) { return slice(sin(x), axis(0), 1, 2); });
        tensors<Shape(batch, 3), Shape(batch, 2)>(
            "concatenate", [](auto x, auto y) { return concatenate(axis(1), x * x, y * y * y); });
        tensors<Shape(1, 3), Shape(4, 3)>("concatenate the first axis",
                                          [](auto x, auto y) { return concatenate(axis(0), sin(x), exp(y), x); });
        add({"pad", {Shape(batch, 3)}, [](Xs x) { return sin(pad(x[0] * x[0], 1, 2, 7)); }, {}});
        add({"pad the first axis", {Shape(2, 3, 1)}, [](Xs x) { return pad(exp(x[0]), 0, 0, 5); }, {}});
    }

    void products() {
        const auto f = [](auto x, auto y) { return dot(x, y); };
        tensors<Shape(batch, 3), Shape(3, 5)>("dot", f);
        tensors<Shape(3), Shape(3)>("dot of vectors", f);
        tensors<Shape(3), Shape(3, 2)>("dot of a vector and a matrix", f);
        tensors<Shape(5, 3), Shape(3)>("dot of a matrix and a vector", f);
        tensors<Shape(1, 1), Shape(1, 4)>("dot with extents 1", f);
        tensors<Shape(batch, 2, 3), Shape(3, 2)>("dot over two leading axes", f);
        tensors<Shape(batch, 2, 3), Shape(batch, 3, 2)>("dot for each record", f);
        tensors<Shape(2, 1, 3, 2), Shape(2, 1, 2, 3)>("dot for each pair", f);
        tensors<Shape(batch, 3), Shape(batch, 2)>("transposed_dot",
                                                  [](auto x, auto y) { return dot(transpose(x), y); });
        add({"transposed_dot over two axes",
             {Shape(2, 3, 4), Shape(2, 3, 5)},
             [](Xs x) { return sigma::detail::product(sigma::detail::Operation::transposed_dot, x[0], x[1], false); },
             {}});
        add({"transposed_dot for each",
             {Shape(batch, 3, 4), Shape(batch, 3, 2)},
             [](Xs x) { return sigma::detail::product(sigma::detail::Operation::transposed_dot, x[0], x[1], true); },
             {}});
    }

    void images() {
        const auto convolution = [&](const char* name, const sigma::detail::Convolution& g, const Shape& a,
                                     const Shape& w) {
            add({name, {a, w}, [g](Xs x) { return convolve(Tensor{x[0]}, Tensor{x[1]}, g).variable; }, {}});
            const Shape y{a[0], g.positions(0, a[1], w[0]), g.positions(1, a[2], w[1]), w[3]};
            add({std::string(name) + ", weights",
                 {a, y},
                 [k = w, g](Xs x) { return sigma::detail::convolve_weights(x[0], x[1], k, g); },
                 {}});
            const Shape t = sigma::detail::Convolution::by_channel(g.groups, a[3]) ? w : Shape{w[0], w[3], w[1], w[2]};
            add({std::string(name) + ", input",
                 {y, t},
                 [i = a, g](Xs x) { return sigma::detail::convolve_input(x[0], x[1], i, g); },
                 {}});
        };
        constexpr auto plain = sigma::detail::Convolution{};
        constexpr auto strided = sigma::detail::Convolution{{2, 1}, {1, 2}, 1};
        constexpr auto grouped = sigma::detail::Convolution{{1, 1}, {1, 1}, 2};
        constexpr auto by_channel = sigma::detail::Convolution{{1, 2}, {1, 1}, 3};
        convolution("convolution", plain, Shape(batch, 3, 4, 1), Shape(2, 3, 1, 2));
        convolution("strides and dilation", strided, Shape(2, 5, 4, 2), Shape(3, 2, 2, 1));
        convolution("groups", grouped, Shape(1, 2, 3, 4), Shape(2, 1, 2, 4));
        convolution("by channel", by_channel, Shape(batch, 2, 4, 3), Shape(1, 2, 1, 6));
        tensors<Shape(2, 2, 2, 3), Shape(2, 1, 3, 2)>("transposed", [](auto x, auto w) {
            return convolve_transposed(sin(x), w, sigma::detail::Convolution{{2, 1}, {1, 1}, 1});
        });
        tensors<Shape(2, 3, 2)>("zero_pad", [](auto x) { return sin(zero_pad(x * x, axis(1), 2, 1)); });
        // Points of a window must not lie so near that a difference changes which is greatest: powers keep them apart.
        const auto apart = [](auto x) { return 0.01 * x + x * x * x; };
        tensors<Shape(batch, 4, 4, 2)>("max_pool",
                                       [=](auto x) { return max_pool(apart(x), sigma::detail::Pooling{}); });
        tensors<Shape(2, 4, 3, 1)>("max_pool, overlapping, cut off", [=](auto x) {
            return max_pool(apart(x), sigma::detail::Pooling{{3, 2}, {2, 1}, {1, 0}}, 1, 1);
        });
        add({"max_pool of a sum",
             {Shape(1, 2, 4, 3), Shape(3)},
             [](Xs x) {
                 return sigma::detail::pool_max(max(x[0] * x[0] + x[1], constant(x[0].tape, 0.5)), Shape(1, 1, 2, 3),
                                                sigma::detail::Pooling{});
             },
             {}});
        add({"unpool",
             {Shape(1, 4, 3, 2), Shape(1, 2, 1, 2)},
             [](Xs x) {
                 const Variable y =
                     sigma::detail::pool_max(x[0], Shape(1, 2, 1, 2), sigma::detail::Pooling{{2, 2}, {2, 2}, {0, 0}});
                 return sigma::detail::unpool(stop_gradient(x[0]), stop_gradient(y), sin(x[1]),
                                              sigma::detail::Pooling{}.packed());
             },
             {}});
        add({"pool_select",
             {Shape(2, 2, 2, 3), Shape(2, 2, 2, 3)},
             [](Xs x) {
                 const Variable y = sigma::detail::pool_max(x[0], Shape(2, 1, 1, 3), sigma::detail::Pooling{});
                 return sigma::detail::pool_select(stop_gradient(x[0]), stop_gradient(y), x[1] * x[1],
                                                   sigma::detail::Pooling{}.packed());
             },
             {}});
        tensors<Shape(batch, 4, 3, 2)>(
            "average_pool", [](auto x) { return average_pool(x * x, sigma::detail::Pooling{{2, 3}, {1, 1}, {0, 0}}); });
    }

    void tables() {
        const auto ids = [](auto x) { return 1.0 + stop_gradient(sign(sin(5.0 * x))); };  // 0 or 2
        tensors<Shape(3, 2), Shape(batch, 3)>("gather", [=](auto t, auto x) { return sin(gather(t, ids(x))) * 2.0; });
        tensors<Shape(4, 1), Shape(5)>("gather of one column", [=](auto t, auto x) { return gather(t * t, ids(x)); });
        add({"scatter_add",
             {Shape(batch, 2, 3), Shape(batch, 2)},
             [=](Xs x) {
                 // The sine of a sum over many records would have none of its digits in float.
                 return sin(0.125 *
                            sigma::detail::scatter_add(x[0] * x[0], 1.0 + stop_gradient(sign(sin(5.0 * x[1]))), 4));
             },
             {}});
    }

    void composites() {
        tensors<Shape(batch, 5)>("softmax", [](auto x) { return softmax(x); });
        tensors<Shape(3, 4)>("softmax over the first axis", [](auto x) { return softmax(x, axis(0)); });
        tensors<Shape(batch, 5)>("log_softmax", [](auto x) { return log_softmax(x); });
        tensors<Shape(2, 3, 4)>("logsumexp", [](auto x) { return logsumexp(x, axis(1)); });
        tensors<Shape(batch, 5)>("variance", [](auto x) { return variance(x, axis(1)); });
        tensors<Shape(batch, 5)>("variance of a sample", [](auto x) { return variance<1>(x, axis(0)); });
        tensors<Shape(3, 4)>("standard deviation", [](auto x) { return standard_deviation(x); });
        tensors<Shape(batch, 5)>("norm", [](auto x) { return norm(x, axis(1)); });
        tensors<Shape(batch, 4)>("pad with a number", [](auto x) { return sin(pad(x, axis(1), 2, 1, 0.5)); });
        tensors<Shape(2, 4)>("pad with the edge", [](auto x) { return sin(pad(x, axis(1), 2, 1, PadMode::edge)); });
        tensors<Shape(2, 4)>("pad by reflection", [](auto x) { return sin(pad(x, axis(1), 3, 2, PadMode::reflect)); });
        tensors<Shape(7)>("softplus", [](auto x) { return softplus(x); });
        tensors<Shape(7)>("gelu", [](auto x) { return gelu(x); });
        tensors<Shape(batch, 3), Shape(3, 4), Shape(4), Shape(4, 2)>(
            "two layers", [](auto x, auto w, auto b, auto v) { return mean(square(dot(tanh(dot(x, w) + b), v))); });
    }

    void along_an_axis() {
        const auto recurrence = [](auto a, auto b) { return sin(linear_recurrence(a, b)); };
        tensors<Shape(batch, 4), Shape(batch, 4)>("linear recurrence", recurrence, {{-1, 1}});
        tensors<Shape(3, 1), Shape(2, 3, 1)>("linear recurrence of one position", recurrence);
        tensors<Shape{}, Shape(5)>("linear recurrence of one factor", recurrence, {{-1, 1}});
        tensors<Shape(3, 1), Shape(batch, 3, 2)>("linear recurrence along a middle axis",
                                                 [](auto a, auto b) { return sin(linear_recurrence(a, b, axis(1))); },
                                                 {{-1, 1}});
        add({"linear recurrence, transposed",
             {Shape(batch, 3), Shape(2, 1, 3)},
             [](Xs x) { return sin(linear_recurrence(reshape(x[1], Shape(2, 3, 1)), x[1], true)); },
             {{-1, 1}}});
        add({"linear recurrence from the end",
             {Shape(3, 4), Shape(3, 4)},
             [](Xs x) { return sin(linear_recurrence(x[0], x[1], true)); },
             {{-1, 1}}});
        tensors<Shape(batch, 4)>("cumsum", [](auto x) { return sin(cumsum(x)) * cumsum(x, {true, true}); });
        tensors<Shape(3, 2, 2)>("cumsum along the first axis", [](auto x) {
            const auto reversed = cumsum(x, axis(0), {.reverse = true});
            return sin(cumsum(x, axis(0), {.exclusive = true})) * reversed;
        });
        tensors<Shape(batch, 4)>("cumprod", [](auto x) { return sin(cumprod(x)); });
        tensors<Shape(5, 2)>("cumprod with a zero", [](auto x) {
            return sin(cumprod(x * (1.0 - equal(reshape(iota_beside(x, 5), {5, 1}), 2.0)), axis(0)));
        });
        // Elements must not lie so near that a difference changes their order.
        const auto apart = [](auto x) { return 0.01 * x + x * x * x; };
        tensors<Shape(batch, 5)>("sort", [=](auto x) { return sin(sort(apart(x))); });
        tensors<Shape(4, 3)>("sort along the first axis, descending",
                             [=](auto x) { return sin(sort(apart(x), axis(0), SortOrder::descending)) * x; });
        tensors<Shape(batch, 6)>("top_k", [=](auto x) { return sin(top_k(apart(x), 2).values); });
        const auto ids = [](auto x) { return 1.0 + stop_gradient(sign(sin(5.0 * x))); };  // 0 or 2
        tensors<Shape(batch, 3, 2), Shape(batch, 4, 2)>(
            "gather along an axis", [=](auto x, auto y) { return sin(gather(x, ids(y), axis(1))); });
        tensors<Shape(4), Shape(batch, 2, 1)>(
            "gather from one row", [=](auto x, auto y) { return gather(reshape(x * x, {1, 1, 4}), ids(y), axis(-1)); });
        add({"scatter_add along an axis",
             {Shape(batch, 3), Shape(1, 3)},
             [=](Xs x) {
                 return sin(
                     sigma::detail::scatter_add_along(x[0] * x[0], 1.0 + stop_gradient(sign(sin(5.0 * x[1]))), 4));
             },
             {}});
    }

    /// Matrices with a strong diagonal, so that no difference changes a pivot.
    static constexpr Tensor regular(Tensor x) {
        return x + 3.0 * Tensor{sigma::detail::identity_matrix(x.variable.tape, x.shape().last())};
    }
    void matrices() {
        const std::vector<Range> small{{-1, 1}};
        const auto solution = [](auto a, auto b) { return sin(solve(regular(a), b)); };
        tensors<Shape(batch, 3, 3), Shape(batch, 3, 2)>("solve", solution, small);
        tensors<Shape(2, 2), Shape(batch, 2, 1)>("solve by one matrix", solution, small);
        tensors<Shape(2, 3, 3), Shape(2, 3)>("solve for vectors", solution, small);
        tensors<Shape(1, 1), Shape(1, 4)>("solve, one row", solution, small);
        tensors<Shape(3, 3), Shape(3, 2)>(
            "solve, exchanging rows",
            [](auto a, auto b) {
                const auto turned = permute(
                    slice(concatenate(axis(0), slice(regular(a), axis(0), 1, 3), slice(regular(a), axis(0), 0, 1)),
                          axis(0), 0, 3),
                    {1, 0});
                return sin(solve(turned, b));
            },
            small);
        add({"solve, transposed",
             {Shape(batch, 3, 3), Shape(3, 2)},
             [](Xs x) {
                 const Variable a = x[0] + 3.0 * sigma::detail::identity_matrix(x[0].tape, 3);
                 return sin(solve(a, x[1], sigma::detail::lu(a), true));
             },
             small});
        tensors<Shape(batch, 3, 3)>("inverse", [](auto a) { return sin(inverse(regular(a))); }, small);
        tensors<Shape(batch, 3, 3)>("determinant", [](auto a) { return sin(determinant(a)); }, small);
        tensors<Shape(2, 2)>("determinant, 2 rows", [](auto a) { return square(determinant(a)); }, small);
        tensors<Shape(batch, 3, 3)>("slogdet", [](auto a) { return sin(slogdet(regular(a)).logarithm); }, small);
        add({"cofactors",
             {Shape(2, 3, 3)},
             [](Xs x) {
                 const Variable a = x[0] + 3.0 * sigma::detail::identity_matrix(x[0].tape, 3);
                 return sin(sigma::detail::cofactors(a, sigma::detail::lu(a)));
             },
             small});
    }
};

}  // namespace sigma::test
