// SPDX-License-Identifier: BSL-1.0
#include "recording.hpp"

#include <sigma/core/error.hpp>
#include <sigma/core/version.hpp>
#include <sigma/layer/recurrent.hpp>
#include <sigma/layer/weighted_records.hpp>
#include <sigma/network/programs.hpp>
#include <sigma/tape/emit_again.hpp>
#include <sigma/tape/print.hpp>

namespace sigma::detail {

namespace {

/// Returns the part of "tower/1-dense.weights" behind the name of the layer.
Text own_part(const Text& full, const std::vector<RecordedLayer>& layers) {
    std::size_t longest = 0;
    for (const RecordedLayer& l : layers) {
        const std::string_view name = l.name.view();
        if (full.view().starts_with(name) && full.view().substr(name.size()).starts_with('.'))
            longest = std::max(longest, name.size() + 1);
    }
    return Text{}.append(full.view().substr(longest));
}
Initializer recorded(Initializer i) {
    if (i.kind != Initializer::Kind::custom) return i;
    if (i.custom != forget_gate_open().custom) return zeros;
    i.first = open_forget_gate;
    return i;
}
RecordedNumber recorded(const HyperparameterRecord& h, const Text& name) {
    return {name, h.value, h.range, std::string(h.range.text)};
}

RecordedTape record_tape(const Layers& layers, bool training, Recording* all) {
    RecordedTape r;
    Context context(r.tape, training, true);
    context.first_carried = first_state;
    Flow flow;
    layers.trace(context, flow);
    context.number_hyperparameters();
    r.places.resize(static_cast<std::size_t>(context.layers.size()));
    for (std::size_t i = 0; i < r.places.size(); ++i)
        r.places[i].first_node = context.layers[static_cast<int>(i)].first_node;
    for (const LayerOutput& o : context.outputs)
        r.places[static_cast<std::size_t>(o.layer)].outputs.push_back(o.variable);
    for (const StatisticUpdate& u : context.updates) r.updates.push_back(u);
    for (const CarriedState& s : context.carried) r.carried.push_back(s.last);
    for (const Variable& z : context.results) r.results.push_back(z.id);
    if (all == nullptr) return r;

    all->inputs = context.inputs.size();
    for (const LayerRecord& l : context.layers) {
        const std::string_view own = l.name.view();
        all->layers.push_back(
            {l.name, l.kind, l.tags, Text{}.append(own.substr(own.find('-') + 1)), l.named, l.output});
    }
    for (const ParameterRecord& p : context.parameters)
        all->parameters.push_back({own_part(p.name, all->layers), p.shape, recorded(p.initializer), p.trained});
    for (const HyperparameterRecord& h : context.hyperparameters)
        all->numbers.push_back(recorded(h, own_part(h.name, all->layers)));
    for (const CarriedState& s : context.carried)
        all->states.push_back({own_part(s.name, all->layers), s.units, s.positions});
    for (const LossRecord& l : context.losses) {
        all->losses.push_back(std::make_unique<RecordedLoss>());
        all->losses.back()->record = l;
    }
    return r;
}

/// Traces f(z, y) on a tape of its own.
template <class F>
RecordedFormula record_formula(const Shape& z, const Shape& y, F f) {
    RecordedFormula r;
    Context context(r.tape, false);
    context.cost = 0;
    const Tensor output{{&r.tape, r.tape.leaf(Operation::input, z, 0)}};
    const Tensor target{{&r.tape, r.tape.leaf(Operation::input, y, 1)}};
    r.result = f(output, target).variable.id;
    context.number_hyperparameters();
    for (const HyperparameterRecord& h : context.hyperparameters) r.numbers.push_back(recorded(h, h.name));
    return r;
}

/// Emits the nodes of a tape on another one.
class Replay {
public:
    explicit Replay(const Tape& from, Tape& to) : from_(from), to_(to), at_(static_cast<std::size_t>(from.size()), -1) {
        for (int i = 0; i < from.loops().size(); ++i) loops_.push_back(-1);
    }

