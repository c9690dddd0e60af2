// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/network/dynamic_network.hpp>
#include <sigma/network/layers.hpp>

#include <memory>
#include <string>
#include <vector>

// Recorded networks, which can be traced again without the classes of their layers.
namespace sigma::detail {

/// A hyperparameter, under the name that its layer or loss gives.
struct RecordedNumber {
    Text name{};
    double value = 0;
    NumberRange range{};
    std::string range_text{};  ///< The text to which `range.text` points.
};
/// A parameter, under the name that its layer gives.
struct RecordedParameter {
    Text name{};
    Shape shape{};
    Initializer initializer{};
    bool trained = true;
};
/// The number of the only initializing function of the library. Functions of a program cannot be recorded.
inline constexpr double open_forget_gate = 1;
struct RecordedLayer {
    Text name{}, kind{}, tags{}, shown{};  ///< shown: the default name behind the number.
    bool named = false;
    Shape output{};
};
/// A state of a network, (batch, units), under the name that its layer gives.
struct RecordedState {
    Text name{};
    int units = 0, positions = 0;
};
/// The number of the first input of a recorded tape that is a state.
inline constexpr int first_state = 1 << 20;
/// The place of a layer on a tape: its first node, and the copies that are its outputs.
struct RecordedPlace {
    int first_node = 0;
    std::vector<int> outputs{};
};
/// The forward program of a network. Leaves are numbered as in recorded programs, see Context.
struct RecordedTape {
    Tape tape{};
    std::vector<RecordedPlace> places{};  ///< One for each layer.
    std::vector<StatisticUpdate> updates{};
    std::vector<int> carried{};  ///< The new value of each state.
    std::vector<int> results{};  ///< The input of each loss.
};
/// A function of a loss. Input 0 is the output of the network, input 1 the targets.
struct RecordedFormula {
    Tape tape{};
    std::vector<RecordedNumber> numbers{};
    int result = -1;  ///< -1: there is no such function.
    Tensor of(Tensor z, Tensor y) const;
};
class RecordedLoss final : public AnyLoss {
public:
    LossRecord record{};
    CostRecord described{};
    bool total = false;
    RecordedFormula prediction{}, formula{}, share_right{};

    const Text& kind() const override { return described.kind; }
    Shape target(const Shape&) const override { return described.target; }
    Tensor predict(Tensor z) const override { return prediction.of(z, z); }
    Tensor value(Tensor z, Tensor y) const override { return formula.of(z, y); }
    bool says_right() const override { return share_right.result >= 0; }
    Tensor right(Tensor z, Tensor y) const override { return share_right.of(z, y); }
    Ignored ignored() const override;
    Tensor answers(Tensor z, Tensor y) const override;
    Tensor examine(Context&, Tensor z, Tensor y) const override { return value(z, y); }
    bool is_total() const override { return total; }
    void describe(CostRecord& of, const Shape& output) const override;
};

struct Recording {
    std::string library{};  ///< Version of the library that has written the recording.
    int inputs = 0;
    std::vector<RecordedParameter> parameters{};
    std::vector<RecordedLayer> layers{};
    std::vector<RecordedNumber> numbers{};
    std::vector<RecordedState> states{};
    RecordedTape predicting{}, training{};
    std::vector<std::unique_ptr<RecordedLoss>> losses{};
};

/// Records a network of any layers. Throws MistakeError if a layer rejects its input.
Recording record(const Layers& layers);

/// A recorded network, with or without its losses, as a part of an expression.
class RecordedNetwork : public Layer, public Several {
public:
    RecordedNetwork(std::shared_ptr<const Recording> of, bool with_losses)
        : of_(std::move(of)), with_losses_(with_losses) {}

    void trace(Context& context, Flow& x) const;
    template <class F>
    void each_loss(F f) const {
        if (with_losses_)
            for (const auto& each : of_->losses) f(static_cast<const AnyLoss&>(*each));
    }

private:
    std::shared_ptr<const Recording> of_;
    bool with_losses_;
};

}  // namespace sigma::detail
