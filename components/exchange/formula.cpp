// SPDX-License-Identifier: BSL-1.0
#include "formula/forms.hpp"

#include <sigma/exchange/formula.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sigma::detail {
namespace formulas {
namespace {

/// Chooses the nodes with a line of their own, and writes all lines as text or LaTeX.
class Writer : Forms {
public:
    Writer(const Layers& layers, bool latex) : Forms(layers, latex) { find_lines(); }
    std::string text() {
        gather_lines();
        return latex_ ? as_latex() : as_text();
    }

private:
    struct Row {
        std::string layer, formula, facts;
        bool in_loop = false;
    };
    struct Term {
        std::string text;
        Binding binding = atom;
    };

    std::map<int, int> uses_;
    std::set<int> lines_;    // nodes with a formula in a line of its own
    std::set<int> written_;  // parameters with a written shape
    std::vector<Row> rows_;
    int intermediates_ = 0;

    /// Returns whether a node is written so briefly that it needs no line.
    bool is_view(int i) {
        const Operation o = node(i).operation;
        return (o == Operation::slice || o == Operation::step || o == Operation::stack || o == Operation::reshape) &&
               names_.contains(form(i).operands[0]);
    }
    void visit(int i) {
        if (uses_[i]++ > 0) return;
        if ((names_.contains(i) && is_leaf(node(i).operation)) || positions_.contains(i)) return;
        if (node(i).operation == Operation::carry) {
            visit(resolved(node(i).a));
            visit(becomes_.at(i));
            return;
        }
        for (const int o : std::vector<int>(form(i).operands)) visit(o);
    }
    void find_lines() {
        std::vector<int> roots;
        for (const auto& all : {predictions_, losses_})
            for (const int i : all) roots.push_back(resolved(i));
        for (const int i : roots) visit(i);
        // Visits nodes from the first, so that the sizes of their operands are known.
        std::map<int, int> size;
        for (const auto& entry : std::map<int, int>(uses_)) {
            const int i = entry.first, count = entry.second;
            if (is_leaf(node(i).operation) || node(i).operation == Operation::carry || positions_.contains(i)) continue;
            int own = 1, greatest = -1;
            const auto add_up = [&] {
                own = 1, greatest = -1;
                for (const int o : form(i).operands) {
                    if (names_.contains(o)) continue;
                    own += size[o];
                    if (greatest < 0 || size[o] > size[greatest]) greatest = o;
                }
            };
            for (add_up(); own > most_operations && greatest >= 0 && size[greatest] > 1; add_up()) make_line(greatest);
            size[i] = own;
            const bool source = std::any_of(tape().begin(), tape().end(), [&](const Node& n) {
                return (n.operation == Operation::stack || n.operation == Operation::step) && resolved(n.a) == i;
            });
            const bool gate = members_->of(i) >= 0 && is_costly(node(i).operation) &&
                              !names_.contains(form(i).operands[0]) && !is_view(form(i).operands[0]);
            if (names_.contains(i)) lines_.insert(i);
            else if ((count > 1 && !is_view(i)) || source || gate) make_line(i);
        }
    }
    static constexpr int most_operations = 7;
    void make_line(int i) {
        lines_.insert(i);
        names_[i] = indexed("z", sentence(++intermediates_)) + (members_->of(i) >= 0 ? "(t)" : "");
    }

    // ---- texts ----

