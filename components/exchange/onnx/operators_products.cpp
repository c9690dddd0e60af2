// SPDX-License-Identifier: BSL-1.0
#include <sigma/sigma.hpp>

#include "import.hpp"

#include <algorithm>

namespace sigma::detail {

namespace {

/// Returns products of matrices. The other axes broadcast, as in NumPy.
Tensor product_of(OnnxCall& c, Tensor x, Tensor y) {
    Shape a = x.shape(), b = y.shape();
    if (a.rank == 0 || b.rank == 0) c.refuse("matrices or vectors", "a number");
    if (b.rank <= 2) return dot(x, y);
    const bool row = a.rank == 1;
    if (row) x = reshape(x, {1, a[0]}), a = x.shape();
    if (a[a.rank - 1] != b[b.rank - 2]) c.refuse(sentence("rows of ", b[b.rank - 2]), sentence(a[a.rank - 1]));
    const int rank = std::max(a.rank, b.rank);
    const Shape lead_a = axes_before(a, 2).aligned(rank - 2), lead_b = axes_before(b, 2).aligned(rank - 2);
    if (!broadcastable(lead_a, lead_b))
        c.refuse("shapes that broadcast", sentence(shape_text(c.in(0).dims()), " and ", shape_text(c.in(1).dims())));
    const Shape lead = broadcast(lead_a, lead_b);
    c.shape_of({lead.extent, lead.extent + lead.rank});
    const auto spread = [&](Tensor t, const Shape& s) {
        Shape to = lead;
        to.extent[to.rank++] = s[s.rank - 2], to.extent[to.rank++] = s[s.rank - 1];
        return broadcast_to(t, to);
    };
    const Tensor z = dot(spread(x, a), spread(y, b));
    return row ? Tensor{reshape(z.variable, z.shape().without(z.shape().rank - 2))} : z;
}
void matmul(OnnxCall& c) {
    const Tensor x = c.weight(0, "weights");
    c.give(product_of(c, x, c.weight(1, "weights")));
}
constexpr std::uint64_t turned = 1;  // (1, 0)

void gemm(OnnxCall& c) {
    if (c.rank(0) != 2 || c.rank(1) != 2) c.refuse("matrices", shape_text(c.in(c.rank(0) != 2 ? 0 : 1).dims()));
    const Tensor a = c.whole("transA", 0) != 0 ? c.weight(0, "weights", turned) : c.weight(0, "weights");
    const Tensor b = c.whole("transB", 0) != 0 ? c.weight(1, "weights", turned) : c.weight(1, "weights");
    Tensor y = dot(a, b);
    if (const double alpha = c.real("alpha", 1); alpha != 1) y = alpha * y;
    if (c.has(2)) {
        const Tensor shift = c.weight(2, "biases");
        const double beta = c.real("beta", 1);
        const Shape s = y.shape();
        y = y + (beta == 1 ? shift : beta * shift);
        if (!(y.shape() == s)) c.refuse("biases that broadcast to the product", shape_text(c.in(2).dims()));
    }
    c.give(y);
}

/// Imports Einsum with NumPy's notation: ellipsis, implicit result, and repeated letters.
void einsum_of(OnnxCall& c) {
    std::string equation;
    for (const char ch : c.text("equation", ""))
        if (ch != ' ') equation += ch;
    if (equation.size() > 256) c.refuse("an equation of at most 256 characters", sentence(equation.size()));
    const std::size_t arrow = equation.find("->");
    const std::string left = equation.substr(0, arrow);
    std::vector<std::string> terms(1);
    for (const char ch : left) {
        if (ch == ',') terms.emplace_back();
        else terms.back() += ch;
    }
    if (terms.size() != c.inputs.size()) c.refuse(sentence(c.inputs.size(), " terms"), sentence(terms.size()));
    std::string result = arrow == equation.npos ? "" : equation.substr(arrow + 2);
    std::string dots;  // letters of the ellipsis
    const auto written_out = [&](std::string& term, int rank) {
        const std::size_t at = term.find("...");
        if (at == term.npos) return;
        const int count = rank - static_cast<int>(term.size() - 3);
        if (count < 0 || count > 6) c.refuse("as many letters as axes", term);
        std::string letters;
        for (int i = 0; i < count; ++i) letters += static_cast<char>('Z' - count + 1 + i);
        if (letters.size() > dots.size()) dots = letters;
        term.replace(at, 3, letters);
    };
    for (std::size_t i = 0; i < terms.size(); ++i) written_out(terms[i], c.rank(static_cast<int>(i)));
    if (arrow == equation.npos) {
        result = dots;
        for (char ch = 'A'; ch <= 'z'; ++ch)
            if (((ch >= 'A' && ch <= 'Z') || ch >= 'a') && std::count(left.begin(), left.end(), ch) == 1) result += ch;
    } else if (const std::size_t at = result.find("..."); at != result.npos) result.replace(at, 3, dots);
    std::vector<Tensor> values;
    for (std::size_t i = 0; i < terms.size(); ++i) {
        Tensor x = c.weight(static_cast<int>(i), "weights");
        std::string& term = terms[i];
        for (std::size_t a = 0; a < term.size(); ++a)
            for (std::size_t b = a + 1; b < term.size(); ++b) {
                if (term[a] != term[b]) continue;
                const Shape s = x.shape();
                if (s.rank != static_cast<int>(term.size()) || s[static_cast<int>(a)] != s[static_cast<int>(b)] ||
                    s[static_cast<int>(a)] < 0)
                    c.refuse("a letter of one extent", term);
                // The diagonal: multiplies other elements by 0, and sums.
                const int n = s[static_cast<int>(a)];
                const Tensor numbers = iota_beside(x, n);
                const Tensor first{reshape(numbers.variable, all_ones(s).with(static_cast<int>(a), n))};
                const Tensor second{reshape(numbers.variable, all_ones(s).with(static_cast<int>(b), n))};
                x = sum(where(equal(first, second), x, 0.0), axis(static_cast<int>(b)));
                term.erase(b--, 1);
            }
        values.push_back(x);
    }
    while (values.size() > 2) c.refuse("one or two operands", sentence(values.size()));
    const std::string all = values.size() == 1 ? terms[0] + "->" + result : terms[0] + "," + terms[1] + "->" + result;
    c.give(values.size() == 1 ? einsum(all, values[0]) : einsum(all, values[0], values[1]));
}
void determinants(OnnxCall& c) { c.give(determinant(c.x(0))); }

constexpr OnnxOperator rows[] = {
    {"MatMul", matmul},
    {"Gemm", gemm},
    {"Einsum", einsum_of},
    {"Det", determinants},
};

}  // namespace

std::span<const OnnxOperator> onnx_products() { return rows; }

Tensor onnx_product(OnnxCall& c, Tensor x, Tensor y) { return product_of(c, x, y); }

}  // namespace sigma::detail
