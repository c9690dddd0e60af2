// SPDX-License-Identifier: BSL-1.0
#include <sigma/sigma.hpp>

#include "import.hpp"

#include <algorithm>

// Graphs inside nodes. Loops over records and time become loops of Sigma. Other loops are unrolled.
namespace sigma::detail {

namespace {

constexpr long long longest_unrolled = 512;

const format::GraphProto& graph_of(OnnxCall& c, std::string_view name, std::size_t in, std::size_t out) {
    const auto* const a = c.attribute(name);
    if (a == nullptr || !a->has_g()) c.refuse(sentence("a graph '", name, "'"), "no such graph");
    if (static_cast<std::size_t>(a->g().input_size()) != in || static_cast<std::size_t>(a->g().output_size()) < out)
        c.refuse(sentence("a graph of ", in, " inputs and ", out, " or more outputs"),
                 sentence(a->g().input_size(), " and ", a->g().output_size()));
    return a->g();
}
/// Returns a value on the tape, with its axes in the order of ONNX.
Tensor on_tape(OnnxCall& c, const OnnxValue& v) {
    OnnxCall one(c.walk, c.node, {v}, false);
    return one.x(0);
}
OnnxValue value_of(Tensor t, int type) {
    OnnxValue v;
    v.tensor = t, v.type = type;
    return v;
}
/// Stacks values along a new axis.
OnnxValue stacked(OnnxCall& c, const std::vector<OnnxValue>& all, int along) {
    if (all.empty()) c.refuse("at least one step", "no step");
    bool known = along == 0;
    for (const OnnxValue& v : all) known = known && v.known;
    if (known) {
        Elements e;
        e.type = all[0].type, e.dims = all[0].known->dims;
        e.dims.insert(e.dims.begin(), static_cast<long long>(all.size()));
        for (const OnnxValue& v : all) {
            if (v.known->dims != all[0].known->dims) c.refuse("steps of one shape", shape_text(v.known->dims));
            for (long long i = 0; i < v.known->count(); ++i) e.numbers.push_back(v.known->at(i));
            if (static_cast<long long>(e.numbers.size()) > most_folded_elements)
                c.refuse(sentence("at most ", most_folded_elements, " numbers"), sentence(e.numbers.size()));
        }
        OnnxValue v;
        c.walk.spend(c, e.count());
        v.type = e.type, v.pure = false, v.known = settled(std::move(e));
        return v;
    }
    Tensor y{};
    for (const OnnxValue& v : all) {
        const Tensor one = on_tape(c, v);
        if (one.shape().rank >= max_rank) c.refuse("at most five axes in a step", sentence(one.shape().rank));
        const Tensor part{reshape(one.variable, one.shape().inserted(along, 1))};
        y = &v == all.data() ? part : c.checked(concatenate(axis(along), y, part));
    }
    return value_of(y, all[0].type);
}

/// Imports If. A constant condition selects a branch. Otherwise both branches are computed, and each element is
/// selected.
void choose(OnnxCall& c) {
    if (c.in(0).known) {
        const bool yes = c.number(0) != 0;
        c.outputs = c.walk.run_inside(graph_of(c, yes ? "then_branch" : "else_branch", 0, 1), {});
        return;
    }
    const Shape s = c.shape(0);
    if (s.count() != 1 || s.batched()) c.refuse("a condition of one element", shape_text(c.in(0).dims()));
    const format::GraphProto &first = graph_of(c, "then_branch", 0, 1), &second = graph_of(c, "else_branch", 0, 1);
    if (first.output_size() != second.output_size())
        c.refuse("as many outputs in both branches", sentence(first.output_size(), " and ", second.output_size()));
    const std::vector<OnnxValue> yes = c.walk.run_inside(first, {}), no = c.walk.run_inside(second, {});
    const Tensor condition = reshape(c.x(0), Shape{});
    for (std::size_t i = 0; i < yes.size(); ++i) {
        if (yes[i].dims() != no[i].dims() || yes[i].type != no[i].type)
            c.refuse(sentence("two branches of one shape and type, or a constant condition (set the deciding ",
                              "input by .fixed)"),
                     sentence(type_name(yes[i].type), " ", shape_text(yes[i].dims()), " and ", type_name(no[i].type),
                              " ", shape_text(no[i].dims())));
        c.give(where(condition, on_tape(c, yes[i]), on_tape(c, no[i])), yes[i].type);
    }
}

/// Imports Loop with a constant number of steps and a condition that stays true.
void loop(OnnxCall& c) {
    const long long most = c.has(0) ? c.whole_number(0) : longest_unrolled + 1;
    bool goes = !c.has(1) || c.number(1) != 0;
    const std::size_t states = c.inputs.size() - 2;
    const format::GraphProto& graph = graph_of(c, "body", states + 2, states + 1);
    std::vector<OnnxValue> now(c.inputs.begin() + 2, c.inputs.end());
    std::vector<std::vector<OnnxValue>> steps(static_cast<std::size_t>(graph.output_size()) - states - 1);
    for (long long i = 0; goes && i < most; ++i) {
        if (i >= longest_unrolled) c.refuse(sentence("at most ", longest_unrolled, " steps"), "a longer loop");
        Elements number, yes;
        number.type = OnnxType::INT64, number.numbers = {static_cast<double>(i)};
        yes.type = OnnxType::BOOL, yes.numbers = {1};
        std::vector<OnnxValue> in(2);
        in[0].known = settled(std::move(number)), in[0].type = OnnxType::INT64, in[0].pure = false;
        in[1].known = settled(std::move(yes)), in[1].type = OnnxType::BOOL;
        in.insert(in.end(), now.begin(), now.end());
        const std::vector<OnnxValue> out = c.walk.run_inside(graph, std::move(in));
        if (!out[0].known || out[0].known->count() != 1)
            c.refuse("a constant condition", "a condition that depends on inputs");
        goes = out[0].known->at(0) != 0;
        now.assign(out.begin() + 1, out.begin() + 1 + static_cast<std::ptrdiff_t>(states));
        for (OnnxValue& v : now) v.pure = false;
        for (std::size_t k = 0; k < steps.size(); ++k) steps[k].push_back(out[1 + states + k]);
    }
    c.outputs = now;
    for (const auto& each : steps) c.give_value(stacked(c, each, 0));
}

/// A loop over one axis of some values.
class Scan {
public:
    explicit Scan(OnnxCall& call) : c_(call) {
        const auto inputs = static_cast<long long>(c_.inputs.size());
        scanned_ = static_cast<std::size_t>(c_.small("num_scan_inputs", 0, 0, 64));
        if (c_.opset() < 9) c_.refuse("operators of set 9 on", sentence(c_.opset()));
        if (scanned_ < 1 || static_cast<long long>(scanned_) > inputs)
            c_.refuse(sentence("1 to ", inputs, " sequences"), sentence(scanned_));
        states_ = c_.inputs.size() - scanned_;
        body_ = &graph_of(c_, "body", c_.inputs.size(), states_);
        results_ = static_cast<std::size_t>(body_->output_size()) - states_;
        const Numbers axes = c_.list("scan_input_axes"), ways = c_.list("scan_input_directions");
        for (std::size_t i = 0; i < scanned_; ++i) {
            const int at = static_cast<int>(states_ + i);
            along_.push_back(c_.axis(i < axes.size() ? axes[i] : 0, c_.rank(at)));
            backwards_.push_back(i < ways.size() && ways[i] != 0);
            const long long n = c_.in(at).dims()[static_cast<std::size_t>(along_[i])];
            if (n < 1 || (i > 0 && n != length_)) c_.refuse("sequences of one known length", sentence(n));
            length_ = n;
        }
    }
    void run() { over_records() ? as_loop() : step_by_step(); }

private:
    OnnxCall& c_;
    const format::GraphProto* body_ = nullptr;
    std::size_t scanned_ = 0, states_ = 0, results_ = 0;
    std::vector<int> along_;
    std::vector<bool> backwards_;
    long long length_ = 0;

