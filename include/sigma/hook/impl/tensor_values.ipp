// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/error.hpp>
#include <sigma/hook/context.hpp>
#include <sigma/hook/kept_tensors.hpp>
#include <sigma/hook/tensor_quantities.hpp>
#include <sigma/hook/tensor_values.hpp>

#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace sigma::detail {

inline double quantity_of(Quantity quantity, double bound, auto visit) {
    switch (quantity) {
        case Quantity::norm: return EuclideanNorm::of(visit);
        case Quantity::largest_magnitude: return LargestMagnitude::of(visit);
        case Quantity::mean: return MeanOf::of(visit);
        case Quantity::deviation: return Deviation::of(visit);
        case Quantity::share_of_zeros: return ShareOf<true>{bound}.of(visit);
        default: return ShareOf<false>{bound}.of(visit);
    }
}

class TensorValueNode final : public Derived {
public:
    TensorValueNode(SelectedTensors tensors, Quantity quantity, double bound)
        : tensors_(std::move(tensors)), quantity_(quantity), bound_(bound) {}
    detail::Owned<Derived> clone() const override {
        return std::make_unique<TensorValueNode>(tensors_, quantity_, bound_);
    }
    std::string text() const override {
        constexpr const char* words[] = {"norm",      "largest_magnitude", "mean_of",
                                         "deviation", "share_of_zeros",    "share_from"};
        return sentence(words[static_cast<int>(quantity_)], "(", tensors_.text(),
                        bound_ != 0 ? sentence(", ", bound_) : "", ")");
    }
    bool same(const Derived& other) const override {
        const auto* o = dynamic_cast<const TensorValueNode*>(&other);
        return o != nullptr && tensors_ == o->tensors_ && quantity_ == o->quantity_ && bound_ == o->bound_;
    }
    void prepare(TrainerView& trainer) override { positions_ = tensors_.find(network_of(trainer.parameters())); }
    void update(HookContext&) override { stale_ = true; }
    double read(TrainerView& trainer) override {
        if (!std::exchange(stale_, false)) return result;
        bool kept = true;
        result = quantity_of(quantity_, bound_,
                             [&](auto f) { kept = visit_tensors(trainer, tensors_.kind, positions_, f) && kept; });
        if (!kept) result = std::numeric_limits<double>::quiet_NaN();
        return result;
    }
    void restart() override { stale_ = true; }
    MomentSet moments() const override { return {}; }
    Wants wants() const override { return tensors_.wants(); }

private:
    SelectedTensors tensors_;
    Quantity quantity_;
    double bound_;
    std::vector<int> positions_;
    bool stale_ = true;
};

SIGMA_IMPL detail::SharedOwner<Derived> make_tensor_value(SelectedTensors tensors, Quantity quantity, double bound) {
    return std::make_shared<TensorValueNode>(std::move(tensors), quantity, bound);
}

}  // namespace sigma::detail
