// SPDX-License-Identifier: BSL-1.0
#include "support.hpp"

#include <sigma/tape/einsum.hpp>

#include <map>
#include <string>

using namespace sigma;
using namespace sigma::test;

namespace {

/// Sums over all letters, one after the other.
Reference summed(const std::string& text, const Reference& x, const Reference& y) {
    const auto comma = text.find(','), arrow = text.find("->");
    const std::string of_x = text.substr(0, std::min(comma, arrow)),
                      of_y = comma == text.npos ? "" : text.substr(comma + 1, arrow - comma - 1),
                      of_z = text.substr(arrow + 2);
    std::map<char, std::size_t> extent;
    for (std::size_t i = 0; i < of_x.size(); ++i) extent[of_x[i]] = x.extents[i];
    for (std::size_t i = 0; i < of_y.size(); ++i) extent[of_y[i]] = y.extents[i];
    std::string letters;
    Index all, result;
    for (const auto& [letter, n] : extent) {
        letters += letter;
        all.push_back(n);
    }
    for (const char c : of_z) result.push_back(extent[c]);
    Reference z(result);
    for (double& v : z.data) v = 0;
    for (std::size_t i = 0; i < count_of(all); ++i) {
        const Index at = index_of(i, all);
        const auto place = [&](const std::string& of) {
            Index own;
            for (const char c : of) own.push_back(at[letters.find(c)]);
            return own;
        };
        z.data[position_of(place(of_z), z.extents)] += x.at(place(of_x)) * (of_y.empty() ? 1 : y.at(place(of_y)));
    }
    return z;
}

template <Text text, class X, class Y>
void examine(const X& x, const auto& x_data, const Y& y, const auto& y_data) {
    CAPTURE(std::string(text.view()));
    const auto r = evaluate([](auto a, auto b) { return einsum(text.view(), a, b); })(x, y);
    CHECK(relative_error(r, summed(std::string(text.view()), Reference(x_data), Reference(y_data)), 1.0) < 1e-12);
}

}  // namespace

TEST_CASE("einsum sums what its result does not name", "[function]") {
    const auto ij = random_of<double>(1, 4, 5), jk = random_of<double>(2, 5, 6), kj = random_of<double>(3, 6, 5);
    const auto bij = random_of<double>(4, 3, 4, 5), bjk = random_of<double>(5, 3, 5, 6);
    const auto i = random_of<double>(6, 4);
    examine<"ij,jk->ik">(shaped<4, 5>(ij), ij, shaped<5, 6>(jk), jk);
    examine<"ij,kj->ki">(shaped<4, 5>(ij), ij, shaped<6, 5>(kj), kj);
    examine<"ij,jk->">(shaped<4, 5>(ij), ij, shaped<5, 6>(jk), jk);
    examine<"ij,jk->j">(shaped<4, 5>(ij), ij, shaped<5, 6>(jk), jk);
    examine<"bij,bjk->bik">(shaped<batch, 4, 5>(bij), bij, shaped<batch, 5, 6>(bjk), bjk);
    examine<"bij,bjk->kib">(shaped<batch, 4, 5>(bij), bij, shaped<batch, 5, 6>(bjk), bjk);
    examine<"bij,jk->bik">(shaped<batch, 4, 5>(bij), bij, shaped<5, 6>(jk), jk);
    examine<"bij,kj->kbi">(shaped<batch, 4, 5>(bij), bij, shaped<6, 5>(kj), kj);
    examine<"bij,bjk->ik">(shaped<batch, 4, 5>(bij), bij, shaped<batch, 5, 6>(bjk), bjk);
    examine<"bij,ij->b">(shaped<batch, 4, 5>(bij), bij, shaped<4, 5>(ij), ij);
    examine<"i,jk->jik">(shaped<4>(i), i, shaped<5, 6>(jk), jk);
    examine<"ij,i->ij">(shaped<4, 5>(ij), ij, shaped<4>(i), i);
    examine<"ij,kl->">(shaped<4, 5>(ij), ij, shaped<5, 6>(jk), jk);
    examine<"abc,cd->adb">(shaped<3, 4, 5>(bij), bij, shaped<5, 6>(jk), jk);
}

TEST_CASE("gradients of einsum", "[function]") {
    const auto x = random_of<double>(8, 3, 4, 5), y = random_of<double>(9, 3, 5, 6);
    const auto w = random_of<double>(10, 6, 4);
    const auto each = value_and_gradient([](auto a, auto b, auto c) {
        return sum(einsum("ki,bik->", c, sin(einsum("bij,bjk->bik", a, b)))) +
               sum(sin(einsum("bij,bjk->ki", a, b)) * c);
    });
    const auto f = [&](const auto& a, const auto& b, const auto& c) {
        return each(shaped<batch, 4, 5>(a), shaped<batch, 5, 6>(b), shaped<6, 4>(c));
    };
    CHECK(gradient_error(f, x, y, w) < 1e-7);
}

TEST_CASE("einsum of one operand sums and transposes", "[function]") {
    const auto x = random_of<double>(7, 3, 4, 5);
    const auto r = evaluate([](auto v) {
        return std::tuple{einsum("bij->jbi", v), einsum("bij->j", v), einsum("bij->bi", v), einsum("bij->", v)};
    })(shaped<batch, 4, 5>(x));
    const Reference a(x);
    CHECK(relative_error(std::get<0>(r), summed("bij->jbi", a, a)) == 0);
    CHECK(relative_error(std::get<1>(r), summed("bij->j", a, a), 1.0) < 1e-12);
    CHECK(relative_error(std::get<2>(r), summed("bij->bi", a, a), 1.0) < 1e-12);
    CHECK(relative_error(std::get<3>(r), summed("bij->", a, a), 1.0) < 1e-12);
}
