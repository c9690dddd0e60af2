// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Errors of devices: DeviceError and its types. Included by `<sigma/sigma.hpp>`.
#include <sigma/core/any_function.hpp>
#include <sigma/core/error.hpp>
#include <sigma/core/owners.hpp>
#include <sigma/device/program_table.hpp>
#include <sigma/plan/plan_view.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace sigma {

/// An error of a device that cannot be used or that failed. The base class of all errors of accelerators.
///
/// @see NoDeviceError, ArchitectureError, DeviceMemoryError, KernelError, Error
struct DeviceError : Error {
    using Error::Error;
};

/// An error about a device that does not exist on this machine.
///
/// `gpu(…)` and `gpus(…)` throw it when they are opened. Example of a text: "gpu(2): there is no such device; there are
/// devices 0 to 1".
///
/// @see gpu_available, DeviceError
struct NoDeviceError : DeviceError {
    using DeviceError::DeviceError;
};

/// An error about a device for which this library, or the installed toolkit, cannot compile programs.
///
/// `gpu(…)` and `gpus(…)` throw it when they are opened.
///
/// @see DeviceError
struct ArchitectureError : DeviceError {
    using DeviceError::DeviceError;
};

/// An error about memory of a device that could not be allocated.
///
/// Functions that allocate arrays and work memory of a device throw it. Example of a text: "memory of device 'NVIDIA
/// H100': expected 83886080 bytes for the arena of 1024 records, found 1048576 free".
///
/// @see DeviceError, MemoryError
struct DeviceMemoryError : DeviceError {
    std::uint64_t asked;  ///< The requested amount of memory in bytes.
    std::uint64_t free;   ///< The free memory of the device in bytes.

    /// Constructs an error.
    /// @param device  name of the device
    /// @param what    purpose of the memory
    /// @param asked_  requested bytes
    /// @param free_   free bytes
    DeviceMemoryError(const std::string& device, const std::string& what, std::uint64_t asked_, std::uint64_t free_);
};

/// An error about a kernel that could not be compiled or that failed when it ran.
///
/// Runs on an accelerator throw it. To find the kernel that failed, use the option `check_each_kernel` of GpuOptions.
///
/// @see DeviceError, GpuOptions
struct KernelError : DeviceError {
    std::string operation;  ///< The operation of the kernel, such as "kernel 3, dot".

    /// Constructs an error.
    /// @param device      name of the device
    /// @param operation_  operation of the kernel
    /// @param what        what happened
    KernelError(const std::string& device, std::string operation_, const std::string& what);
};

}  // namespace sigma

namespace sigma::detail {

struct Cpu;
struct Program;

/// The position of a step in the random numbers and in the records of an epoch. It lies in device memory.
struct StepCounters {
    std::uint64_t seed = 0;
    std::uint64_t step = 0;    ///< number of the step, from 1
    std::uint64_t first = 0;   ///< position of the first record of the step within the epoch
    std::uint64_t record = 0;  ///< position of the first record within the batch, which the random numbers depend on
    friend bool operator==(const StepCounters&, const StepCounters&) = default;
};

/// The sum of the losses since it was last set. It lies in device memory.
struct LossAccumulator {
    double total = 0;  ///< Σ loss · records
    std::uint64_t records = 0;
    std::uint64_t first_non_finite = 0;  ///< the first step with a loss that was NaN or infinite, or 0
};

/// The records of resident data that a step uses: in each section, row i of `to` becomes row
/// positions[counters->first + i] of `from`.
struct GatherRecords {
    struct Section {
        const void* from;
        void* to;
        std::size_t elements;  ///< elements of a row
    };
    std::span<const Section> sections;
    const std::uint32_t* positions;  ///< the order of the records in the epoch
    const StepCounters* counters;
    std::ptrdiff_t records;
    ElementType element;
};

class CpuDevice;
class DeviceProgram;
struct ProgramSource;
/// Makes a program of the processor from a CompiledProgram<T>.
template <class T>
Owned<DeviceProgram> program_of_processor(CpuDevice& device, const ProgramSource& source);

/// The names of the layers that kernels belong to, see Kernel::origin. The network must outlive the programs.
struct LayerNames {
    const void* network = nullptr;
    std::string (*name)(const void* network, int layer) = nullptr;
};

/// The source of a program of a device: a plan, and other forms of it that some devices run.
struct ProgramSource {
    PlanView plan;
    const void* compiled = nullptr;    ///< a CompiledProgram for the plan's type of elements
    const Program* program = nullptr;  ///< the operations from which the plan was made
    Owned<DeviceProgram> (*of_processor)(CpuDevice&, const ProgramSource&) = nullptr;
    LayerNames layers{};  // for profiles

    ProgramSource(const PlanView& plan_, const Program* program_ = nullptr) : plan(plan_), program(program_) {}
    template <class T>
    ProgramSource(const CompiledProgram<T>& compiled_, const Program* program_ = nullptr)
        : plan(compiled_.plan()), compiled(&compiled_), program(program_), of_processor(program_of_processor<T>) {}
};

/// A program of a device, made from a plan. All addresses are addresses of the device.
class DeviceProgram {
public:
    virtual ~DeviceProgram() = default;

