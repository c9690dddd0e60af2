// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/layer/activation.hpp>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

// The notation of operations, functions and parameters.
namespace sigma::detail::formulas {

enum Binding : int { loosest, sum_like, product_like, power_like, atom };

/// The notation of an operation: @0, @1 and @2 are its operands, @x is its additional text. An operand that binds less
/// than its place requires gets parentheses, except in braces.
struct Notation {
    std::string_view name, text, latex;
    Binding own = atom;
    std::array<Binding, 3> wanted{};
};
inline constexpr Notation notations[] = {
    {"same", "@0", "@0"},
    {"chosen", "@0 @1", "@0 \\, @1", product_like, {atom, power_like}},
    {"add", "@0 + @1", "@0 + @1", sum_like, {sum_like, sum_like}},
    {"subtract", "@0 − @1", "@0 - @1", sum_like, {sum_like, product_like}},
    {"negate", "−@0", "-@0", sum_like, {product_like}},
    {"multiply", "@0 ∘ @1", "@0 \\odot @1", product_like, {product_like, product_like}},
    {"scale", "@0 @1", "@0 \\, @1", product_like, {power_like, power_like}},
    {"divide", "@0 / @1", "\\frac{@0}{@1}", product_like, {product_like, power_like}},
    {"over_root", "@0 / sqrt(@1)", "\\frac{@0}{\\sqrt{@1}}", product_like, {product_like}},
    {"rsqrt", "1 / sqrt(@0)", "\\frac{1}{\\sqrt{@0}}", product_like},
    {"sqrt", "sqrt(@0)", "\\sqrt{@0}"},
    {"square", "@0²", "@0^{2}", power_like, {atom}},
    {"power", "@0^@1", "@0^{@1}", power_like, {atom, atom}},
    {"absolute", "abs(@0)", "\\left|@0\\right|"},
    {"exp", "exp(@0)", "e^{@0}", power_like},
    {"maximum", "max(@0, @1)", "\\max(@0, @1)"},
    {"minimum", "min(@0, @1)", "\\min(@0, @1)"},
    {"less", "[@0 < @1]", "[@0 < @1]"},
    {"greater", "[@0 > @1]", "[@0 > @1]"},
    {"greater_equal", "[@0 ≥ @1]", "[@0 \\ge @1]"},
    {"less_equal", "[@0 ≤ @1]", "[@0 \\le @1]"},
    {"equal", "[@0 = @1]", "[@0 = @1]"},
    {"sigmoid", "σ(@0)", "\\sigma(@0)"},
    {"dot", "@0 · @1", "@0 \\cdot @1", product_like, {product_like, power_like}},
    {"transposed_dot", "@0ᵀ · @1", "@0^{\\top} \\cdot @1", product_like, {atom, power_like}},
    {"transpose", "@0ᵀ", "@0^{\\top}", power_like, {atom}},
    {"convolve", "@0 ∗@x @1", "@0 *@x @1", product_like, {product_like, power_like}},
    {"convolve_input", "@0 ∗ᵀ@x @1", "@0 *^{\\top}@x @1", product_like, {product_like, power_like}},
    {"gather", "@0[@1]", "@0[@1]", atom, {atom}},
    {"slice", "@0[@x]", "@0[@x]", atom, {atom}},
    {"at", "@0(@x)", "@0(@x)", atom, {atom}},
    {"concatenate", "[@0, @1]", "[@0, @1]"},
    {"joined", "@0, @1", "@0,\\; @1"},  // inside existing brackets
    {"sum", "sum@x(@0)", "\\sum@x @0", product_like, {product_like}},
    {"reduce_maximum", "max@x(@0)", "\\max@x @0", product_like, {product_like}},
    {"reduce_minimum", "min@x(@0)", "\\min@x @0", product_like, {product_like}},
};
inline const Notation* notation(std::string_view name) {
    for (const Notation& n : notations)
        if (n.name == name) return &n;
    return nullptr;
}

/// Functions with a usual name that the library composes of operations. The name replaces these operations, for any
/// argument.
struct Named {
    std::string_view name;
    Tensor (*function)(Tensor);
};
inline constexpr Named named_functions[] = {{"softmax", [](Tensor x) { return softmax(x); }},
                                            {"log_softmax", [](Tensor x) { return log_softmax(x); }},
                                            {"mish", mish},
                                            {"softplus", softplus},
                                            {"gelu", gelu},
                                            {"hard_swish", hard_swish},
                                            {"silu", silu},
                                            {"selu", selu},
                                            {"elu", [](Tensor x) { return elu(x); }},
                                            {"leaky_relu", [](Tensor x) { return leaky_relu(x); }},
                                            {"hard_sigmoid", hard_sigmoid},
                                            {"relu6", relu6},
                                            {"hard_tanh", hard_tanh},
                                            {"softsign", softsign},
                                            {"relu", relu}};

/// The letters of parameters. Other parameters keep their names.
struct Letter {
    std::string_view name, text, latex;
};
inline constexpr Letter letters[] = {{"weights", "W", "W"},
                                     {"biases", "b", "b"},
                                     {"recurrent_weights", "U", "U"},
                                     {"recurrent_biases", "b'", "b'"},
                                     {"scales", "γ", "\\gamma"},
                                     {"shifts", "β", "\\beta"},
                                     {"running_mean", "μ", "\\mu"},
                                     {"running_variance", "v", "v"},
                                     {"table", "E", "E"},
                                     {"slopes", "a", "a"},
                                     {"query_weights", "Wq", "W^{q}"},
                                     {"query_biases", "bq", "b^{q}"},
                                     {"key_weights", "Wk", "W^{k}"},
                                     {"key_biases", "bk", "b^{k}"},
                                     {"value_weights", "Wv", "W^{v}"},
                                     {"value_biases", "bv", "b^{v}"},
                                     {"output_weights", "Wo", "W^{o}"},
                                     {"output_biases", "bo", "b^{o}"}};

inline std::string replaced(std::string text, std::string_view what, std::string_view by) {
    for (std::size_t at = 0; (at = text.find(what, at)) != text.npos; at += by.size())
        text.replace(at, what.size(), by);
    return text;
}
/// Escapes the special characters of LaTeX in a name.
inline std::string escaped(std::string_view name) {
    std::string text;
    for (const char c : name) {
        if (std::string_view("#%&$_{}").find(c) != std::string_view::npos) text += '\\';
        text += std::string_view("\\^~").find(c) != std::string_view::npos ? '-' : c;
    }
    return text;
}
/// Returns the number of UTF-8 characters.
inline std::size_t width(std::string_view text) {
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

}  // namespace sigma::detail::formulas
