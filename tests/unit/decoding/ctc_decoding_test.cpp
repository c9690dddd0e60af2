// SPDX-License-Identifier: BSL-1.0
#include <sigma/core/array.hpp>
#include <sigma/core/philox.hpp>
#include <sigma/decoding/ctc.hpp>

#include <catch2/catch.hpp>

#include "support/thrown.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

using namespace sigma;

namespace {

using Labels = std::vector<std::size_t>;

Array<double> random_probabilities(std::uint64_t seed, std::size_t records, std::size_t times, std::size_t classes) {
    auto p = Array<double>::from_shape({records, times, classes});
    for (std::size_t i = 0; i < records * times; ++i) {
        double all = 0;
        for (std::size_t c = 0; c < classes; ++c) {
            const double x = Philox(seed).uniform<double>(i * classes + c);
            all += p.data()[i * classes + c] = x * x;
        }
        for (std::size_t c = 0; c < classes; ++c) p.data()[i * classes + c] /= all;
    }
    return p;
}
/// What a path spells: runs become one, blanks vanish.
Labels spelled_by(const Labels& path) {
    Labels y;
    for (std::size_t t = 0; t < path.size(); ++t)
        if (path[t] != 0 && (t == 0 || path[t] != path[t - 1])) y.push_back(path[t]);
    return y;
}
/// f(path, probability) for each path of one record.
template <class F>
void for_each_path(const Array<double>& p, std::size_t record, F f) {
    const std::size_t times = p.shape(1), classes = p.shape(2);
    Labels path(times, 0);
    while (true) {
        double product = 1;
        for (std::size_t t = 0; t < times; ++t) product *= p(record, t, path[t]);
        f(path, product);
        std::size_t t = 0;
        while (t < times && ++path[t] == classes) path[t++] = 0;
        if (t == times) return;
    }
}

TEST_CASE("Labels of the likeliest path") {
    const auto p = random_probabilities(1, 12, 6, 3);
    const auto found = ctc_greedy(p);
    REQUIRE(found.size() == 12);
    for (std::size_t r = 0; r < found.size(); ++r) {
        double greatest = 0;
        Labels wanted;
        for_each_path(p, r, [&](const Labels& path, double product) {
            if (product <= greatest) return;
            greatest = product;
            wanted = spelled_by(path);
        });
        CHECK(found[r] == wanted);
    }
}

TEST_CASE("A beam that loses nothing has the sums over all paths") {
    const auto p = random_probabilities(2, 12, 5, 3);
    const auto found = ctc_labellings(p, {.width = 1000});
    const auto best = ctc_beam(p, {.width = 1000});
    int better = 0;
    for (std::size_t r = 0; r < found.size(); ++r) {
        std::map<Labels, double> sums;
        for_each_path(p, r, [&](const Labels& path, double product) { sums[spelled_by(path)] += product; });
        REQUIRE(found[r].size() == sums.size());
        for (const Labelling& l : found[r])
            CHECK(l.log_probability == Approx(std::log(sums.at(l.labels))).epsilon(1e-12));
        const auto greatest =
            std::ranges::max_element(sums, [](const auto& a, const auto& b) { return a.second < b.second; });
        CHECK(best[r] == greatest->first);
        CHECK(std::ranges::is_sorted(
            found[r], [](const Labelling& a, const Labelling& b) { return a.log_probability > b.log_probability; }));
        better += best[r] != ctc_greedy(p)[r];
    }
    CHECK(better > 0);  // or the search would be of no use
}

TEST_CASE("A narrow beam finds what greedy decoding misses") {
    // Twice: blank 0.6, label 0.4. Of all paths the blanks are the likeliest, 0.36; the label has 0.64.
    const Array<float> p({1, 2, 2}, {0.6f, 0.4f, 0.6f, 0.4f});
    CHECK(ctc_greedy(p)[0].empty());
    const auto found = ctc_labellings(p, {.width = 2});
    REQUIRE(found[0].size() == 2);
    CHECK(found[0][0].labels == Labels{1});
    CHECK(found[0][0].log_probability == Approx(std::log(0.64)).epsilon(1e-6));
    CHECK(found[0][1].labels.empty());
    CHECK(found[0][1].log_probability == Approx(std::log(0.36)).epsilon(1e-6));
}

TEST_CASE("A label twice needs a blank between") {
    const Array<double> p({2, 3, 2}, {0, 1, 1, 0, 0, 1, 0, 1, 0, 1, 0, 1});
    CHECK(ctc_greedy(p) == std::vector<Labels>{{1, 1}, {1}});
    CHECK(ctc_beam(p, {.width = 1}) == std::vector<Labels>{{1, 1}, {1}});
    CHECK(ctc_labellings(p)[0].size() == 1);  // all else is impossible
    CHECK(ctc_greedy(Array<double>::from_shape({2, 0, 3})) == std::vector<Labels>(2));
    CHECK(ctc_beam(Array<double>::from_shape({1, 0, 3})) == std::vector<Labels>(1));
}

TEST_CASE("What is no probabilities of labels is refused") {
    CHECK(thrown<ShapeError>([] { ctc_greedy(Array<float>{{1, 0}}); }).found == "(1, 2)");
    CHECK(error_text<ArgumentError>([] { ctc_beam(Array<float>({1, 2, 2}, {1, 0, 1, -1})); }) ==
          "probabilities of record 0, time 1, class 1: expected a finite number of at least 0, found -1");
    CHECK(error_text<ArgumentError>([] { ctc_beam(Array<float>({1, 1, 2}, {1, 0}), {.width = 0}); }) ==
          "CTC beam search: expected a width of at least 1, found 0");
}

/// By its definition: the last elements are exchanged or kept, or one of them is left out.
std::size_t distance_by_definition(std::string_view a, std::string_view b) {
    if (a.empty() || b.empty()) return a.size() + b.size();
    const auto x = a.substr(0, a.size() - 1), y = b.substr(0, b.size() - 1);
    const std::size_t exchanged = distance_by_definition(x, y) + (a.back() == b.back() ? 0 : 1);
    return std::min({exchanged, distance_by_definition(x, b) + 1, distance_by_definition(a, y) + 1});
}

TEST_CASE("Edit distances") {
    CHECK(edit_distance("kitten", "sitting") == 3);
    CHECK(edit_distance("", "abc") == 3);
    CHECK(edit_distance(Labels{1, 2, 3}, Labels{1, 3}) == 1);
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        PhiloxSequence random{Philox(seed)};
        std::string a(random.below(6), ' '), b(random.below(6), ' ');
        for (char& c : a) c = static_cast<char>('a' + random.below(3));
        for (char& c : b) c = static_cast<char>('a' + random.below(3));
        INFO(a << " and " << b);
        CHECK(edit_distance(a, b) == distance_by_definition(a, b));
    }
}

TEST_CASE("Label error rate: edits of all over labels of all") {
    const std::vector<Labels> found{{1, 2}, {3}, {}};
    CHECK(label_error_rate(found, std::vector<Labels>{{1, 2, 2}, {4}, {}}) == 0.5);
    CHECK(label_error_rate(found, Array<float>{{1, 2, 2}, {4, 0, -1}, {0, 0, 0}}) == 0.5);
    CHECK(label_error_rate(found, std::vector<Labels>{{1, 2}, {3}, {}}) == 0);
    CHECK(error_text<ArgumentError>([&] { label_error_rate(found, std::vector<Labels>(2)); }) ==
          "label error rate: expected 2 sequences, as many as targets, found 3");
    CHECK(error_text<ArgumentError>([&] { label_error_rate(found, std::vector<Labels>(3)); }) ==
          "label error rate: expected targets of at least one label, found none");
    CHECK(thrown<ShapeError>([&] { label_error_rate(found, Array<float>{1, 2, 3}); }).found == "(3)");
    CHECK(error_text<ArgumentError>([&] { label_error_rate(found, Array<float>{{1}, {0.5f}, {1}}); }) ==
          "targets of record 1: expected labels from 1, or 0 and -1 at the end, found 0.5");
}

}  // namespace
