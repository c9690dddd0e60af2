// SPDX-License-Identifier: BSL-1.0
#include "model_text.hpp"

#include "tape_check.hpp"

#include <sigma/core/error.hpp>
#include <sigma/core/number_text.hpp>
#include <sigma/layer/recurrent.hpp>
#include <sigma/tape/custom_functions.hpp>
#include <sigma/tape/print.hpp>

#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

namespace sigma::detail {

namespace {

/// Writes the members that `archive` below passes.
class Writer {
public:
    std::string text{};

    template <class... F>
    void line(std::string_view word, F&... fields) {
        text += word;
        ((text += ' ', add(fields)), ...);
        text += '\n';
    }
    template <class X, class F>
    void list(std::string_view word, std::vector<X>& all, F each) {
        auto count = static_cast<int>(all.size());
        line(word, count);
        for (X& x : all) each(x);
    }
    void tape(Tape& of) {
        auto loops = of.loops().size(), nodes = of.size();
        line("loops", loops);
        for (Loop l : of.loops()) line("loop", l.count, l.backwards);
        line("nodes", nodes);
        for (Node n : of) {
            const auto node = [&](auto& last) { line(name(n.operation), n.a, n.b, n.c, n.shape, n.constant, last); };
            if (is_custom(n.operation)) node(custom_functions(n.attribute).name);
            else node(n.attribute);
        }
    }

private:
    void add(bool x) { text += x ? '1' : '0'; }
    void add(double x) { append_exact(text, x); }
    template <class X>
        requires std::is_integral_v<X> || std::is_enum_v<X>
    void add(X x) {
        if constexpr (std::is_unsigned_v<X>) append_exact(text, static_cast<unsigned long long>(x));
        else append_exact(text, static_cast<long long>(x));
    }
    void add(const Shape& s) {
        if (s.rank == 0) text += "()";
        for (int i = 0; i < s.rank; ++i) {
            if (i > 0) text += ',';
            add(s[i]);
        }
    }
    void add(const Text& t) { add(t.view()); }
    void add(const std::string& t) { add(std::string_view(t)); }
    /// Writes a text as one word. A blank becomes %20, an empty text becomes %.
    void add(std::string_view t) {
        if (t.empty()) text += '%';
        for (const char c : t) {
            if (c > ' ' && c != '%' && c != 127) {
                text += c;
            } else {
                text += '%';
                append_hexadecimal(text, static_cast<unsigned char>(c), 2);
            }
        }
    }
};

class Reader {
public:
    Reader(std::string_view text, const std::string& file) : rest_(text), file_(file) {}

    [[noreturn]] void refuse(std::string expected, std::string found) const {
        throw DataError(file_, sentence("metadata 'model', line ", number_), std::move(expected), std::move(found));
    }
    template <class... F>
    void line(std::string_view word, F&... fields) {
        begin();
        if (const std::string_view found = next(); found != word)
            refuse(sentence("'", word, "'"), sentence("'", found.substr(0, 40), "'"));
        (take(fields), ...);
        if (!line_.empty()) refuse("the end of the line", sentence("'", line_.substr(0, 40), "'"));
    }
    template <class X, class F>
    void list(std::string_view word, std::vector<X>& all, F each) {
        for (int count = counted(word); count > 0; --count) {
            if constexpr (std::is_same_v<X, std::unique_ptr<RecordedLoss>>)
                all.push_back(std::make_unique<RecordedLoss>());
            else all.emplace_back();
            each(all.back());
        }
    }
    void tape(Tape& to) {
        for (int count = counted("loops"); count > 0; --count) {
            Loop l;
            line("loop", l.count, l.backwards);
            if (l.count < 1 || l.count > 1 << 20) refuse("1 to 1048576 steps", sentence(l.count));
            if (to.loops().size() >= 0xFFFF) refuse("at most 65535 loops", "more loops");
            to.add_loop(l);
        }
        for (int count = counted("nodes"); count > 0; --count) {
            begin();
            Node n;
            n.operation = operation(next());
            const auto take_all = [&](auto&... fields) { (take(fields), ...); };
            take_all(n.a, n.b, n.c, n.shape, n.constant);
            if (is_custom(n.operation)) {
                std::string custom;
                take(custom);
                const CustomFunctions* const f = custom_functions(std::string_view(custom));
                if (f == nullptr)
                    refuse("custom operations that this program uses", sentence("'", custom.substr(0, 40), "'"));
                n.attribute = f->number;
            } else {
                take(n.attribute);
            }
            if (!line_.empty()) refuse("the end of the line", sentence("'", line_.substr(0, 40), "'"));
            if (std::string wrong = wrong_node(to, n); !wrong.empty())
                refuse("a node that can be computed", std::move(wrong));
            to.emit_unshared(n);
        }
        if (std::string wrong = wrong_loops(to); !wrong.empty()) refuse("loops that can be computed", std::move(wrong));
    }
    bool at_end() const { return rest_.empty(); }

private:
    std::string_view rest_, line_{};
    const std::string& file_;
    int number_ = 0;

