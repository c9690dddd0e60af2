// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/trainer/accelerated_training.hpp>
#include <sigma/worker/parallel_step.hpp>
#include <sigma/worker/shared_step.hpp>

namespace sigma::detail {

/// A training's steps on a group of accelerators, each of which takes a part of each batch. Throws DeviceError.
template <AnyNetwork N, AnyOptimizer O, class T>
std::shared_ptr<RemoteTraining<O>> parallel_training(const std::shared_ptr<AcceleratorGroup>& group,
                                                     BatchRing<T>& batches, Model<N, T>& model,
                                                     Step<N, O, T>& step) {
    return std::make_shared<AcceleratedTraining<N, O, T, ParallelStep<T>>>(
        batches, step, [&](const std::vector<std::size_t>& sections, std::size_t most) {
            return ParallelStep<T>(group, view_of<T>(Planned<ShareProgram<N>, simd::lanes<T>>::plan),
                                   view_of<T>(Planned<UpdateProgram<N, O>, simd::lanes<T>>::plan), losses_of_share<N>,
                                   model.mirrored(), step.mirrored(), sections, scalar_count<O>, most);
        });
}

}  // namespace sigma::detail
