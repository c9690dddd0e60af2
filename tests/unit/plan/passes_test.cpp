// SPDX-License-Identifier: BSL-1.0
// The passes from a tape to a plan, each alone.
#include <sigma/core/error.hpp>
#include <sigma/plan/planner.hpp>
#include <sigma/plan/print.hpp>
#include <sigma/plan/product_forms.hpp>
#include <sigma/tape/print.hpp>
#include <sigma/tape/scan.hpp>

#include "support/networks.hpp"

#include <catch2/catch.hpp>

#include <fstream>
#include <iterator>
#include <string>

using namespace sigma;
using namespace sigma::test;

namespace {

/// The passes for a device with eight lanes.
struct Passes : sigma::detail::Passes {
    explicit Passes(const sigma::detail::Program& program, int lanes = 8) : sigma::detail::Passes(program, lanes) {}
};

/// A regression with one hidden layer, as docs/design/passes.md shows it.
sigma::detail::Program small_network() {
    sigma::detail::Program p;
    Recorder r(p);
    const auto x = r.input<batch, 4>();
    const auto wanted = r.input<batch, 2>();
    const auto rate = r.input<>();
    const auto w = r.parameter<4, 2>();
    const auto b = r.parameter<2>();
    // [loss]
    const auto loss = mean(square(tanh(dot(x, w) + b) - wanted));
    // [loss]
    r.output(loss);
    r.descend(loss, rate);
    return p;
}

/// Scores of a network with tied weights, as docs/design/passes.md shows it.
sigma::detail::Program tied_scores() {
    sigma::detail::Program p;
    Recorder r(p);
    const auto x = r.input<batch, 4>();
    const auto w = r.parameter<4, 2>();
    const auto b = r.parameter<2>();
    // [scores]
    const auto scores = dot(relu(dot(x, w) + b), transpose(w));
    // [scores]
    r.output(scores);
    return p;
}

std::string page() {
    std::ifstream file(SIGMA_TEST_DATA_DIR "/../docs/design/passes.md");
    return {std::istreambuf_iterator<char>(file), {}};
}
/// Returns the text block of the page after the comment with this name.
std::string block(const std::string& page, const std::string& name) {
    const std::size_t comment = page.find("<!-- after " + name + " -->"), begin = page.find("```text\n", comment);
    if (comment == std::string::npos || begin == std::string::npos) return "there is no block of " + name;
    return page.substr(begin + 8, page.find("```", begin + 8) - begin - 8);
}

}  // namespace

TEST_CASE("the page on passes shows what they find", "[plan]") {
    const sigma::detail::Program program = small_network();
    const Passes p(program);
    const std::string all = page();
    CHECK(block(all, "tracing") == to_text(program));
    CHECK(block(all, "liveness") == to_text(p.in, p.liveness));
    CHECK(block(all, "layout") == to_text(p.in, p.liveness, p.layouts));
    CHECK(block(all, "fusion") == to_text(p.in, p.groups));
    CHECK(block(all, "lowering") == to_text(p.lowered));
    CHECK(block(all, "schedule") == to_text(p.scheduled));
    CHECK(block(all, "memory") == to_text(p.memory));
    CHECK(block(all, "planning") == to_text(sigma::detail::make_plan(program, 8)));
    CHECK(to_text(p.in, p.views).empty());
    CHECK(to_text(find_product_forms(view_of<float>(sigma::detail::make_plan(program, 8)))).empty());
    CHECK(block(all, "products") == to_text(sigma::detail::make_plan(tied_scores(), 8)));
}

TEST_CASE("liveness: what nobody needs is dead, what products read is in memory", "[plan]") {
    sigma::detail::Program program;
    Recorder r(program);
    const auto x = r.input<batch, 4>();
    const auto y = tanh(x);
    const auto unused = exp(x);
    r.output(dot(y, r.parameter<4, 3>()));
    const sigma::detail::PassInput in{program, 8};
    const sigma::detail::Liveness found = find_liveness(in);
    CHECK(found.live[y.variable.id]);
    CHECK(found.in_memory[y.variable.id]);
    CHECK(found.uses[y.variable.id] == 1);
    CHECK_FALSE(found.live[unused.variable.id]);
    CHECK(found.uses[unused.variable.id] == 0);
    CHECK(found.uses[x.variable.id] == 1);  // what is dead does not count
}

TEST_CASE("views: a slice is no copy, parts of a concatenation are written in place", "[plan]") {
    sigma::detail::Program program;
    Recorder r(program);
    const auto x = r.input<batch, 8>();
    const auto part = slice(x, axis(1), 2, 4);
    const auto left = tanh(part);
    const auto right = exp(part);
    const auto both = concatenate(axis(1), left, right);
    r.output(square(both));
    const sigma::detail::PassInput in{program, 4};
    const sigma::detail::Views found = find_views(in, find_liveness(in));
    CHECK(found.view[part.variable.id]);
    CHECK(found.root_of(part.variable.id) == x.variable.id);
    CHECK(found.destination[left.variable.id] == both.variable.id);
    CHECK(found.destination[right.variable.id] == both.variable.id);
    CHECK(found.has_all_parts(both.variable.id));
    CHECK_FALSE(found.view[left.variable.id]);
    CHECK(to_text(in, found) == sentence("  %", part.variable.id, " slice: a view of %", x.variable.id, "\n  %",
                                         left.variable.id, " tanh: written into %", both.variable.id, "\n  %",
                                         right.variable.id, " exp: written into %", both.variable.id, "\n"));
}

