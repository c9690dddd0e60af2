// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/network/dynamic_network.hpp>
#include <sigma/network/layers.hpp>

#include <memory>
#include <string>
#include <vector>

/// A network written down, so that it may be traced again where nobody knows the classes of its layers.
namespace sigma::detail {

/// A number that may change while the network is trained, under the name that its layer or loss gives it.
struct RecordedNumber {
    Text name{};
    double value = 0;
    NumberRange range{};
    std::string range_text{};  ///< to which `range.text` points
};
/// A parameter under the name that its layer gives it.
struct RecordedParameter {
    Text name{};
    Shape shape{};
    Initializer initializer{};
    bool trained = true;
};
/// The number of the one function in the library that draws; of a program's own no text can tell.
inline constexpr double open_forget_gate = 1;
struct RecordedLayer {
    Text name{}, kind{}, tags{}, shown{};  ///< shown: where it is not named, its name behind the number
    bool named = false;
    Shape output{};
};
/// What a network remembers, (batch, units), under the name that its layer gives it.
struct RecordedState {
    Text name{};
    int units = 0, positions = 0;
};
/// From this number on inputs of a recorded tape are states.
inline constexpr int first_state = 1 << 20;
/// What a layer is on a tape: where it begins, and the copies that are its outputs.
struct RecordedPlace {
    int first_node = 0;
    std::vector<int> outputs{};
};
/// A network's forward program. Leaves are numbered as in programs that are recorded, see Context.
struct RecordedTape {
    Tape tape{};
    std::vector<RecordedPlace> places{};  ///< of each layer
    std::vector<StatisticUpdate> updates{};
    std::vector<int> carried{};  ///< what each state becomes
    std::vector<int> results{};  ///< what each loss judges
};
/// A function of a loss: of inputs 0, outputs of the network, and 1, targets.
struct RecordedFormula {
    Tape tape{};
    std::vector<RecordedNumber> numbers{};
    int result = -1;  ///< there is no such function
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
    std::string library{};  ///< the version that has written it down
    int inputs = 0;
    std::vector<RecordedParameter> parameters{};
    std::vector<RecordedLayer> layers{};
    std::vector<RecordedNumber> numbers{};
    std::vector<RecordedState> states{};
    RecordedTape predicting{}, training{};
    std::vector<std::unique_ptr<RecordedLoss>> losses{};
};

/// Of a network of whatever layers. Throws MistakeError.
Recording record(const Layers& layers);

/// The network, or without its losses what they judge, as a part of an expression.
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
