// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/tape/custom_functions.hpp>
#include <sigma/tape/print.hpp>

namespace sigma::detail {

SIGMA_IMPL std::string to_text(const Shape& s) {
    std::string text = "(";
    for (int i = 0; i < s.rank; ++i) {
        if (i) text += ", ";
        text += s[i] == batch ? "batch" : s[i] < 0 ? sentence(-s[i], "*batch") : sentence(s[i]);
    }
    return text + ")";
}

SIGMA_IMPL std::string operands_text(const Tape& tape, const Node& n) {
    const auto attribute = static_cast<unsigned long long>(n.attribute);
    switch (n.operation) {
        case Operation::input:
        case Operation::parameter:
        case Operation::state: return sentence(" ", attribute);
        case Operation::constant: return sentence(" ", n.constant);
        case Operation::uniform: return sentence(" stream ", attribute);
        case Operation::iota:
        case Operation::reciprocal_batch: return "";
        default: break;
    }
    std::string text = "(";
    for (int operand : {n.a, n.b, n.c})
        if (operand >= 0) text += sentence(text.size() > 1 ? ", %" : "%", operand);
    if (is_reduction(n.operation)) {
        text += ", axes";
        for (int i = 0; i < n.shape.rank; ++i)
            if (tape[n.a].shape[i] != n.shape[i]) text += sentence(" ", i);
    } else if (n.operation == Operation::argmax) {
        text += sentence(", axis ", attribute);
    } else if (n.operation == Operation::permute) {
        text += ", axes";
        for (int i = 0; i < n.shape.rank; ++i) text += sentence(" ", source_axis(n, i));
    } else if (n.operation == Operation::slice) {
        text += sentence(", axis ", axis_of(n), ", ", first_of(n), "..", first_of(n) + n.shape[axis_of(n)]);
    } else if (n.operation == Operation::pad) {
        text += sentence(", axis ", axis_of(n), ", at ", first_of(n));
    } else if (n.operation == Operation::concatenate) {
        text += sentence(", axis ", axis_of(n));
    } else if (is_product(n.operation) && n.attribute != 0) {
        text += ", each";
    } else if (is_block(n.operation) && !is_custom(n.operation) && n.attribute != 0) {
        text += n.operation == Operation::argsort ? ", descending" : ", transposed";
    } else if (is_convolution(n.operation)) {
        const Convolution g = Convolution::unpacked(n.attribute);
        text += sentence(", strides ", g.stride[0], " ", g.stride[1]);
        if (g.dilation[0] != 1 || g.dilation[1] != 1)
            text += sentence(", dilations ", g.dilation[0], " ", g.dilation[1]);
        if (g.groups != 1) text += sentence(", ", g.groups, " groups");
    } else if (is_pooling(n.operation)) {
        const Pooling p = Pooling::unpacked(n.attribute);
        text += sentence(", windows ", p.window[0], " ", p.window[1], ", strides ", p.stride[0], " ", p.stride[1]);
        if (p.before[0] != 0 || p.before[1] != 0) text += sentence(", ", p.before[0], " ", p.before[1], " outside");
    }
    return text + ")";
}

SIGMA_IMPL std::string operation_name(const Node& n) {
    if (!is_custom(n.operation)) return name(n.operation);
    return sentence((n.attribute & 3) == 0 ? "" : "gradient of ", custom_functions(n.attribute).name);
}

SIGMA_IMPL std::string to_text(const Tape& tape, int i) {
    const Node& n = tape[i];
    return sentence("%", i, " ", to_text(n.shape), " = ", operation_name(n), detail::operands_text(tape, n));
}

SIGMA_IMPL std::string to_text(const Tape& tape) {
    std::string text;
    for (int i = 0; i < tape.size(); ++i) text += to_text(tape, i) + "\n";
    return text;
}

SIGMA_IMPL std::string to_text(const Program& program) {
    std::string text = to_text(program.tape);
    const auto line = [&](const char* what, const List<Variable>& list) {
        if (list.empty()) return;
        text += what;
        for (const Variable& v : list) text += sentence(" %", v.id);
        text += "\n";
    };
    line("outputs", program.outputs);
    line("assignments", program.assignments);
    return text;
}

}  // namespace sigma::detail
