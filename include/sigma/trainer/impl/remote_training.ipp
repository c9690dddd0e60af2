// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/trainer/remote_training.hpp>
#include <sigma/worker/accelerated_step.hpp>
#include <sigma/worker/parallel_step.hpp>

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <vector>

namespace sigma::detail {

/// A training's steps on one or several accelerators: Steps is AcceleratedStep or ParallelStep. Records stay there from
/// epoch to epoch where they are in memory, are not augmented and take no more than half of what is free beside the
/// steps' arena; otherwise, and from where memory lacks on, each batch is gathered by the host and copied.
template <class T, class Steps>
class AcceleratedTraining : public RemoteTraining {
public:
    /// `make(sections, most)` makes the Steps for batches of up to `most` records. Throws DeviceError.
    template <class Make>
    [[gnu::cold]] AcceleratedTraining(BatchRing<T>& batches, StepCore<T>& step, int costs, Make make)
        : batches_(batches), optimizer_step_(step), costs_(costs),
          step_(make(batches.buffers().widths(), batches.batches().size)),
          scalars_(static_cast<std::size_t>(step.scalar_count())) {
        keep_records();
    }

    const void* place() const override { return step_.place(); }
    bool keeps_records() const override { return step_.keeps(); }
    void halt() override { order_epoch_.reset(); }

    std::ptrdiff_t step(const double* scalars, std::uint64_t number, std::uint64_t number_of_epoch,
                        std::uint64_t number_of_batch) override {
        for (T& scalar : scalars_) scalar = static_cast<T>(*scalars++);
        if (step_.keeps()) try {
                return step_on_kept(number, number_of_epoch, number_of_batch);
            } catch (const DeviceMemoryError&) {  // before anything was asked for: again, with the records' memory
                step_.forget();
            }
        const std::ptrdiff_t count = batches_.gather(number_of_epoch, number_of_batch);
        step_.step(optimizer_step_.seed(), number, batches_.buffers().rows(), count, scalars_);
        return count;
    }

    void set_tally(const LossTally& tally) override { step_.set_tally(tally); }
    bool pending() const override { return step_.pending(); }
    LossTally fetch() override { return step_.fetch(); }
    double loss() const override { return static_cast<double>(step_.last(0)); }
    double loss(int cost) const override { return static_cast<double>(step_.last(costs_ == 1 ? 0 : 1 + cost)); }

private:
    BatchRing<T>& batches_;
    StepCore<T>& optimizer_step_;
    int costs_;
    Steps step_;
    std::vector<T> scalars_;
    std::optional<std::uint64_t> order_epoch_;
    std::vector<std::size_t> order_;

    std::ptrdiff_t step_on_kept(std::uint64_t number, std::uint64_t number_of_epoch, std::uint64_t number_of_batch) {
        const Minibatches& of = batches_.batches();
        if (order_epoch_ != number_of_epoch) {
            order_epoch_.reset();
            of.order(number_of_epoch, order_);
            step_.set_order(order_);
            order_epoch_ = number_of_epoch;
        }
        const auto records = of.batch(order_, number_of_batch);
        const auto count = static_cast<std::ptrdiff_t>(records.size());
        step_.step(optimizer_step_.seed(), number, static_cast<std::size_t>(records.data() - order_.data()), count,
                   scalars_);
        return count;
    }
    [[gnu::cold]] void keep_records() {
        const Minibatches& of = batches_.batches();
        const Dataset& data = of.dataset;
        const bool augmented = std::ranges::any_of(of.augmentations, [](const auto& a) { return !a.empty(); });
        if (!data.in_memory() || augmented || data.size() > std::numeric_limits<std::uint32_t>::max() ||
            step_.bytes_of(data.size()) > step_.free_memory() / 2)
            return;
        std::vector<std::size_t> positions;
        step_.keep(data.size(), [&](std::size_t section, std::size_t first, std::size_t count, T* rows) {
            positions.resize(count);
            std::iota(positions.begin(), positions.end(), first);
            batches_.buffers().copy_array(data, section, positions, rows);
        });
    }
};

template <class T>
SharedOwner<RemoteTraining> RemoteTrainings<T>::on(const SharedOwner<Accelerator>& device, BatchRing<T>& batches,
                                                   ModelStore<T>& model, StepCore<T>& step) {
    return SharedOwner<AcceleratedTraining<T, AcceleratedStep<T>>>::make(
        batches, step, model.network().costs.size(), [&](std::vector<std::size_t> sections, std::size_t most) {
            return AcceleratedStep<T>(device, step.plan(), model.mirrored(), step.mirrored(), std::move(sections),
                                      step.scalar_count(), most);
        });
}

template <class T>
SharedOwner<RemoteTraining> RemoteTrainings<T>::on(const SharedOwner<AcceleratorGroup>& group, const SharedPlans& plans,
                                                   BatchRing<T>& batches, ModelStore<T>& model, StepCore<T>& step) {
    return SharedOwner<AcceleratedTraining<T, ParallelStep<T>>>::make(
        batches, step, model.network().costs.size(), [&](const std::vector<std::size_t>& sections, std::size_t most) {
            return ParallelStep<T>(group, plans.share, plans.update, plans.losses, model.mirrored(), step.mirrored(),
                                   sections, step.scalar_count(), most);
        });
}

}  // namespace sigma::detail

#ifdef SIGMA_COMPILED
template struct sigma::detail::RemoteTrainings<float>;
template struct sigma::detail::RemoteTrainings<double>;
#endif
