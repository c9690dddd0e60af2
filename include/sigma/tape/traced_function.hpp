// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/tape/mistake.hpp>
#include <sigma/tape/program.hpp>
#include <sigma/tape/tensor.hpp>

#include <array>
#include <cstddef>
#include <tuple>
#include <type_traits>

// Functions over tensors, and the shapes of their results: found by tracing them once at compile time.
namespace sigma {

inline constexpr Given::Label it_returns{"it returns"};

namespace detail {

/// Traces onto a tape during its lifetime.
class Tracing : public Trace {
public:
    explicit constexpr Tracing(Tape& tape) : tape_(tape) { tape.tracer = this; }
    Tracing(const Tracing&) = delete;
    Tracing& operator=(const Tracing&) = delete;
    constexpr ~Tracing() { tape_.tracer = nullptr; }

private:
    Tape& tape_;
};

/// The stand-in for an argument of type A.
template <class A>
struct InPlaceOf {
    using type = Tensor;
};
template <Shape... S>
constexpr std::array<Tensor, sizeof...(S)> inputs_of(Program& p) {
    int number = 0;
    return {Tensor{input(p, S, number++)}...};
}

/// The outline of a function: another one with the same shapes and mistakes that is traced faster.
template <class F>
struct OutlineOf {
    using type = F;
};
template <class F>
    requires requires { typename F::Outline; }
struct OutlineOf<F> {
    using type = typename F::Outline;
};
template <std::size_t results>
struct FoundShapes {
    std::array<Shape, results> shapes{};
    Refusal refusal{};
};
template <class F, Shape... S>
constexpr auto find_shapes() {
    Program p;
    Tracing tracing(p.tape);
    const auto results = std::apply(typename OutlineOf<F>::type{}, inputs_of<S...>(p));
    FoundShapes<tensors_in<std::remove_const_t<decltype(results)>>> found;
    std::size_t i = 0;
    each_tensor(results, [&](Tensor t) { found.shapes[i++] = t.shape(); });
    found.refusal = tracing.refusal;
    return found;
}

/// A function of tensors of shapes S: the shapes of its results, and its mistake if there is one.
template <class F, Shape... S>
struct OnShapes {
    static constexpr auto found = find_shapes<F, S...>();
    static constexpr auto& shapes = found.shapes;
    static constexpr auto& refusal = found.refusal;
    static constexpr std::size_t count = found.shapes.size();
};

/// Returns the mistake that `Of::refusal` names, if there is one.
template <class Of>
consteval auto named_refusal() {
    if constexpr (Of::refusal) return Mistake<typename SpelledRefusal<Of>::type>{};
    else return Mistake<>{};
}

}  // namespace detail
}  // namespace sigma