    void begin() {
        ++number_;
        const std::size_t end = rest_.find('\n');
        if (end == rest_.npos) refuse("another line", "the end of the text");
        line_ = rest_.substr(0, end);
        rest_.remove_prefix(end + 1);
    }
    std::string_view next() {
        const std::size_t end = line_.find(' ');
        const std::string_view word = line_.substr(0, end);
        line_ = end == line_.npos ? std::string_view() : line_.substr(end + 1);
        if (word.empty()) refuse("another word", "the end of the line");
        return word;
    }
    /// Reads the number of elements, each of which has a line.
    int counted(std::string_view word) {
        int count = 0;
        line(word, count);
        if (count < 0 || static_cast<std::size_t>(count) > rest_.size())
            refuse("the number of the lines that follow", sentence(count));
        return count;
    }
    Operation operation(std::string_view word) const {
        for (int i = 0; i < operation_count; ++i)
            if (name(static_cast<Operation>(i)) == word) return static_cast<Operation>(i);
        refuse("an operation", sentence("'", word.substr(0, 40), "'"));
    }

    void take(bool& x) {
        int n = 0;
        take(n);
        if (n != 0 && n != 1) refuse("0 or 1", sentence(n));
        x = n == 1;
    }
    void take(double& x) {
        const std::string_view word = next();
        if (!read_number(word, x)) refuse("a number", sentence("'", word.substr(0, 40), "'"));
    }
    void take(std::uint64_t& x) {
        const std::string_view word = next();
        if (!read_number(word, x)) refuse("a whole number", sentence("'", word.substr(0, 40), "'"));
    }
    void take(int& x) { x = integer(next()); }
    template <class X>
        requires std::is_enum_v<X>
    void take(X& x) {
        x = static_cast<X>(integer(next()));
    }
    int integer(std::string_view word) const {
        const bool negative = word.starts_with('-');
        std::uint64_t n = 0;
        if (!read_number(word.substr(negative), n) || n > std::numeric_limits<int>::max())
            refuse("a whole number", sentence("'", word.substr(0, 40), "'"));
        return negative ? -static_cast<int>(n) : static_cast<int>(n);
    }
    void take(Shape& s) {
        std::string_view word = next();
        s = {};
        if (word == "()") return;
        while (true) {
            const std::size_t end = word.find(',');
            if (s.rank == max_rank) refuse("at most 6 axes", "more axes");
            s.extent[s.rank++] = integer(word.substr(0, end));
            if (end == word.npos) break;
            word.remove_prefix(end + 1);
        }
    }
    void take(Text& t) {
        std::string all;
        take(all);
        if (all.size() > static_cast<std::size_t>(Text::most)) refuse("at most 63 characters", sentence(all.size()));
        t = Text{}.append(all);
    }
    void take(std::string& t) {
        const std::string_view word = next();
        t.clear();
        if (word == "%") return;
        for (std::size_t i = 0; i < word.size(); ++i) {
            if (word[i] != '%') {
                t += word[i];
                continue;
            }
            const auto digit = [&](std::size_t at) {
                const char c = at < word.size() ? word[at] : 'x';
                return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
            };
            if (digit(i + 1) < 0 || digit(i + 2) < 0)
                refuse("two hexadecimal digits behind '%'", std::string(word.substr(i, 3)));
            t += static_cast<char>(digit(i + 1) * 16 + digit(i + 2));
            i += 2;
        }
    }
};

template <class A>
void archive(A& a, RecordedNumber& h) {
    a.line("number", h.value, h.range.from, h.range.to, h.range.with_from, h.range.with_to, h.name, h.range_text);
}
template <class A>
void archive(A& a, RecordedParameter& p) {
    Initializer& i = p.initializer;
    a.line("parameter", p.trained, i.kind, i.fan, i.first, i.second, p.shape, p.name);
    if (i.kind == Initializer::Kind::custom && i.first == open_forget_gate) i.custom = forget_gate_open().custom;
}
template <class A>
void archive(A& a, std::string_view word, RecordedTape& t) {
    a.line(word);
    a.tape(t.tape);
    a.list("places", t.places, [&](RecordedPlace& p) {
        a.line("place", p.first_node);
        a.list("outputs", p.outputs, [&](int& i) { a.line("output", i); });
    });
    a.list("updates", t.updates, [&](StatisticUpdate& u) { a.line("update", u.target, u.value); });
    a.list("carried", t.carried, [&](int& i) { a.line("last", i); });
    a.list("results", t.results, [&](int& i) { a.line("result", i); });
}
template <class A>
void archive(A& a, std::string_view word, RecordedFormula& f) {
    a.line(word, f.result);
    a.tape(f.tape);
    a.list("numbers", f.numbers, [&](RecordedNumber& h) { archive(a, h); });
}
template <class A>
void archive(A& a, RecordedLoss& l) {
    LossRecord& r = l.record;
    CostRecord& c = l.described;
    a.line("loss", r.name, r.loss_weight, r.weighed, r.named, r.named_alone, l.total);
    a.line("kind", c.kind, c.judges, c.classifies, c.has_accuracy, c.weighs, c.yes_or_no, c.probabilities);
    a.line("shapes", c.output, c.target, c.compared);
    a.line("labels", c.has_labels, c.labels.first, c.labels.end, c.labels.ignore.exists, c.labels.ignore.value);
    a.line("rule", c.has_rule, c.rule.kind, c.rule.ignore.exists, c.rule.ignore.value, c.rule.longest);
    archive(a, "prediction", l.prediction);
    archive(a, "formula", l.formula);
    archive(a, "share_right", l.share_right);
}
template <class A>
void archive(A& a, Recording& r) {
    a.line("inputs", r.inputs);
    a.list("layers", r.layers,
           [&](RecordedLayer& l) { a.line("layer", l.named, l.output, l.kind, l.name, l.shown, l.tags); });
    a.list("parameters", r.parameters, [&](RecordedParameter& p) { archive(a, p); });
    a.list("numbers", r.numbers, [&](RecordedNumber& h) { archive(a, h); });
    a.list("states", r.states, [&](RecordedState& s) { a.line("state", s.units, s.positions, s.name); });
    archive(a, "predicting", r.predicting);
    archive(a, "training", r.training);
    a.list("losses", r.losses, [&](std::unique_ptr<RecordedLoss>& l) { archive(a, *l); });
}

/// Checks that the parts of a network from a file fit together.
class Check {
public:
    Check(const Recording& r, const std::string& file) : r_(r), file_(file) {}