    /// Sets the address of a dense tensor from outside, or of a parameter or state with rows padded as in the plan.
    /// The memory must outlive the program.
    virtual void bind(Buffer::Where where, int number, void* data) = 0;
    /// Sets the counters that the random numbers depend on.
    virtual void bind_counters(const StepCounters* counters) = 0;
    /// Sets the threads that share a run on the processor. Results do not depend on their number. Accelerators ignore
    /// it.
    virtual void set_threads(const Cpu&) {}
    /// Sets the products by parameters that replace those of the processor's kernels: an on_cpu::OtherProducts for the
    /// plan's type of elements, which must outlive the program, or null. Other devices ignore it.
    virtual void compute_by(const void*) {}
    /// Returns whether a kernel reads this parameter that these products do not replace.
    virtual bool reads(int, const void*) const { return true; }
    /// Sets the number of records of the next steps. Allocates only if the batch is larger than every earlier one.
    virtual void prepare(std::ptrdiff_t records) = 0;
    /// Issues all kernels. It may be captured after `prepare` and at least one run with this number of records.
    virtual void run() = 0;
    /// Issues all kernels, and calls `reached(i)` when all kernels before marks[i] have run. The marks ascend. Devices
    /// with asynchronous work make the calls at the end.
    virtual void run(std::span<const int> marks, const AnyFunction<void(std::size_t)>& reached) {
        run();
        for (std::size_t i = 0; i < marks.size(); ++i) reached(i);
    }
    /// Returns whether the next call of `run()` is to be measured for a profile, so that it must not be captured or
    /// replayed. Counts a run of the profile.
    virtual bool is_measured_next() { return false; }
    /// Returns a number that changes if earlier captures of this program are out of date.
    virtual std::uint64_t version() const = 0;
    virtual std::size_t arena_bytes() const = 0;
    /// Returns the size of the arena for the given number of records.
    virtual std::size_t arena_bytes(std::ptrdiff_t records) const = 0;
    /// Returns the number of kernels, products and clearings that one run issues.
    virtual int launches() const = 0;
};

/// Captured work, which can be repeated at little cost.
class CapturedGraph {
public:
    virtual ~CapturedGraph() = default;
    virtual void run() = 0;
};

/// A device: memory, and programs that run on tensors in this memory. Work is done in the order of the calls and may be
/// asynchronous: only `download`, `synchronize` and errors wait for it. Functions throw DeviceError. Use a device from
/// one thread at a time. tests/gpu/laws_test.cpp checks what holds for each device.
class ComputeDevice {
public:
    virtual ~ComputeDevice() = default;
    ComputeDevice() = default;
    ComputeDevice(const ComputeDevice&) = delete;
    ComputeDevice& operator=(const ComputeDevice&) = delete;

    virtual std::string name() const = 0;

    // ---- memory ----

    /// Returns whether the device uses host memory. Then nothing needs to be copied, and work is done when the call
    /// returns.
    virtual bool shares_host_memory() const { return false; }

    /// Allocates zeroed memory, aligned to 256 bytes. Throws DeviceMemoryError with `what` in its text.
    virtual void* allocate(std::size_t bytes, const std::string& what) = 0;
    virtual void release(void* data) noexcept = 0;
    virtual std::size_t free_memory() const = 0;
    /// Allocates host memory that asynchronous copies can read.
    virtual void* allocate_host(std::size_t bytes) = 0;
    virtual void release_host(void* data) noexcept = 0;

    /// Copies from host memory, which may change when the function returns.
    virtual void upload(void* to, const void* from, std::size_t bytes) = 0;
    /// Returns a mark for all work issued so far, for `wait` and `upload_ahead`.
    virtual std::uint64_t mark() = 0;
    /// Copies from memory of allocate_host while other work runs. The copy begins when the work before the mark `after`
    /// has ended, and later work waits for the copy. Returns a mark: `from` may change when it is reached.
    virtual std::uint64_t upload_ahead(void* to, const void* from, std::size_t bytes, std::uint64_t after) = 0;
    /// Waits until a mark is reached.
    virtual void wait(std::uint64_t mark) = 0;
    /// Copies to host memory, after all earlier work.
    virtual void download(void* to, const void* from, std::size_t bytes) = 0;
    virtual void copy(void* to, const void* from, std::size_t bytes) = 0;
    virtual void clear(void* to, std::size_t bytes) = 0;
    virtual void synchronize() = 0;

    // ---- work ----

    virtual detail::Owned<DeviceProgram> make_program(const ProgramSource& source) = 0;
    /// Captures the work that `work` issues, without doing it.
    virtual detail::Owned<CapturedGraph> capture(const detail::AnyFunction<void()>& work) = 0;
    virtual void gather(const GatherRecords& records) = 0;
    /// Adds the loss of a step (one element) and advances the counters by its records.
    virtual void accumulate_loss(LossAccumulator* to, StepCounters* counters, const void* loss_of_step,
                                 ElementType element, std::ptrdiff_t records) = 0;
};

/// A block of memory of a device, released at the end.
class DeviceMemory {
public:
    DeviceMemory() = default;
    DeviceMemory(detail::SharedOwner<ComputeDevice> device, std::size_t bytes, const std::string& what);
    DeviceMemory(DeviceMemory&& other) noexcept { swap(other); }
    DeviceMemory& operator=(DeviceMemory&& other) noexcept;
    ~DeviceMemory();
    void* data() const { return data_; }
    template <class T>
    T* as() const {
        return static_cast<T*>(data_);
    }
    std::size_t bytes() const { return bytes_; }
    const detail::SharedOwner<ComputeDevice>& device() const { return device_; }
    explicit operator bool() const { return data_ != nullptr; }

private:
    detail::SharedOwner<ComputeDevice> device_;
    void* data_ = nullptr;
    std::size_t bytes_ = 0;
    void swap(DeviceMemory& other) noexcept;
};

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/device/impl/compute_device.ipp>
#endif
