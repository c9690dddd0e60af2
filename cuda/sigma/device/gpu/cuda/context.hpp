// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/device/compute_device.hpp>

#include <cuda_runtime_api.h>

#include <mutex>
#include <string>

namespace sigma::on_gpu::cuda {

/// "cudaErrorNoDevice: no CUDA-capable device is detected"
inline std::string error_text(cudaError_t code) {
    return sentence(::cudaGetErrorName(code), ": ", ::cudaGetErrorString(code));
}

/// Does this error say that a kernel went wrong? The device then takes nothing more from this process.
inline bool is_of_kernel(cudaError_t code) {
    switch (code) {
        case cudaErrorIllegalAddress:
        case cudaErrorLaunchTimeout:
        case cudaErrorAssert:
        case cudaErrorHardwareStackError:
        case cudaErrorIllegalInstruction:
        case cudaErrorMisalignedAddress:
        case cudaErrorInvalidAddressSpace:
        case cudaErrorInvalidPc:
        case cudaErrorLaunchFailure: return true;
        default: return false;
    }
}

/// Does it say that the driver makes nothing of kernels that were compiled for the device? With lazy loading that may
/// show as late as at the first launch.
inline bool is_of_architecture(cudaError_t code) {
    return code == cudaErrorInvalidPtx || code == cudaErrorUnsupportedPtxVersion ||
           code == cudaErrorNoKernelImageForDevice || code == cudaErrorJitCompilerNotFound ||
           code == cudaErrorJitCompilationDisabled;
}

/// What all that belongs to one open device shares: its streams, whose turn it is, and what was asked for since it was
/// last known to be well. Ends with the last of its owners, since modules and replays may outlive the backend.
class Context {
public:
    Context(int device, std::string name) : device_(device), name_(std::move(name)) {
        examine(::cudaSetDevice(device_), "to be made the current device");
        try {
            examine(::cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "a stream");
            examine(::cudaStreamCreateWithFlags(&uploads_, cudaStreamNonBlocking), "a stream");
        } catch (...) {
            end();
            throw;
        }
    }
    Context(const Context&) = delete;
    Context& operator=(const Context&) = delete;
    ~Context() { end(); }

    int device() const { return device_; }
    const std::string& name() const { return name_; }
    ::cudaStream_t stream() const { return stream_; }
    ::cudaStream_t uploads() const { return uploads_; }  ///< of upload_ahead

    /// To be held by whoever talks to the device: several trainers of several threads may share it.
    using Turn = std::unique_lock<std::recursive_mutex>;
    Turn enter() {
        Turn turn(turn_);
        examine(::cudaSetDevice(device_), "to be made the current device");
        return turn;
    }
    /// Where nothing may be thrown.
    Turn enter_quietly() noexcept {
        Turn turn(turn_);
        ::cudaSetDevice(device_);
        return turn;
    }

    bool capturing() const { return capturing_; }
    void set_capturing(bool now) { capturing_ = now; }
    /// Throws DeviceError while work is captured, in which nothing can be waited for.
    void refuse_capture(const char* what) const {
        if (capturing_)
            throw DeviceError(sentence("capture on device '", name_,
                                       "': expected kernels, products, copies and clearings on the device, found ",
                                       what));
    }

    // ---- errors ----

    void issued(const char* operation) {
        last_ = operation;
        if (issued_++ == 0) first_ = last_;
    }
    void issued(const std::string& first, const std::string& last, long long operations) {
        if (issued_ == 0) first_ = first;
        last_ = last;
        issued_ += operations;
    }
    const std::string& first_operation() const { return first_; }
    const std::string& last_operation() const { return last_; }
    long long operations() const { return issued_; }
    void forget_issued() { issued_ = 0; }

    /// Throws KernelError, ArchitectureError or DeviceError where `code` is an error. `expected` completes "expected …,
    /// found …".
    void examine(cudaError_t code, const char* expected) const {
        if (code != cudaSuccess) [[unlikely]]
            fail(code, expected);
    }
    [[noreturn]] void fail(cudaError_t code, const char* expected) const {
        (void)::cudaGetLastError();  // what is no lasting error is not found again by the next call
        if (is_of_kernel(code) && issued_ == 1)
            throw KernelError(name_, last_, sentence("expected its kernel to end well, found ", error_text(code)));
        if (is_of_kernel(code) && issued_ > 1)
            throw KernelError(name_, last_,
                              sentence("expected this and ", issued_ - 1, " operations before, from '", first_,
                                       "' on, to end well, found ", error_text(code),
                                       " in one of them (GpuOptions::check_each_kernel says which)"));
        if (is_of_architecture(code))
            throw ArchitectureError(sentence(
                "device '", name_, "': expected the driver to take kernels compiled for it, found ", error_text(code)));
        throw DeviceError(sentence("device '", name_, "': expected ", expected, ", found ", error_text(code)));
    }
    void synchronize() {
        refuse_capture("a wait");
        examine(::cudaStreamSynchronize(stream_), "its work to end well");
        forget_issued();
    }

private:
    void end() noexcept {
        ::cudaSetDevice(device_);
        for (const ::cudaStream_t each : {uploads_, stream_})
            if (each) {
                ::cudaStreamSynchronize(each);
                ::cudaStreamDestroy(each);
            }
    }

    int device_;
    std::string name_;
    ::cudaStream_t stream_ = nullptr, uploads_ = nullptr;
    std::recursive_mutex turn_;
    bool capturing_ = false;
    std::string first_, last_;
    long long issued_ = 0;
};

}  // namespace sigma::on_gpu::cuda