    void run() const {
        require(r_.inputs >= 1 && !r_.losses.empty(), "inputs and losses");
        for (const RecordedParameter& p : r_.parameters) {
            require(!p.shape.batched() && countable(p.shape), "parameters with extents");
            const Initializer& i = p.initializer;
            require(i.kind >= Initializer::Kind::constant &&
                        (i.kind < Initializer::Kind::custom ||
                         (i.kind == Initializer::Kind::custom && i.custom != nullptr)) &&
                        i.fan >= Initializer::Fan::none && i.fan <= Initializer::Fan::average,
                    "initializers of the library");
        }
        for (const RecordedState& s : r_.states) require(s.units > 0 && s.positions >= 0, "states of units");
        for (const RecordedNumber& h : r_.numbers) examine(h);
        examine(r_.predicting);
        examine(r_.training);
        for (std::size_t i = 0; i < r_.losses.size(); ++i) examine(i);
    }

private:
    const Recording& r_;
    const std::string& file_;

    void require(bool fine, const char* expected) const {
        if (!fine) throw DataError(file_, "metadata 'model'", expected, "a table that violates this rule");
    }
    void examine(const RecordedNumber& h) const { require(h.range.contains(h.value), "numbers in their ranges"); }
    static bool is_node(const Tape& tape, int i) { return i >= 0 && i < tape.size(); }

