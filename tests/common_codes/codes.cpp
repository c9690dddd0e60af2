// SPDX-License-Identifier: BSL-1.0
// Plans common networks and writes the codes of their fused kernels, from which the library compiles its common kernels
// (device/cpu/impl/common_kernels.ipp). The library does not plan these networks itself, because that would take a
// third of a minute for each set of instructions.
//   codes FILE           writes the file
//   codes FILE --check   compares the file with the codes; fails if it is out of date
#include <sigma/device/cpu/common_kernels.hpp>
#include <sigma/plan/planned_now.hpp>
#include <sigma/sigma.hpp>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string_view>
#include <vector>

namespace {

using namespace sigma;
using detail::Kernel, detail::NetworkProgram, detail::Plan, detail::Planned, detail::PlannedNow,
    detail::TrainingProgram, detail::to_evaluate, detail::to_predict;

struct Curves : Network<Input(4) + 2 * Dense(12, tanh) + Dense(3) + SoftmaxCE()> {};
struct Ramps : Network<Input(28, 28) + Dense(128, relu) + Dense(64, relu) + Dense(32, relu) + Dense(10) + SoftmaxCE()> {
};
struct Regression : Network<Input(10) + Dense(20, relu) + Dense(20, sigmoid) + Dense(1) + SquaredDiff()> {};
struct Decision : Network<Input(10) + Dense(20, relu) + Dropout(0.25f) + Dense(1) + BinaryCE()> {};
struct Images : Network<Input(28, 28) + Conv2D(6, 5, relu) + MaxPool(2) + Conv2D(16, 5, relu) + MaxPool(2) +
                        Dense(120, relu) + Dense(10) + SoftmaxCE()> {};
struct Sequences : Network<Input(32, 64) + LSTM(128) + Linear(64) + SoftmaxCE()> {};
/// A network that reads one position at a time, as streams do.
struct LongSteps : Network<Input(1, 8) + LSTM(16, {.stateful = true}) + Linear(4) + SquaredDiff()> {};
struct GatedSteps : Network<Input(1, 8) + GRU(16, {.stateful = true}) + Linear(4) + SquaredDiff()> {};
struct Sentences : Network<Input(32, 64) + 2 * TransformerBlock(4, 128) + LayerNorm() + Linear(5) + SoftmaxCE()> {};

/// The row of a kernel without its number.
std::string row_of(const Plan& plan, const Kernel& k) {
    const auto& f = k.fused;
    std::ostringstream words, values, row;
    int constants = 0;
    for (int i = 0; i < f.instructions; ++i) {
        const detail::Instruction& n = plan.instructions[f.instruction + i];
        if (is_constant(n))
            values << (constants > 0 ? ", " : "") << "0x" << std::hex << std::bit_cast<std::uint64_t>(n.constant);
        words << (i > 0 ? ", " : "") << "0x" << std::hex << next_word(n, constants);
    }
    row << f.instructions << ", " << constants << ", (" << static_cast<int>(k.kind) << ", " << f.rank << ", " << f.outer
        << ", " << f.reduced << ", " << f.sweeps << ", " << k.arguments << "), (" << words.str() << "), ("
        << values.str() << "))";
    return row.str();
}

class Rows {
public:
    /// Adds the kernels of a plan for vectors of so many lanes, on which codes must not depend.
    template <class Make>
    void add() {
        add(PlannedNow<Planned<Make, 4>>::plan());
        const std::size_t before = rows_.size();
        add(PlannedNow<Planned<Make, 16>>::plan());
        if (rows_.size() != before) throw Error("kernels for vectors of 16 elements have other codes");
    }
    template <class N, class O>
    void add_training() {
        add<TrainingProgram<N, O>>();
    }
    template <class N, detail::Purpose purpose>
    void add_inference() {
        add<NetworkProgram<N, purpose>>();
    }
    /// Ends the kernels that each set of instructions has.
    void end_few() { few_ = rows_.size(); }

    std::string text() const {
        std::ostringstream text;
        text << "// SPDX-License-Identifier: BSL-1.0\n// Written by tests/common_codes/codes.cpp. Do not edit.\n";
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            if (i == few_) text << "#ifdef SIGMA_FEW_COMMON_KERNELS\nconstexpr int codes = " << few_ << ";\n#else\n";
            text << "SIGMA_CODE(" << i << ", " << rows_[i] << "\n";
        }
        text << "constexpr int codes = " << rows_.size() << ";\n#endif\n";
        return text.str();
    }

private:
    std::vector<std::string> rows_;
    std::size_t few_ = 0;

    void add(const Plan& plan) {
        for (const Kernel& k : plan.kernels) {
            if (!k.is_fused()) continue;
            std::string row = row_of(plan, k);
            if (std::ranges::find(rows_, row) == rows_.end()) rows_.push_back(std::move(row));
        }
    }
};

Rows all_rows() {
    Rows rows;
    rows.add_training<Curves, GradientDescent>();
    rows.add_training<Curves, Adam>();
    rows.add_inference<Curves, to_predict>();
    rows.add_inference<Curves, to_evaluate>();
    rows.add_training<Ramps, GradientDescent>();
    rows.add_training<Ramps, Adam>();
    rows.end_few();
    rows.add_training<Regression, GradientDescent>();
    rows.add_training<Regression, Adam>();
    rows.add_inference<Regression, to_predict>();
    rows.add_inference<Regression, to_evaluate>();
    rows.add_training<Decision, GradientDescent>();
    rows.add_inference<Decision, to_predict>();
    rows.add_inference<Decision, to_evaluate>();
    rows.add_training<Images, GradientDescent>();
    rows.add_training<Sequences, GradientDescent>();
    rows.add_training<Sequences, Adam>();
    rows.add_inference<Sequences, to_predict>();
    rows.add_inference<Sequences, to_evaluate>();
    rows.add_training<Sentences, GradientDescent>();
    rows.add_training<Sentences, Adam>();
    rows.add_inference<Sentences, to_predict>();
    rows.add_inference<LongSteps, to_predict>();
    rows.add_inference<GatedSteps, to_predict>();
    return rows;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) return std::cerr << "usage: codes FILE [--check]\n", 2;
    const std::string text = all_rows().text();
    if (argc == 2) return std::ofstream(argv[1]) << text ? 0 : 1;
    std::ifstream file(argv[1]);
    const std::string found(std::istreambuf_iterator<char>(file), {});
    if (found == text) return 0;
    std::cerr << argv[1]
              << " is out of date: the planner makes other kernels of common networks. Write it again with\n  "
              << argv[0] << " " << argv[1] << "\n";
    return 1;
}
