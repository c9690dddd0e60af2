// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// The results of a profile: times, bytes and operations of each kernel. Included by `<sigma/profile.hpp>`.
#include <sigma/core/any_function.hpp>

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace sigma {

/// One line of a profile: a kernel of a program, or a part of the training loop around the steps.
///
/// @see Profile
struct ProfileRow {
    std::string layer;      ///< Layer of the last result, "1-dense", or the loss; empty for other work.
    int layer_number = -1;  ///< Position of the layer in the network, then those of its losses; -1: none.
    std::string part;       ///< "forward", "backward" or "update"; empty outside of networks.
    std::string kernel;     ///< Operation with its extents, "dot, batch x 128 x 784", or what the loop does.
    int number = -1;        ///< Position in the plan of the program, see `SIGMA_EXPLAIN=plan`. -1: no kernel.
    /// Number of calls in all runs: one a run or, in a loop over time, one for each position. Parts of a call on
    /// several threads, or on parts of the records, count together.
    std::uint64_t calls = 0;
    double seconds = 0;        ///< Time of all calls together, on the clock.
    double share = 0;          ///< Share of the program's time or, for a part of the loop, of the iterations.
    double bytes = 0;          ///< Bytes that all calls read and write at least: each argument counts once a call.
    double multiply_adds = 0;  ///< Multiply-adds of products and convolutions in all calls.
    double operations =
        0;  ///< Other operations in all calls. A function such as exp counts as one, a multiply-add as two.
    /// The least possible time divided by the measured time: 1 is the peak of the machine. The least time is the larger
    /// one of arithmetic at the measured peak and of bytes at the measured rate of copies. NaN if it is unknown.
    double share_of_peak = std::numeric_limits<double>::quiet_NaN();

    /// Returns the time of one call in seconds.
    double seconds_per_call() const { return calls > 0 ? seconds / static_cast<double>(calls) : 0; }
    /// Returns the bytes per second.
    double bytes_per_second() const { return seconds > 0 ? bytes / seconds : 0; }
    /// Returns the arithmetic operations per second. A multiply-add counts as two.
    double operations_per_second() const { return seconds > 0 ? (2 * multiply_adds + operations) / seconds : 0; }
};

/// The measured kernels of one program, such as a training step.
///
/// @see Profile
struct ProfiledProgram {
    std::string name;         ///< "training step", "prediction", "score" or "program".
    std::string device;       ///< "cpu", or the name of an accelerator.
    int threads = 1;          ///< Greatest number of threads of a run.
    std::uint64_t runs = 0;   ///< Number of runs.
    std::uint64_t timed = 0;  ///< Number of runs that were timed. The others count with the mean of these.
    int launches = 0;         ///< Number of kernels that a run launches.
    double records = 0;       ///< Mean number of records of a timed run.
    double seconds = 0;       ///< Mean time of a run.
    /// Share of the time that the threads worked in kernels. The rest is waiting for each other.
    double busy = 1;
    /// True if kernels of fused operations were compiled with the program, false if they are interpreted.
    bool fused = false;
    std::vector<ProfileRow> rows;  ///< One row for each kernel, in the order of the plan.

    /// Returns the sums of the rows of each layer, in the order of the network. Rows without a layer come last.
    std::vector<ProfileRow> by_layer() const;
};

/// The measured loop of one trainer.
///
/// @see Profile
struct ProfiledLoop {
    std::string trainer;           ///< Name of the trainer.
    std::uint64_t iterations = 0;  ///< Number of iterations.
    std::uint64_t timed = 0;       ///< Number of iterations with timed parts.
    double seconds = 0;            ///< Mean time from the start of an iteration to the next one.
    /// Parts of the iterations: "wait for data", "step", "modifiers", "wait for the device", "hooks" and "other".
    /// "validation" and "hooks of epochs" come after the iterations of an epoch.
    std::vector<ProfileRow> rows;

    /// Returns a row.
    /// @param part  what the loop does, such as "wait for data"
    /// @throws ArgumentError  if there is no such row
    const ProfileRow& operator[](std::string_view part) const;
};

/// The peak of one core of this machine, measured when the profile is made.
///
/// @see Profile
struct PeakRates {
    double float_operations = 0;   ///< Operations per second in `float`. A multiply-add counts as two. 0: not measured.
    double double_operations = 0;  ///< Operations per second in `double`.
    std::vector<double> bytes;     ///< Sizes in bytes of the copies that were measured, source and copy together.
    std::vector<double> bytes_per_second;  ///< Bytes per second that a copy of each size reads and writes.
};

/// Times, bytes and operations of everything that was measured.
///
/// @see profile, docs/how-to/profile-a-step.md
struct Profile {
    std::vector<ProfiledLoop> loops;        ///< Loops of trainers.
    std::vector<ProfiledProgram> programs;  ///< Programs, in the order of their first runs.
    PeakRates peak;                         ///< Peak of one core.
    /// Events that the trace leaves out because there were too many. The tables count all.
    std::uint64_t events_left_out = 0;

    /// Returns tables: the loops, then for each program its layers and its kernels, the slowest first.
    /// @param most_rows  number of kernels of each program that are listed; 0: all
    /// @return several lines of text
    /// @throws ArgumentError  if `most_rows` is negative
    ///
    /// @par Example
    /// @code
    /// std::puts(profile(trainer, 20, iteration).text().c_str());
    /// @endcode
    std::string text(int most_rows = 20) const;
    /// Returns the trace as JSON, in the Trace Event Format, which Perfetto and chrome://tracing read.
    ///
    /// It has one complete event for each call of a kernel and each part of an iteration that was timed, on its thread,
    /// with times in microseconds. `args` has the layer, the part of the step, and the bytes and operations of the
    /// call.
    /// @return one JSON object
    std::string trace() const;
    /// Writes the trace to a file. The file is replaced as a whole.
    /// @param file  path of the file, by convention with the ending `.json`
    /// @throws StorageError  if the file cannot be written
    void write_trace(const std::string& file) const;
    /// Returns the program with this name. Of several, that which took the most time.
    /// @param name  "training step", "prediction", "score" or "program"
    /// @throws ArgumentError  if there is no such program
    const ProfiledProgram& operator[](std::string_view name) const;

    /// @cond internal
    struct Event {
        int program, row;  ///< program: position in `programs`, or -1 - position in `loops`
        int thread;
        double begin, seconds;  ///< Seconds from the start of the profile.
    };
    std::vector<Event> events;
    /// @endcond
};

namespace detail {

/// Calls a function, and returns the profile of everything that the process does meanwhile.
Profile profile_of(const AnyFunction<void()>& work);

class Profiler;
/// Measures the loops of all trainers of the process from the constructor to the destructor, without their kernels. It
/// interrupts a profile that is being measured.
class MeasuredLoops {
public:
    MeasuredLoops();
    MeasuredLoops(const MeasuredLoops&) = delete;
    MeasuredLoops& operator=(const MeasuredLoops&) = delete;
    ~MeasuredLoops();
    /// Returns the loops with at least one timed iteration.
    std::vector<ProfiledLoop> loops() const;

private:
    std::shared_ptr<Profiler> profiler_;
};

}  // namespace detail

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/device/impl/profile.ipp>
#include <sigma/device/impl/profiler.ipp>
#endif