    Term term(int i, bool own_line = false) {
        if (!own_line) {
            const auto found = names_.find(i);
            if (found != names_.end()) {
                const bool compound = positions_.contains(i);
                const bool negative = node(i).operation == Operation::constant && node(i).constant < 0;
                return {found->second, compound || negative ? sum_like : atom};
            }
        }
        const Form& f = form(i);
        if (f.operation == "stack") return {sequence(f.operands[0])};
        const Notation* const known = notation(f.operation);
        if (f.operation == "at") {  // a named sequence at a position
            return {sentence(parenthesized(term(f.operands[0]), atom), "(t)")};
        }
        if (known == nullptr) {
            std::string text =
                latex_ ? sentence("\\operatorname{", escaped(f.operation), "}") : std::string(f.operation);
            const bool after = f.extra.starts_with(",");  // among the arguments
            if (!after) text += f.extra;
            text += "(";
            for (std::size_t k = 0; k < f.operands.size(); ++k) text += (k == 0 ? "" : ", ") + term(f.operands[k]).text;
            return {text + (after ? f.extra : "") + ")"};
        }
        if (f.operation == "concatenate") {
            std::string text;
            for (const int o : joined(i)) text += (text.empty() ? "" : ", ") + term(o).text;
            return {sentence("[", text, "]")};
        }
        const std::string_view pattern = latex_ ? known->latex : known->text;
        std::string text;
        for (std::size_t at = 0; at < pattern.size(); ++at) {
            if (pattern[at] != '@') {
                text += pattern[at];
                continue;
            }
            const char which = pattern[++at];
            if (which == 'x') {
                text += f.extra;
                continue;
            }
            const auto k = static_cast<std::size_t>(which - '0');
            const bool enclosed =
                at >= 2 && pattern[at - 2] == '{' && at + 1 < pattern.size() && pattern[at + 1] == '}';
            text += parenthesized(term(f.operands[k]), enclosed ? loosest : known->wanted[k]);
        }
        if (f.operation == "add") text = replaced(text, "+ -", latex_ ? "- " : "− ");
        return {text, known->own};
    }
    static std::string parenthesized(const Term& t, Binding wanted) {
        return t.binding < wanted ? sentence("(", t.text, ")") : t.text;
    }
    std::vector<int> joined(int i) {
        std::vector<int> all;
        for (const int o : form(i).operands) {
            if (node(o).operation == Operation::concatenate && !names_.contains(o) &&
                axis_of(node(o)) == axis_of(node(i)))
                for (const int inner : joined(o)) all.push_back(inner);
            else all.push_back(o);
        }
        return all;
    }
    /// Returns the sequence of a value that a loop computes at each position.
    std::string sequence(int i) {
        if (const auto state = states_of_.find(i); state != states_of_.end()) return state->second;
        const std::string name = term(i).text;
        return name.substr(0, name.rfind("(t)"));
    }

