// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/device/compute_device.hpp>

#include <cuda_runtime_api.h>

#include <mutex>
#include <string>

namespace sigma::on_gpu::cuda {

/// Returns the text of an error: "cudaErrorNoDevice: no CUDA-capable device is detected".
inline std::string error_text(cudaError_t code) {
    return sentence(::cudaGetErrorName(code), ": ", ::cudaGetErrorString(code));
}

/// Returns whether an error means that a kernel failed. The device then accepts no more work of this process.
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

/// Returns whether an error means that the driver cannot use kernels that were compiled for the device. With lazy
/// loading it may appear only at the first launch.
inline bool is_of_architecture(cudaError_t code) {
    return code == cudaErrorInvalidPtx || code == cudaErrorUnsupportedPtxVersion ||
           code == cudaErrorNoKernelImageForDevice || code == cudaErrorJitCompilerNotFound ||
           code == cudaErrorJitCompilationDisabled;
}

/// The shared state of all objects of one open device: its streams, the lock, and the work issued since the last
/// successful check. It ends with the last of its owners, because modules and replays may outlive the backend.
class Context {
public:
    Context(int device, std::string name) : device_(device), name_(std::move(name)) {
        examine(::cudaSetDevice(device_), "make it the current device");
        try {
            examine(::cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "create a stream");
            examine(::cudaStreamCreateWithFlags(&uploads_, cudaStreamNonBlocking), "create a stream");
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
    ::cudaStream_t uploads() const { return uploads_; }  ///< the stream of upload_ahead

    /// A lock that each caller holds while it uses the device, because several threads may share it.
    using Turn = std::unique_lock<std::recursive_mutex>;
    Turn enter() {
        Turn turn(turn_);
        examine(::cudaSetDevice(device_), "make it the current device");
        return turn;
    }
    /// Locks without throwing.
    Turn enter_quietly() noexcept {
        Turn turn(turn_);
        ::cudaSetDevice(device_);
        return turn;
    }

    bool capturing() const { return capturing_; }
    void set_capturing(bool now) { capturing_ = now; }
    /// Throws DeviceError during a capture, which cannot wait for anything.
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

    /// Throws KernelError, ArchitectureError or DeviceError if `code` is an error. `tried` completes "cannot …: …".
    void examine(cudaError_t code, const char* tried) const {
        if (code != cudaSuccess) [[unlikely]]
            fail(code, tried);
    }
    [[noreturn]] void fail(cudaError_t code, const char* tried) const {
        (void)::cudaGetLastError();  // clears the error, unless it is permanent, so that the next call does not find it
        if (is_of_kernel(code) && issued_ == 1)
            throw KernelError(name_, last_, sentence("its kernel failed: ", error_text(code)));
        if (is_of_kernel(code) && issued_ > 1)
            throw KernelError(
                name_, last_,
                sentence("this or one of the ", issued_ - 1, " operations before, from '", first_,
                         "' on, failed: ", error_text(code), "; GpuOptions::check_each_kernel finds out which"));
        if (is_of_architecture(code))
            throw ArchitectureError(
                sentence("device '", name_, "': the driver rejects kernels compiled for it: ", error_text(code)));
        throw DeviceError(sentence("device '", name_, "': cannot ", tried, ": ", error_text(code)));
    }
    void synchronize() {
        refuse_capture("a wait");
        examine(::cudaStreamSynchronize(stream_), "finish its work");
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