    int& at(int i) { return at_[static_cast<std::size_t>(i)]; }
    Tensor tensor(int i) { return {{&to_, at(i)}}; }

    /// Emits a node by the operators of the language, which also simplify across layers.
    void put(int i) {
        Node n = from_[i];
        if (is_loop_value(n.operation) || n.operation == Operation::advance) {
            int& loop = loops_[static_cast<std::size_t>(loop_of(n))];
            if (loop < 0) loop = to_.add_loop(from_.loops()[loop_of(n)]);
            n.attribute = (n.attribute & ~std::uint64_t(0xFFFF)) | static_cast<std::uint64_t>(loop);
        }
        const Variable v = emit_again(n, to_, [&](int o) { return at(o); });
        if (!(v.shape() == n.shape)) throw MismatchError("recorded network", to_text(n.shape), to_text(v.shape()));
        at(i) = v.id;
    }

private:
    const Tape& from_;
    Tape& to_;
    std::vector<int> at_, loops_;
};

/// Traces a recorded network, with the same borders of layers.
class NetworkReplay {
public:
    NetworkReplay(const Recording& of, Context& context)
        : of_(of), from_(context.training() ? of.training : of.predicting), context_(context),
          replay_(from_.tape, *context.tape), began_(static_cast<std::size_t>(from_.tape.size())) {}

    void run() {
        const Tape& tape = from_.tape;
        for (int i = 0; i < tape.size(); ++i) {
            began_[static_cast<std::size_t>(i)] = context_.tape->size();
            if (next_ < of_.layers.size() && !open_ && place().first_node == i) begin(-1);
            if (is_output(i)) end_at(i);
            else if (done_ != i) put(i);
        }
        for (const StatisticUpdate& u : from_.updates)
            update(context_, replay_.tensor(u.target), replay_.tensor(u.value));
        for (const int last : from_.carried) context_.end_carried(replay_.tensor(last));
    }
    Tensor result(int i) { return replay_.tensor(i); }

private:
    const Recording& of_;
    const RecordedTape& from_;
    Context& context_;
    Replay replay_;
    std::vector<int> began_;  // length of the tape before each node
    std::size_t next_ = 0;    // the layer that is traced now or next
    bool open_ = false;
    int done_ = -1;  // a node that has been emitted already

    const RecordedPlace& place() const { return from_.places[next_]; }
    bool is_output(int i) const { return next_ < of_.layers.size() && place().outputs.front() == i; }

