// SPDX-License-Identifier: BSL-1.0
#include <sigma/exchange/formula.hpp>
#include <sigma/network/memory.hpp>
#include <sigma/tape/print.hpp>

namespace sigma::detail {
namespace {

std::string label(const PortableModel& model, const Node& n) {
    const auto at = static_cast<int>(n.attribute);
    const NetworkTable& network = model.network;
    if (n.operation == Operation::constant) return sentence(n.constant);
    std::string word = operation_name(n);
    if (n.operation == Operation::parameter)
        word = at < network.parameters.size() ? network.parameters[at].name.view()
                                              : network.hyperparameters[at - network.parameters.size()].name.view();
    if (n.operation == Operation::input && network.inputs.size() > 1) word += sentence(" ", at + 1);
    return sentence(word, "\\n", extents_text(n.shape));
}

}  // namespace

std::string tape_graphviz(const PortableModel& model) {
    const Tape& tape = model.prediction.tape;
    List<char> needed(tape.size(), 0);
    for (const Variable& v : model.prediction.outputs) needed[v.id] = 1;
    // The results of a loop belong to the frame of the loop.
    for (bool grows = true; grows;) {
        grows = false;
        for (int i = tape.size(); i-- > 0;) {
            const Node& n = tape[i];
            if (n.operation == Operation::advance && needed[n.a] != 0 && needed[i] == 0) needed[i] = 1, grows = true;
            for (int k = 0; k < 3; ++k)
                if (const int o = n.operand(k); needed[i] != 0 && o >= 0 && needed[o] == 0) needed[o] = 1, grows = true;
        }
    }
    List<int> layer_of(tape.size(), -1);
    for (int k = 0; k < model.layers.size(); ++k)
        for (int i = model.layers[k].first_node; i < model.layers[k].end_node; ++i) layer_of[i] = k;
    std::string text = "digraph tape {\n  node [shape=box];\n";
    for (int k = -1; k < model.layers.size(); ++k) {
        std::string nodes;
        for (int i = 0; i < tape.size(); ++i)
            if (needed[i] != 0 && layer_of[i] == k)
                nodes += sentence(k < 0 ? "  n" : "    n", i,
                                  is_leaf(tape[i].operation) ? " [shape=ellipse, label=\"" : " [label=\"",
                                  label(model, tape[i]), "\"];\n");
        if (k < 0 || nodes.empty()) text += nodes;
        else
            text += sentence("  subgraph cluster_", k, " {\n    label=\"", model.layers[k].name.view(), "\";\n", nodes,
                             "  }\n");
    }
    for (int i = 0; i < tape.size(); ++i)
        for (int k = 0; k < 3 && needed[i] != 0; ++k)
            if (const int o = tape[i].operand(k); o >= 0) {
                // The edge to the next step.
                const bool back = tape[i].operation == Operation::advance && k == 0;
                text +=
                    back ? sentence("  n", i, " -> n", o, " [style=dashed];\n") : sentence("  n", o, " -> n", i, ";\n");
            }
    return text + "}\n";
}

}  // namespace sigma::detail
