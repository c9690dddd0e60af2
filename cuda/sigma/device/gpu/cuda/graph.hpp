// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/device/compute_device.hpp>
#include <sigma/device/gpu/cuda/context.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace sigma::on_gpu::cuda {

/// Captured work as a CUDA graph.
class CudaGraph final : public sigma::detail::CapturedGraph {
public:
    CudaGraph(std::shared_ptr<Context> context, ::cudaGraph_t graph, std::string first, std::string last,
              long long operations)
        : context_(std::move(context)), first_(std::move(first)), last_(std::move(last)), operations_(operations) {
        context_->examine(::cudaGraphGetNodes(graph, nullptr, &nodes_), "count captured work");
        context_->examine(::cudaGraphInstantiate(&graph_, graph, 0), "prepare captured work");
    }
    CudaGraph(const CudaGraph&) = delete;
    CudaGraph& operator=(const CudaGraph&) = delete;
    ~CudaGraph() override {
        const auto turn = context_->enter_quietly();
        if (!context_->capturing()) ::cudaStreamSynchronize(context_->stream());
        ::cudaGraphExecDestroy(graph_);
    }

    /// Returns the number of kernels, copies and clearings of one run. A product of the library may be several.
    std::size_t nodes() const { return nodes_; }

    void run() override {
        const auto turn = context_->enter();
        context_->refuse_capture("a replay");
        if (operations_ > 0) context_->issued(first_, last_, operations_);
        context_->examine(::cudaGraphLaunch(graph_, context_->stream()), "replay captured work");
    }

private:
    std::shared_ptr<Context> context_;
    ::cudaGraphExec_t graph_ = nullptr;
    std::size_t nodes_ = 0;
    std::string first_, last_;  // operations, for errors
    long long operations_;
};

/// Captured work that is repeated call by call, so that each kernel is checked.
class CheckedGraph final : public sigma::detail::CapturedGraph {
public:
    using Steps = std::vector<std::function<void()>>;
    CheckedGraph(std::shared_ptr<Context> context, Steps steps)
        : context_(std::move(context)), steps_(std::move(steps)) {}

    void run() override {
        const auto turn = context_->enter();
        context_->refuse_capture("a replay");
        for (const std::function<void()>& step : steps_) step();
    }

private:
    std::shared_ptr<Context> context_;
    Steps steps_;
};

}  // namespace sigma::on_gpu::cuda