TEST_CASE("layout: parameters and values have padded rows, what the caller holds is dense", "[plan]") {
    sigma::detail::Program program;
    Recorder r(program);
    const auto x = r.input<batch, 5>();
    const auto w = r.parameter<5, 3>();
    const auto y = dot(x, w);
    r.output(tanh(y));
    const sigma::detail::PassInput in{program, 8};
    const sigma::detail::Liveness liveness = find_liveness(in);
    const sigma::detail::Views views = find_views(in, liveness);
    const sigma::detail::Layouts found = choose_layouts(in, liveness, views);
    CHECK(found.pitch_of(x.variable.id) == 5);
    CHECK(found.pitch_of(w.variable.id) == 8);
    CHECK(found.pitch_of(y.variable.id) == 8);
    CHECK(found.pitch_of(program.outputs[0].id) == 3);
    CHECK(found.layout_of(w.variable.id).strides[0] == 8);
}

TEST_CASE("fusion: softmax is one group of three sweeps, a product stands alone", "[plan]") {
    sigma::detail::Program program;
    Recorder r(program);
    const auto y = dot(r.input<batch, 5>(), r.parameter<5, 3>());
    r.output(softmax(y));
    const sigma::detail::PassInput in{program, 8};
    const sigma::detail::Liveness liveness = find_liveness(in);
    const sigma::detail::FusedGroups found = fuse(in, liveness, find_views(in, liveness));
    REQUIRE(found.groups.size() == 2);
    CHECK(found.groups[0].kind == sigma::detail::FusionGroup::Kind::single);
    CHECK(found.groups[0].node == y.variable.id);
    CHECK(found.groups[1].kind == sigma::detail::FusionGroup::Kind::rows);
    CHECK(found.sweep[program.outputs[0].id] == 2);
    CHECK(found.group[program.outputs[0].id] == 1);
}

TEST_CASE("fusion: gradient descent is folded into the product", "[plan]") {
    const sigma::detail::Program program = small_network();
    const Passes p(program);
    int folded = 0;
    for (const sigma::detail::FusionGroup& g : p.groups.groups) {
        if (g.assign < 0) continue;
        ++folded;
        CHECK(g.kind == sigma::detail::FusionGroup::Kind::single);
        CHECK(g.update.product == g.node);
        CHECK(g.update.negative);
        CHECK(p.in.at(g.assign).operation == sigma::detail::Operation::assign);
    }
    CHECK(folded == 1);
}

TEST_CASE("lowering: kernels in the order of groups, whose arguments name tensors", "[plan]") {
    const sigma::detail::Program program = small_network();
    const Passes p(program);
    REQUIRE(p.lowered.kernels.size() == p.groups.groups.size());
    const sigma::detail::Kernel& first = p.lowered.kernels[0];
    REQUIRE(first.kind == sigma::detail::Kernel::Kind::product);
    CHECK(first.product.m == batch);
    CHECK(first.product.n == 2);
    CHECK(first.product.k == 4);
    CHECK(p.lowered.arguments[first.argument + 2].tensor == p.groups.groups[0].node);
    for (const sigma::detail::TensorArgument& a : p.lowered.arguments) CHECK(a.buffer == -1);
}

TEST_CASE("schedule: records go alone through odd stages; a loop stays together", "[plan]") {
    const sigma::detail::Program program = small_network();
    const Passes p(program);
    int last = 0;
    for (const sigma::detail::Kernel& k : p.scheduled.kernels) {
        CHECK(k.stage >= last);
        CHECK(k.local == (k.stage % 2 == 1));
        last = k.stage;
    }
    CHECK(p.scheduled.stages == last + 1);
    CHECK(p.scheduled.kernels.size() == p.lowered.kernels.size());
    CHECK(p.scheduled.loops.empty());
}

