// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/device/gpu/backend.hpp>
#include <sigma/device/gpu/cuda/context.hpp>

#include <memory>
#include <string>
#include <utility>

namespace sigma::on_gpu::cuda {

/// A set of compiled kernels that is loaded on a device.
class CudaModule final : public Module {
public:
    /// Loads machine code, or PTX, which the driver translates. Throws ArchitectureError if the driver rejects the
    /// code.
    CudaModule(std::shared_ptr<Context> context, const std::string& code) : context_(std::move(context)) {
        const auto turn = context_->enter();
        context_->examine(::cudaLibraryLoadData(&library_, code.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0),
                          "load kernels");
    }
    CudaModule(const CudaModule&) = delete;
    CudaModule& operator=(const CudaModule&) = delete;
    ~CudaModule() override {
        const auto turn = context_->enter_quietly();
        if (!context_->capturing()) ::cudaStreamSynchronize(context_->stream());  // its kernels may still be running
        ::cudaLibraryUnload(library_);
    }

    void* function(const std::string& kernel) override {
        const auto turn = context_->enter();
        ::cudaKernel_t found = nullptr;
        const cudaError_t result = ::cudaLibraryGetKernel(&found, library_, kernel.c_str());
        if (result != cudaSuccess) {
            if (is_of_architecture(result)) context_->fail(result, "load kernels");
            (void)::cudaGetLastError();
            throw KernelError(context_->name(), kernel,
                              sentence("there is no compiled kernel of this name: ", error_text(result)));
        }
        return found;
    }

private:
    std::shared_ptr<Context> context_;
    ::cudaLibrary_t library_ = nullptr;
};

}  // namespace sigma::on_gpu::cuda
