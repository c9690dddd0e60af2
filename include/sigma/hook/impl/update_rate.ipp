// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/error.hpp>
#include <sigma/hook/context.hpp>
#include <sigma/hook/kept_tensors.hpp>
#include <sigma/hook/tensor_quantities.hpp>
#include <sigma/hook/update_rate.hpp>

#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace sigma::detail {

class UpdateRateNode final : public Derived {
public:
    explicit UpdateRateNode(SelectedTensors tensors) : tensors_(std::move(tensors)) {}
    detail::Owned<Derived> clone() const override { return std::make_unique<UpdateRateNode>(tensors_); }
    std::string text() const override {
        return tensors_.by_name ? sentence("update_rate<\"", tensors_.pattern, "\">()")
                                : sentence("update_rate(\"", tensors_.pattern, "\")");
    }
    bool same(const Derived& other) const override {
        const auto* o = dynamic_cast<const UpdateRateNode*>(&other);
        return o != nullptr && tensors_ == o->tensors_;
    }
    void prepare(TrainerView& trainer) override { positions_ = tensors_.find(network_of(trainer.parameters())); }
    void update(HookContext&) override { stale_ = true; }
    double read(TrainerView& trainer) override {
        if (!std::exchange(stale_, false)) return result;
        bool kept = true;
        const double moved = EuclideanNorm::of(
            [&](auto f) { kept = visit_tensors(trainer, TensorKind::updates, positions_, f) && kept; });
        if (!kept) return result = std::numeric_limits<double>::quiet_NaN();
        const double from = norm_before(trainer);
        return result = moved == 0 && from == 0 ? 0 : moved / from;
    }
    void restart() override { stale_ = true; }
    MomentSet moments() const override { return {}; }
    Wants wants() const override { return tensors_.wants(); }

private:
    SelectedTensors tensors_;
    std::vector<int> positions_;
    bool stale_ = true;

    double norm_before(TrainerView& trainer) const {
        return with_model(trainer.parameters(), [&]<class T>(const ModelStore<T>& model) {
            return EuclideanNorm::of([&](auto f) {
                for (const int p : positions_) {
                    const KeptTensor kept = trainer.before(p);
                    visit_rows(model.network().parameters[p].shape, static_cast<const T*>(kept.data), kept.stride, f);
                }
            });
        });
    }
};

SIGMA_IMPL detail::SharedOwner<Derived> make_update_rate(SelectedTensors tensors) {
    return std::make_shared<UpdateRateNode>(std::move(tensors));
}

}  // namespace sigma::detail