TEST_CASE("products: what is not all of a neighbour's work stays with the neighbour", "[plan]") {
    const auto form = [](auto f) {
        sigma::detail::Program program;
        Recorder r(program);
        const auto y = dot(r.input<batch, 5>(), r.parameter<5, 7>());
        f(r, y, r.parameter<7>());
        const sigma::detail::Plan plan = sigma::detail::make_plan(program, 8);
        return find_product_forms(view_of<float>(plan))[0];
    };
    const sigma::detail::ProductForm relu_of_sum = form([](Recorder& r, auto y, auto b) { r.output(relu(b + y)); });
    CHECK(relu_of_sum.epilogue == sigma::detail::ProductEpilogue::bias_relu);
    CHECK(relu_of_sum.row == 7);  // an output is dense
    CHECK(form([](Recorder& r, auto y, auto b) { r.output(y + b); }).epilogue == sigma::detail::ProductEpilogue::bias);
    CHECK(form([](Recorder& r, auto y, auto) { r.output(relu(y)); }).epilogue == sigma::detail::ProductEpilogue::relu);
    CHECK(form([](Recorder& r, auto y, auto b) { r.output(y + b), r.output(y * b); }).epilogue ==
          sigma::detail::ProductEpilogue::none);
    CHECK(form([](Recorder& r, auto y, auto b) { r.output(tanh(y + b)); }).epilogue ==
          sigma::detail::ProductEpilogue::none);
}

TEST_CASE("products: a transposition is needless where only products read it", "[plan]") {
    const auto transpositions = [](bool wanted_itself, bool read_twice) {
        sigma::detail::Program program;
        Recorder r(program);
        const auto w = transpose(r.parameter<6, 6>());
        r.output(dot(r.input<batch, 6>(), w));
        if (wanted_itself) r.output(tanh(w));
        if (read_twice) r.output(dot(r.input<batch, 6>(), w));
        const sigma::detail::Plan plan = sigma::detail::make_plan(program, 8);
        int n = 0;
        for (const sigma::detail::ProductForm& f : find_product_forms(view_of<float>(plan))) n += f.transposition >= 0;
        return n;
    };
    CHECK(transpositions(false, false) == 1);
    CHECK(transpositions(true, false) == 0);
    CHECK(transpositions(false, true) == 2);
    CHECK(transpositions(true, true) == 0);
}

TEST_CASE("products: weights of a loop are the same at all of its positions", "[plan]") {
    sigma::detail::Program program;
    Recorder r(program);
    const auto x = r.input<batch, 4, 5>();
    const auto u = r.parameter<6, 6>();
    const auto first = dot(r.input<batch, 5>(), r.parameter<5, 6>());
    const auto inside = r.parameter<5, 6>();
    const auto all = scan(x, first, [&](auto now, auto h) {
        const auto seen = dot(now, inside);
        const auto kept = dot(h, u);
        return tanh(seen + kept);
    });
    r.output(all);
    const sigma::detail::Plan plan = sigma::detail::make_plan(program, 8);
    const auto forms = find_product_forms(view_of<float>(plan));
    int invariant = 0, products = 0, loops = 0;
    for (int i = 0; i < plan.kernels.size(); ++i) {
        const sigma::detail::Kernel& k = plan.kernels[i];
        products += k.kind == sigma::detail::Kernel::Kind::product;
        loops += k.kind == sigma::detail::Kernel::Kind::product && k.loop >= 0;
        invariant += forms[static_cast<std::size_t>(i)].invariant;
        CHECK(forms[static_cast<std::size_t>(i)].invariant ==
              (k.kind == sigma::detail::Kernel::Kind::product && k.loop >= 0));
    }
    CHECK(products == 3);
    CHECK(loops == 2);
    CHECK(invariant == 2);
    CHECK(to_text(forms).find("B is the same at all positions of its loop") != std::string::npos);
}

TEST_CASE("products: what a loop makes of each position is packed for none", "[plan]") {
    sigma::detail::Program program;
    Recorder r(program);
    const auto x = r.input<batch, 4, 5>();
    const auto first = dot(r.input<batch, 5>(), r.parameter<5, 5>());
    // each record's own weights, which depend on its state
    r.output(scan(x, first, [&](auto now, auto h) {
        const auto weights = reshape(h, {batch, 5, 1});
        const auto row = reshape(now, {batch, 1, 5});
        const auto each = dot(weights, row);
        return tanh(mean(each, axis(1)));
    }));
    const sigma::detail::Plan plan = sigma::detail::make_plan(program, 8);
    for (const sigma::detail::ProductForm& f : find_product_forms(view_of<float>(plan))) CHECK_FALSE(f.invariant);
}

TEST_CASE("memory: what dies makes room, what lives together does not meet", "[plan]") {
    sigma::detail::Program program;
    Recorder r(program);
    const auto a = dot(r.input<batch, 8>(), r.parameter<8, 8>());
    const auto b = dot(a, r.parameter<8, 8>());
    const auto c = dot(b, r.parameter<8, 8>());
    r.output(c);
    const Passes p(program);
    const auto buffer = [&](auto x) { return p.memory.buffers[p.memory.buffer[x.variable.id]]; };
    CHECK(buffer(a).where == sigma::detail::Buffer::Where::batched);
    CHECK(buffer(a).offset == buffer(c).offset);
    CHECK(buffer(a).offset != buffer(b).offset);
    CHECK(p.memory.batched_size == 16);
    CHECK(p.memory.fixed_size == 0);
}