    void begin(int first_node) {
        const RecordedLayer& l = of_.layers[next_];
        const Scope outer = context_.scope;
        context_.scope.name = l.named ? l.name : Text{};
        if (l.tags.size > 0) context_.scope.tag(l.tags.view());
        // A second use of shared parameters has a name such as "5-twice", without the kind.
        context_.begin_layer(l.named ? l.kind : l.shown, first_node);
        context_.kind = &l.kind;
        context_.layers[context_.layers.size() - 1].kind = l.kind;
        context_.scope = outer;
        open_ = true;
    }
    /// Ends the layer at a node. A layer that contains others begins behind them.
    void end_at(int i) {
        if (!open_) begin(began_[static_cast<std::size_t>(place().first_node)]);
        Flow flow;
        for (const int o : place().outputs) flow.push(replay_.tensor(from_.tape[o].a));
        context_.end_layer(flow);
        for (int k = 0; k < flow.size(); ++k)
            replay_.at(place().outputs[static_cast<std::size_t>(k)]) = flow[k].variable.id;
        done_ = i + flow.size() - 1;  // copies stand side by side
        open_ = false;
        ++next_;
    }
    void put(int i) {
        const Node& n = from_.tape[i];
        const auto number = static_cast<int>(n.attribute);
        const int parameters = static_cast<int>(of_.parameters.size());
        if (n.operation == Operation::input && number >= first_state) {
            const RecordedState& s = of_.states[static_cast<std::size_t>(number - first_state)];
            const Tensor zero{expand(constant(context_.tape, 0), n.shape)};
            replay_.at(i) = context_.begin_carried(s.name, zero, s.positions).variable.id;
        } else if (n.operation == Operation::input) {
            begin(context_.tape->size() + 1);  // values from outside exist before
            const auto count = static_cast<std::uint64_t>(context_.inputs.size());
            replay_.at(i) = context_.tape->leaf(Operation::input, n.shape, count);
            context_.inputs.push({context_.tape, replay_.at(i)});
        } else if (n.operation == Operation::parameter && number >= parameters) {
            const RecordedNumber& h = of_.numbers[static_cast<std::size_t>(number - parameters)];
            NumberRange range = h.range;
            range.text = h.range_text;
            replay_.at(i) = context_.add_hyperparameter(h.name, h.value, range);
        } else if (n.operation == Operation::parameter) {
            const RecordedParameter& p = of_.parameters[static_cast<std::size_t>(number)];
            replay_.at(i) = context_.add_parameter(p.shape, p.name, p.initializer, p.trained).variable.id;
        } else if (n.operation == Operation::uniform) {
            replay_.at(i) = context_.add_uniform(n.shape).variable.id;
        } else {
            replay_.put(i);
        }
    }
};

}  // namespace

Tensor RecordedFormula::of(Tensor z, Tensor y) const {
    Replay replay(tape, *z.variable.tape);
    for (int i = 0; i < tape.size(); ++i) {
        const Node& n = tape[i];
        if (n.operation == Operation::input) {
            replay.at(i) = (n.attribute == 0 ? z : y).variable.id;
        } else if (n.operation == Operation::parameter) {
            const RecordedNumber& h = numbers[static_cast<std::size_t>(n.attribute)];
            NumberRange range = h.range;
            range.text = h.range_text;
            replay.at(i) = hyperparameter(z, h.name, h.value, range).variable.id;
        } else {
            replay.put(i);
        }
    }
    return replay.tensor(result);
}

/// Returns the ignored targets, which files store with the rule of the targets.
Ignored RecordedLoss::ignored() const {
    const CostRecord& c = described;
    return c.has_labels ? c.labels.ignore : c.has_rule ? c.rule.ignore : c.ignored;
}

Tensor RecordedLoss::answers(Tensor, Tensor y) const {
    if (described.weighs) y = without_weight(y, described.compared);
    return sum(not_equal_to(y, ignored().value));
}

void RecordedLoss::describe(CostRecord& of, const Shape&) const {
    const CostRecord before = of;
    of = described;
    of.ignored = ignored();
    of.name = before.name, of.named = before.named, of.loss_weight = before.loss_weight;
}

Recording record(const Layers& layers) {
    Recording r;
    r.library = version();
    r.predicting = record_tape(layers, false, &r);
    r.training = record_tape(layers, true, nullptr);
    std::size_t i = 0;
    layers.each_loss([&](const AnyLoss& one) {
        RecordedLoss& to = *r.losses[i];
        const Shape z = r.predicting.tape[r.predicting.results[i]].shape, y = one.target(z);
        one.describe(to.described, z);
        to.total = one.is_total();
        to.prediction = record_formula(z, y, [&](Tensor output, Tensor) { return one.predict(output); });
        to.formula = record_formula(z, y, [&](Tensor output, Tensor target) { return one.value(output, target); });
        if (one.says_right())
            to.share_right =
                record_formula(z, y, [&](Tensor output, Tensor target) { return one.right(output, target); });
        ++i;
    });
    return r;
}

void RecordedNetwork::trace(Context& context, Flow& x) const {
    if (x.size() > 0) return context.refuse(error_Input_is_only_allowed_first);
    NetworkReplay replay(*of_, context);
    replay.run();
    const RecordedTape& from = context.training() ? of_->training : of_->predicting;
    for (std::size_t i = 0; i < from.results.size(); ++i) {
        const Tensor z = replay.result(from.results[i]);
        if (!with_losses_) {
            x.push(z);
            continue;
        }
        context.losses.push(of_->losses[i]->record);
        context.results.push(z.variable);
    }
}

}  // namespace sigma::detail