    /// Returns a shape, and the shapes of parameters that are read for the first time: "(12), W1 (4, 12)".
    std::string facts(int i, bool says_own) {
        std::string text;
        const auto say = [&](const std::string& name, const Shape& s) {
            const std::string shape = latex_ ? sentence(name, " \\in \\mathbb{R}^{", extents(s), "}")
                                             : sentence(name, name.empty() ? "" : " ", extents(s));
            text += sentence(text.empty() ? "" : latex_ ? ",\\; " : ", ", shape);
        };
        if (says_own) say(latex_ ? names_[i] : "", node(i).shape);
        const auto look = [&](const auto& again, int at) -> void {
            if (node(at).operation == Operation::parameter && node(at).shape.rank > 0 && written_.insert(at).second)
                say(names_[at], node(at).shape);
            if (!names_.contains(at) || at == i)
                for (const int o : form(at).operands) again(again, o);
        };
        look(look, i);
        return text;
    }
    void add(int i, const std::string& left, bool says_shape) {
        const std::string equals = latex_ ? " &= " : " = ";
        rows_.push_back(
            {section_name(i), left + equals + term(i, true).text, facts(i, says_shape), members_->of(i) >= 0});
    }
    void gather_lines() {
        for (int k = 0; k < tape().size(); ++k)
            if (node(k).operation == Operation::input && names_.contains(k) &&
                static_cast<int>(node(k).attribute) < inputs_)
                rows_.push_back({section_name(k), names_[k],
                                 latex_ ? sentence(names_[k], " \\in \\mathbb{R}^{", extents(node(k).shape), "}")
                                        : extents(node(k).shape)});
        std::vector<std::pair<int, int>> order_of;
        for (const int i : lines_) {
            const int loop = members_->of(i);
            order_of.emplace_back(loop < 0 ? i : members_->last(loop), i);
        }
        std::sort(order_of.begin(), order_of.end());
        int in_loop = -1;
        for (const auto& [key, i] : order_of) {
            static_cast<void>(key);
            const int loop = members_->of(i);
            if (loop >= 0 && loop != in_loop) begin_loop(loop, section_name(i));
            in_loop = loop;
            const bool says_shape = loop < 0 || states_of_.contains(i);
            add(i, names_[i], says_shape);
        }
        for (std::size_t c = 0; c < predictions_.size(); ++c)
            add_result(predictions_[c], latex_ ? "\\hat{y}" : "ŷ", c, true);
        for (std::size_t c = 0; c < losses_.size(); ++c)
            if (node(resolved(losses_[c])).operation != Operation::constant)  // NoLoss
                add_result(losses_[c], latex_ ? "\\ell" : "loss", c, false);
    }
    std::string section_name(int i) const {
        int k = section(i);
        for (const auto& [variable, layer] : outputs_)
            if (k < 0 && resolved(variable) == i) k = layer;
        return k >= 0 ? std::string(layers_[k].name.view()) : cost_names_.size() == 1 ? cost_names_[0] : "";
    }
    void begin_loop(int loop, const std::string& layer) {
        std::string start;
        for (const auto& [left, from] : starts_[loop])
            start += (start.empty() ? "" : ", ") + left + term(resolved(from)).text;
        const Loop& l = tape().loops()[loop];
        const int first = l.backwards ? l.count : 1, last = l.backwards ? 1 : l.count;
        rows_.push_back({layer,
                         latex_ ? sentence("& \\text{for } t = ", first, ", \\dots, ", last, ":")
                                : sentence("for t = ", first, " … ", last, ":"),
                         start});
    }
    void add_result(int i, const std::string& letter, std::size_t cost, bool says_shape) {
        const int from = resolved(i);
        const std::string left = indexed(letter, predictions_.size() < 2 ? "" : sentence(cost + 1));
        const std::string equals = latex_ ? " &= " : " = ";
        const bool is_line = names_.contains(from);
        rows_.push_back({cost_names_[cost], left + equals + (is_line ? names_[from] : term(from).text),
                         says_shape ? latex_ ? sentence(left, " \\in \\mathbb{R}^{", extents(node(i).shape), "}")
                                             : extents(node(i).shape)
                                    : std::string()});
    }
    std::string as_text() const {
        std::size_t names = 0, formulas = 0;
        for (const Row& r : rows_) {
            names = std::max(names, width(r.layer));
            formulas = std::max(formulas, std::min<std::size_t>(width(r.formula) + (r.in_loop ? 2 : 0), 60));
        }
        std::string text, before;
        for (const Row& r : rows_) {
            const std::string layer = r.layer == before ? "" : r.layer;
            before = r.layer;
            std::string line = layer + std::string(names - width(layer) + 2, ' ') + (r.in_loop ? "  " : "") + r.formula;
            if (!r.facts.empty()) {
                const std::size_t wanted = names + 2 + formulas + 2;
                line += std::string(width(line) + 2 < wanted ? wanted - width(line) : 2, ' ') + r.facts;
            }
            text += line + "\n";
        }
        return text;
    }
    std::string as_latex() const {
        std::string text = "\\begin{align*}\n";
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            const Row& r = rows_[i];
            const bool aligned = r.formula.find('&') != std::string::npos;
            text += sentence("  ", aligned ? "" : "& ", r.formula, r.facts.empty() ? "" : " && " + r.facts,
                             i + 1 < rows_.size() ? " \\\\" : "", "\n");
        }
        return text + "\\end{align*}\n";
    }
};

}  // namespace
}  // namespace formulas

std::string formula(const Layers& network, Formula how) {
    return formulas::Writer(network, how == Formula::latex).text();
}

}  // namespace sigma::detail
