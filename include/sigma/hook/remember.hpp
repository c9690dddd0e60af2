// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/hook/action.hpp>
#include <sigma/hook/parameter_copy.hpp>

#include <memory>

namespace sigma {

/// Where `remember` puts the parameters of a trainer and `recall` finds them. Copies are the same place.
class ParameterSlot {
public:
    bool empty() const { return copy->empty(); }
    std::shared_ptr<detail::ParameterCopy> copy = std::make_shared<detail::ParameterCopy>();
};

class Remember : public Action<Remember> {
public:
    static constexpr bool in_background = false;
    explicit Remember(ParameterSlot slot) : slot_(std::move(slot)) {}
    void run(auto& context) { slot_.copy->take(context.model()); }
    void restart(auto&) { slot_.copy->clear(); }
    void archive(Archive& a) { slot_.copy->archive(a); }
    static std::string text() { return "remember"; }

private:
    ParameterSlot slot_;
};

class Recall : public Action<Recall> {
public:
    static constexpr bool in_background = false;
    explicit Recall(ParameterSlot slot) : slot_(std::move(slot)) {}
    void run(auto& context) const {
        if (slot_.empty()) throw MismatchError("recall", "parameters that were remembered", "none");
        slot_.copy->put(context.model());
        context.trainer().parameters_changed();
    }
    static std::string text() { return "recall"; }

private:
    ParameterSlot slot_;
};

/// ParameterSlot best;
/// trainer.add(when(accuracy.improves()).then(remember(best)), at(stop).then(recall(best)));
/// Bit by bit, at once; states of the optimizer are left alone. A slot is for one trainer; checkpoints contain it.
inline auto remember(ParameterSlot slot) { return Remember(std::move(slot)); }
/// Throws MismatchError when nothing was remembered.
inline auto recall(ParameterSlot slot) { return Recall(std::move(slot)); }

}  // namespace sigma
