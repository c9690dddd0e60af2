// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/device/compute_group.hpp>
#include <sigma/device/gpu/cuda/cuda_backend.hpp>

#ifdef SIGMA_NCCL
#include <nccl.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace sigma::on_gpu::cuda {

/// A group of CUDA devices that sums by NCCL, each on its own stream.
class NcclGroup final : public sigma::detail::ComputeGroup {
public:
    /// Constructs a group of different devices. Throws DeviceError if NCCL cannot connect them.
    explicit NcclGroup(const std::vector<std::shared_ptr<CudaBackend>>& devices)
        : sigma::detail::ComputeGroup({devices.begin(), devices.end()}) {
        for (const auto& device : devices) contexts_.push_back(&device->context());
        in_order_ = contexts_;
        std::ranges::sort(in_order_, {}, &Context::device);
        connect();
    }
    ~NcclGroup() override {
        if (communicators_.empty()) return;
        for (Context* context : contexts_) {  // issued work may still use them
            const auto turn = context->enter_quietly();
            ::cudaStreamSynchronize(context->stream());
        }
        for (const ::ncclComm_t each : communicators_) ::ncclCommDestroy(each);
    }

    void all_reduce(std::span<void* const> arrays, std::size_t count, sigma::detail::ElementType element) override {
        if (arrays.size() != size())
            throw ArgumentError("sum over a group of devices", sentence(size(), " arrays"), sentence(arrays.size()));
        const std::lock_guard turn(turn_);  // always locked before those of the devices
        if (communicators_.empty()) connect();
        const ::ncclDataType_t type = element == sigma::detail::ElementType::float32 ? ::ncclFloat32 : ::ncclFloat64;
        const auto turns = enter_all();
        for (Context* context : contexts_) {
            context->refuse_capture("a sum over devices");
            context->issued("sum over devices");
        }
        ::ncclResult_t result = ::ncclGroupStart();
        const bool begun = result == ::ncclSuccess;
        for (std::size_t m = 0; m < size() && result == ::ncclSuccess; ++m)
            result = ::ncclAllReduce(arrays[m], arrays[m], count, type, ::ncclSum, communicators_[m],
                                     contexts_[m]->stream());
        if (begun) {  // also after an error, so that no NCCL group stays open
            const ::ncclResult_t ended = ::ncclGroupEnd();
            if (result == ::ncclSuccess) result = ended;
        }
        if (result != ::ncclSuccess) {
            abort();
            fail(result, "add");
        }
    }
    /// Waits by checking all devices in turn, because a device that waits for a failed one never ends.
    void synchronize() override {
        try {
            wait_for_all();
        } catch (const DeviceError&) {
            abort();
            throw;
        }
    }
    void abort() noexcept override {
        const std::lock_guard turn(turn_);
        for (const ::ncclComm_t each : communicators_) ::ncclCommAbort(each);
        communicators_.clear();
    }

private:
    std::recursive_mutex turn_;       // several trainers of several threads may share the group
    std::vector<Context*> contexts_;  // contexts of the members
    std::vector<Context*> in_order_;  // sorted by device numbers, so that all threads lock devices in the same order
    std::vector<::ncclComm_t> communicators_;

    std::vector<Context::Turn> enter_all() {
        std::vector<Context::Turn> turns;
        for (Context* context : in_order_) turns.push_back(context->enter());
        return turns;
    }
    void connect() {
        std::vector<int> numbers;
        for (const Context* context : contexts_) numbers.push_back(context->device());
        const auto turns = enter_all();
        std::vector<::ncclComm_t> made(size(), nullptr);
        const ::ncclResult_t result = ::ncclCommInitAll(made.data(), static_cast<int>(size()), numbers.data());
        if (result != ::ncclSuccess) fail(result, "connect them");
        communicators_ = std::move(made);
    }
    void wait_for_all() {
        std::vector<char> ended(size(), 0);
        const auto begin = std::chrono::steady_clock::now();
        for (std::size_t left = size(); left > 0;) {
            for (std::size_t m = 0; m < size(); ++m)
                if (!ended[m] && has_ended(m)) ended[m] = 1, --left;
            // Polling without a pause detects the end quickly but keeps a core busy, so it pauses after 1 ms.
            if (left > 0 && std::chrono::steady_clock::now() - begin > std::chrono::milliseconds(1))
                std::this_thread::sleep_for(std::chrono::microseconds(20));
        }
    }
    bool has_ended(std::size_t m) {
        Context& context = *contexts_[m];
        const std::lock_guard turn(turn_);
        const auto turn_of_device = context.enter();
        context.refuse_capture("a wait");
        const cudaError_t now = ::cudaStreamQuery(context.stream());
        if (now == cudaSuccess) {
            context.forget_issued();
            return true;
        }
        (void)::cudaGetLastError();  // clears "not ready", which the runtime stores as an error
        if (now != cudaErrorNotReady) context.fail(now, "finish its work");
        if (communicators_.empty()) return false;
        ::ncclResult_t state = ::ncclSuccess;
        const ::ncclResult_t status = ::ncclCommGetAsyncError(communicators_[m], &state);
        if (status == ::ncclSuccess && (state == ::ncclSuccess || state == ::ncclInProgress)) return false;
        fail(status == ::ncclSuccess ? state : status, "add");
    }
    [[noreturn]] void fail(::ncclResult_t result, const char* tried) const {
        const char* const last = ::ncclGetLastError(nullptr);
        throw DeviceError(sentence("devices '", name(), "': NCCL cannot ", tried, ": ", ::ncclGetErrorString(result),
                                   last && *last ? " (" : "", last ? last : "", last && *last ? ")" : ""));
    }
};

}  // namespace sigma::on_gpu::cuda
#endif