    void check_leaves(const RecordedTape& t) const {
        int inputs = 0, parameters = 0, numbers = 0, states = 0;
        const auto known = [](int i, const auto& all) { return i >= 0 && static_cast<std::size_t>(i) < all.size(); };
        const int behind = static_cast<int>(r_.parameters.size());
        for (int i = 0; i < t.tape.size(); ++i) {
            const Node& n = t.tape[i];
            if (is_state(n)) {
                const int state = states++;
                require(n.attribute == static_cast<std::uint64_t>(first_state + state) && known(state, r_.states) &&
                            n.shape == Shape{batch, r_.states[static_cast<std::size_t>(state)].units},
                        "states in order, (batch, units)");
            } else if (n.operation == Operation::input) {
                require(n.attribute == static_cast<std::uint64_t>(inputs++) && n.shape.rank >= 2 && n.shape[0] == batch,
                        "inputs in order, (batch, …)");
            } else if (n.operation == Operation::parameter && n.attribute < static_cast<std::uint64_t>(behind)) {
                const int p = parameters++;
                require(n.attribute == static_cast<std::uint64_t>(p) &&
                            n.shape == r_.parameters[static_cast<std::size_t>(p)].shape,
                        "parameters in order");
            } else if (n.operation == Operation::parameter) {
                require(n.attribute == static_cast<std::uint64_t>(behind + numbers) && known(numbers, r_.numbers) &&
                            n.shape.rank == 0,
                        "numbers in order");
                ++numbers;
            }
        }
        require(inputs == r_.inputs && parameters == behind && numbers == static_cast<int>(r_.numbers.size()) &&
                    states == static_cast<int>(r_.states.size()),
                "all inputs, parameters, numbers and states on each tape");
    }
    static bool is_state(const Node& n) {
        return n.operation == Operation::input && n.attribute >= static_cast<std::uint64_t>(first_state);
    }
    void examine(const RecordedTape& t) const {
        check_leaves(t);
        require(t.places.size() == r_.layers.size(), "a place for each layer");
        int last = -1, inputs = 0;
        for (std::size_t k = 0; k < t.places.size(); ++k) {
            const RecordedPlace& p = t.places[k];
            require(!p.outputs.empty() && p.outputs.size() <= static_cast<std::size_t>(Flow::most),
                    "outputs of each layer");
            const int from = p.outputs.front();
            require(p.first_node >= 0 && p.first_node <= from && from > last, "layers in order");
            // Only the layer of an input contains an input.
            for (int i = last + 1; i < from; ++i)
                if (is_node(t.tape, i) && t.tape[i].operation == Operation::input && !is_state(t.tape[i])) {
                    require(i + 1 == from && p.first_node == from && i == last + 1, "inputs as layers of their own");
                    ++inputs;
                }
            for (std::size_t i = 0; i < p.outputs.size(); ++i) {
                last = from + static_cast<int>(i);
                require(p.outputs[i] == last && is_node(t.tape, last) && t.tape[last].operation == Operation::copy,
                        "copies as outputs of layers");
            }
            require(r_.layers[k].output == t.tape[from].shape, "outputs of the shapes of their layers");
        }
        require(inputs == r_.inputs, "a layer for each input");
        for (const StatisticUpdate& u : t.updates) {
            require(is_node(t.tape, u.target) && is_node(t.tape, u.value), "updates of statistics");
            const Node& target = t.tape[u.target];
            require(target.operation == Operation::parameter && target.attribute < r_.parameters.size() &&
                        broadcastable(t.tape[u.value].shape, target.shape) &&
                        broadcast(t.tape[u.value].shape, target.shape) == target.shape,
                    "updates of statistics");
        }
        require(t.carried.size() == r_.states.size() && t.results.size() == r_.losses.size(),
                "states and results of each tape");
        for (std::size_t i = 0; i < t.carried.size(); ++i)
            require(is_node(t.tape, t.carried[i]) && t.tape[t.carried[i]].shape == Shape{batch, r_.states[i].units},
                    "states (batch, units)");
        for (std::size_t i = 0; i < t.results.size(); ++i)
            require(is_node(t.tape, t.results[i]) && t.tape[t.results[i]].shape == r_.losses[i]->described.output,
                    "results as losses judge them");
    }
    void examine(std::size_t i) const {
        const RecordedLoss& l = *r_.losses[i];
        const CostRecord& c = l.described;
        require(c.output.rank >= 1 && c.output[0] == batch && c.target.rank >= 1 && c.target[0] == batch &&
                    countable(c.output) && countable(c.target) && c.compared.rank >= 1 && countable(c.compared),
                "losses over records");
        require(c.rule.kind >= TargetRule::Kind::share && c.rule.kind <= TargetRule::Kind::spelling,
                "rules of targets");
        require(c.has_accuracy == l.says_right() && l.record.loss_weight >= 0 && l.record.loss_weight < 1e30, "losses");
        for (const RecordedFormula* f : {&l.prediction, &l.formula, &l.share_right}) {
            if (f == &l.share_right && f->result < 0) continue;
            require(is_node(f->tape, f->result), "results of losses");
            const Shape& s = f->tape[f->result].shape;
            require(f == &l.prediction ? s.rank >= 1 && s[0] == batch : s.rank == 0, "results of losses");
            for (const RecordedNumber& h : f->numbers) examine(h);
            for (const Node& n : f->tape) {
                require(n.operation != Operation::uniform, "losses without random numbers");
                if (n.operation == Operation::input)
                    require(n.attribute <= 1 && n.shape == (n.attribute == 0 ? c.output : c.target),
                            "inputs of losses");
                if (n.operation == Operation::parameter)
                    require(n.attribute < f->numbers.size() && n.shape.rank == 0, "numbers of losses");
            }
        }
    }
};

}  // namespace

std::string model_text(Recording& network) {
    Writer w;
    int format = model_format;
    w.line("sigma-model", format, network.library);
    archive(w, network);
    return std::move(w.text);
}

Recording read_model_text(std::string_view text, const std::string& file) {
    Reader r(text, file);
    int format = 0;
    Recording network;
    r.line("sigma-model", format, network.library);
    if (format > model_format)
        throw DataError(
            file, "metadata 'model'", sentence("a model of format ", model_format),
            sentence("a model of format ", format, ", which version ", network.library, " of the library writes"));
    archive(r, network);
    if (!r.at_end()) r.refuse("the end of the text", "another line");
    Check(network, file).run();
    return network;
}

}  // namespace sigma::detail
