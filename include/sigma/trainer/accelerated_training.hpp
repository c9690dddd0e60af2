// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/trainer/remote_training.hpp>
#include <sigma/worker/accelerated_step.hpp>
#include <sigma/worker/batch_ring.hpp>
#include <sigma/worker/step.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <optional>
#include <vector>

namespace sigma::detail {

/// A training's steps on one or several accelerators: Steps is AcceleratedStep or ParallelStep. Records stay there from epoch
/// to epoch where they are in memory, are not augmented and take no more than half of what is free beside the steps'
/// arena; otherwise, and from where memory lacks on, each batch is gathered by the host and copied.
template <AnyNetwork N, AnyOptimizer O, class T, class Steps>
class AcceleratedTraining : public RemoteTraining<O> {
public:
    /// `make(sections, most)` makes the Steps for batches of up to `most` records. Throws DeviceError.
    template <class Make>
    [[gnu::cold]] AcceleratedTraining(BatchRing<T>& batches, Step<N, O, T>& step, Make make)
        : batches_(batches), optimizer_step_(step), step_(make(batches.buffers().widths(), batches.batches().size)) {
        keep_records();
    }

    const void* place() const override { return step_.place(); }
    bool keeps_records() const override { return step_.keeps(); }
    void halt() override { order_epoch_.reset(); }

    std::ptrdiff_t step(const O& optimizer, std::uint64_t number, std::uint64_t number_of_epoch,
                        std::uint64_t number_of_batch) override {
        const auto given = optimizer.scalars(number);
        Scalars scalars{};
        for (std::size_t i = 0; i < scalars.size(); ++i) scalars[i] = static_cast<T>(given[i]);
        if (step_.keeps()) try {
                return step_on_kept(scalars, number, number_of_epoch, number_of_batch);
            } catch (const DeviceMemoryError&) {  // before anything was asked for: again, with the records' memory
                step_.forget();
            }
        const std::ptrdiff_t count = batches_.gather(number_of_epoch, number_of_batch);
        std::array<const T*, static_cast<std::size_t>(N::input_count + N::cost_count)> rows;
        const auto inputs_now = batches_.inputs();
        std::ranges::copy(batches_.targets(), std::ranges::copy(inputs_now, rows.begin()).out);
        step_.step(optimizer_step_.seed(), number, rows, count, scalars);
        return count;
    }

    void set_tally(const LossTally& tally) override { step_.set_tally(tally); }
    bool pending() const override { return step_.pending(); }
    LossTally fetch() override { return step_.fetch(); }
    double loss() const override { return static_cast<double>(step_.last(0)); }
    double loss(int cost) const override { return static_cast<double>(step_.last(N::cost_count == 1 ? 0 : 1 + cost)); }

private:
    using Scalars = std::array<T, static_cast<std::size_t>(scalar_count<O>)>;
    BatchRing<T>& batches_;
    Step<N, O, T>& optimizer_step_;
    Steps step_;
    std::optional<std::uint64_t> order_epoch_;
    std::vector<std::size_t> order_;

    std::ptrdiff_t step_on_kept(const Scalars& scalars, std::uint64_t number, std::uint64_t number_of_epoch,
                                std::uint64_t number_of_batch) {
        const Minibatches& of = batches_.batches();
        if (order_epoch_ != number_of_epoch) {
            order_epoch_.reset();
            of.order(number_of_epoch, order_);
            step_.set_order(order_);
            order_epoch_ = number_of_epoch;
        }
        const auto records = of.batch(order_, number_of_batch);
        const auto count = static_cast<std::ptrdiff_t>(records.size());
        step_.step(optimizer_step_.seed(), number, static_cast<std::size_t>(records.data() - order_.data()), count, scalars);
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

/// Throws DeviceError.
template <AnyNetwork N, AnyOptimizer O, class T>
std::shared_ptr<RemoteTraining<O>> accelerated_training(const std::shared_ptr<Accelerator>& device, BatchRing<T>& batches,
                                                        Model<N, T>& model, Step<N, O, T>& step) {
    return std::make_shared<AcceleratedTraining<N, O, T, AcceleratedStep<T>>>(
        batches, step, [&](std::vector<std::size_t> sections, std::size_t most) {
            return AcceleratedStep<T>(device, view_of<T>(Step<N, O, T>::P::plan), model.mirrored(), step.mirrored(),
                                      std::move(sections), scalar_count<O>, most);
        });
}

}  // namespace sigma::detail