    const OnnxValue& sequence(std::size_t i) const { return c_.in(static_cast<int>(states_ + i)); }
    bool output_backwards(std::size_t k) const {
        const Numbers ways = c_.list("scan_output_directions");
        return k < ways.size() && ways[k] != 0;
    }
    int output_axis(std::size_t k, int rank) const {
        const Numbers axes = c_.list("scan_output_axes");
        return c_.axis(k < axes.size() ? axes[k] : 0, rank);
    }
    /// Returns whether records come first in all scanned values and states, and time has one direction.
    bool over_records() const {
        for (std::size_t i = 0; i < scanned_; ++i) {
            const Numbers d = sequence(i).dims();
            const std::size_t first = along_[i] == 0 ? 1 : 0;
            if (sequence(i).known || d.size() < 2 || d[first] != batch || backwards_[i] != backwards_[0]) return false;
        }
        for (std::size_t i = 0; i < states_; ++i) {
            const Numbers d = c_.in(static_cast<int>(i)).dims();
            if (d.empty() || (d[0] != batch && d[0] != 1)) return false;
        }
        return true;
    }
    void as_loop() {
        std::vector<OnnxValue> in;
        std::vector<Tensor> states;
        Tape* const tape = c_.tape();
        for (std::size_t i = 0; i < states_; ++i) {
            const Tensor x = c_.x(static_cast<int>(i));
            states.push_back({expand(x.variable, x.shape().with(0, batch))});
        }
        std::vector<Tensor> sequences;
        for (std::size_t i = 0; i < scanned_; ++i) {
            const Tensor x = c_.x(static_cast<int>(states_ + i));
            Shape order(along_[i] == 0 ? 1 : 0, along_[i]);
            for (int k = 0; k < x.shape().rank; ++k)
                if (k != order[0] && k != order[1]) order.extent[order.rank++] = k;
            sequences.push_back(permute(x, order));
        }
        const int number = tape->add_loop({static_cast<int>(length_), backwards_[0]});
        begin_steps(number, sequences, states);
        for (std::size_t i = 0; i < states_; ++i) in.push_back(value_of(states[i], c_.in(static_cast<int>(i)).type));
        for (std::size_t i = 0; i < scanned_; ++i) in.push_back(value_of(sequences[i], sequence(i).type));
        const std::vector<OnnxValue> out = c_.walk.run_inside(*body_, std::move(in));
        std::vector<Variable> next, all;
        for (std::size_t i = 0; i < states_ + results_; ++i) {
            Variable y = on_tape(c_, out[i]).variable;
            const Shape s = y.shape();
            if (i < states_ ? !(s == states[i].shape()) : s.batch_axis() != 0)
                c_.refuse(i < states_ ? "states that keep their shape" : "results of records",
                          shape_text(Numbers(s.extent, s.extent + s.rank)));
            if (s.rank >= max_rank) c_.refuse("at most five axes in a step", sentence(s.rank));
            next.push_back(inside(y, sequences[0].variable));
        }
        for (const Variable& y : next) all.push_back(stack(y, number));
        for (std::size_t i = 0; i < states_; ++i) next[i] = next_value(next[i]);
        for (std::size_t i = 0; i < states_; ++i) advance(states[i].variable, next[i]);
        const auto direction = backwards_[0] ? Direction::backwards : Direction::forwards;
        for (std::size_t i = 0; i < states_; ++i) c_.give(last(Tensor{all[i]}, direction), out[i].type);
        for (std::size_t k = 0; k < results_; ++k) {
            const Variable y = all[states_ + k];
            const int rank = y.shape().rank, at = output_axis(k, rank);
            if (output_backwards(k) != backwards_[0])
                c_.refuse("results in the order of the sequences", "results in the reverse order");
            Shape order;
            for (int i = 0, from = 0; i < rank; ++i) {
                order.extent[order.rank++] = i == at ? 1 : from;
                if (i != at) from += from == 0 ? 2 : 1;
            }
            c_.give(permute(Tensor{y}, order), out[states_ + k].type);
        }
    }
    void step_by_step() {
        if (length_ > longest_unrolled) c_.refuse(sentence("at most ", longest_unrolled, " steps"), sentence(length_));
        std::vector<OnnxValue> now(c_.inputs.begin(), c_.inputs.begin() + static_cast<std::ptrdiff_t>(states_));
        std::vector<std::vector<OnnxValue>> steps(results_);
        for (long long t = 0; t < length_; ++t) {
            std::vector<OnnxValue> in = now;
            for (std::size_t i = 0; i < scanned_; ++i) {
                const int at = static_cast<int>(backwards_[i] ? length_ - 1 - t : t);
                const Tensor x = c_.x(static_cast<int>(states_ + i));
                const Variable one = slice(x.variable, along_[i], at, 1);
                in.push_back(value_of({reshape(one, x.shape().without(along_[i]))}, sequence(i).type));
            }
            const std::vector<OnnxValue> out = c_.walk.run_inside(*body_, std::move(in));
            now.assign(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(states_));
            for (std::size_t k = 0; k < results_; ++k) steps[k].push_back(out[states_ + k]);
        }
        c_.outputs = now;
        for (std::size_t k = 0; k < results_; ++k) {
            if (output_backwards(k)) std::reverse(steps[k].begin(), steps[k].end());
            c_.give_value(stacked(c_, steps[k], output_axis(k, steps[k][0].rank() + 1)));
        }
    }
};
void scan_graph(OnnxCall& c) { Scan(c).run(); }

constexpr OnnxOperator rows[] = {
    {"If", choose, OnnxOperator::Kind::direct},
    {"Loop", loop, OnnxOperator::Kind::nested},
    {"Scan", scan_graph, OnnxOperator::Kind::nested},
};

}  // namespace

std::span<const OnnxOperator> onnx_loops() { return rows; }

}  // namespace sigma::detail
