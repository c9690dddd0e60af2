// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Fair comparisons of running times: Comparison. Include it yourself: `<sigma/benchmark.hpp>`, and link
/// `sigma::benchmark` of `find_package(sigma COMPONENTS benchmark)`.
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace sigma {

/// The amount of work of one step of a contender, from which tables compute rates.
/// @see Contender
struct Amount {
    double operations = 0;  ///< Arithmetic operations; a multiply-add counts as 2. 0: no rate.
    double bytes = 0;       ///< Bytes read and written. 0: no rate.
};

/// A piece of work that a Comparison measures.
/// @see Comparison
struct Contender {
    std::string name;                ///< Name in tables, unique in its comparison.
    std::function<void()> work;      ///< The measured call.
    Amount amount{};                 ///< Amount of work of one step.
    std::function<void()> before{};  ///< Call before `work`, which is not measured. Default: none.
    std::function<void()> after{};   ///< Call after `work`, which is not measured. Default: none.
    int steps = 1;                   ///< Number of equal steps of which one call consists. Times are of one step.
};

/// Options of a Comparison.
/// @see Comparison
struct ComparisonOptions {
    /// Time on the clock for each contender, on average, with `before` and `after`.
    double seconds = 1;
    int rounds = 0;  ///< Number of rounds, at most 100000; 0: as many as `seconds` allows, at least 5.
    /// Compares times on the clock, not times of processors. Set it for contenders with threads, on a quiet machine.
    bool wall = false;
};

/// The measured times of one contender. Times are in seconds of one step.
/// @see Comparison
struct Timing {
    std::string name;           ///< Name of the contender.
    Amount amount{};            ///< Amount of work of one step.
    double median = 0;          ///< Median of all rounds.
    double least = 0;           ///< Time of the fastest round.
    double processor = 0;       ///< Median of the processor time, of all threads together.
    double wall = 0;            ///< Median of the time on the clock.
    double ratio = 1;           ///< Time of the first contender divided by this one's, as the median of all rounds.
    double lower_quartile = 1;  ///< Ratio of the round at a quarter, in the order of ratios.
    double upper_quartile = 1;  ///< Ratio of the round at three quarters.
    double more = 0;            ///< Time beyond that of the first contender, as the median of all rounds.
    /// Calls of the heap in one step. NaN unless a source file includes `<sigma/benchmark/count_allocations.hpp>`.
    double allocations = 0;
    int rounds = 0;  ///< Number of rounds.
};

/// The result of a Comparison.
/// @see Comparison
struct ComparisonReport {
    std::string title;            ///< Title of the comparison.
    bool wall = false;            ///< True if times on the clock were compared.
    std::vector<Timing> timings;  ///< One for each contender, in the order in which they were added.

    /// Returns a table in Markdown, with rates for contenders that have amounts.
    /// @return several lines of text
    std::string table() const;
    /// Returns a table of comma-separated values, with a header line and times in seconds.
    /// @return several lines of text
    std::string csv() const;
    /// Returns the timing of a contender.
    /// @param name  name of the contender
    /// @return the timing, a member of `timings`
    /// @throws ArgumentError  if there is no contender of this name
    const Timing& operator[](std::string_view name) const&;
    /// Returns a copy of the timing of a contender.
    /// @param name  name of the contender
    /// @return the timing
    /// @throws ArgumentError  if there is no contender of this name
    Timing operator[](std::string_view name) && { return (*this)[name]; }
};

/// A comparison of the times of several pieces of work, such as one kernel in several libraries.
///
/// The contenders take turns. In each round, each of them is called once; a call shorter than 50 microseconds is
/// repeated until 50 microseconds have passed. The order in a round is random, but the same in each run of the program.
/// So other programs and changes of the processor's frequency meet all contenders in the same way. Ratios are medians
/// of the ratios within rounds. Before the rounds, each contender is called a few times, because the first call may
/// allocate.
///
/// @par Example
/// @code
/// std::vector<float> x(4096, 1.0f), y(4096);
/// Comparison comparison("double 4096 numbers", {.seconds = 0.1});
/// comparison.add("loop", [&] { for (std::size_t i = 0; i < x.size(); ++i) y[i] = 2 * x[i]; keep_result(y.data()); });
/// comparison.add("transform", [&] {
///     std::transform(x.begin(), x.end(), y.begin(), [](float a) { return 2 * a; });
///     keep_result(y.data());
/// });
/// const ComparisonReport report = comparison.run();
/// std::cout << report.table();
/// @endcode
///
/// @see docs/compare-kernels.md
class Comparison {
public:
    /// Constructs a comparison without contenders.
    /// @param title    title of its tables
    /// @param options  time, rounds and clock
    /// @throws ArgumentError  if `seconds` is not above 0, or `rounds` is not 0 to 100000
    explicit Comparison(std::string title, ComparisonOptions options = {});

    /// Adds a contender. Ratios are relative to the first.
    /// @param name    unique name
    /// @param work    the measured call
    /// @param amount  amount of work of one call
    /// @return the comparison
    /// @throws ArgumentError  if the name is empty, taken or not one line, or if `work` is empty
    Comparison& add(std::string name, std::function<void()> work, Amount amount = {});
    /// Adds a contender with work that is not measured, or that consists of several steps.
    /// @param contender  the contender
    /// @return the comparison
    /// @throws ArgumentError  if the name is empty, taken or not one line, if `work` is empty, or if `steps` is less
    /// than 1
    Comparison& add(Contender contender);

    /// Measures all contenders.
    /// @return the times, also for another call
    /// @throws ArgumentError  if there are no contenders
    ComparisonReport run();

private:
    std::string title_;
    ComparisonOptions options_;
    std::vector<Contender> contenders_;
};

/// Keeps the compiler from removing a computation because nothing reads its result.
/// @param result  address of the result
///
/// @par Example
/// @code
/// float sum = 0;
/// for (int i = 0; i < 100; ++i) sum += static_cast<float>(i);
/// keep_result(&sum);
/// @endcode
///
/// @see Comparison
inline void keep_result(const void* result) { asm volatile("" ::"g"(result) : "memory"); }

/// Measures how fast one core copies memory: an upper limit for kernels that read as much as they write.
/// @param bytes  number of bytes of the source and the copy together
/// @return bytes that are read and written in a second
/// @throws ArgumentError  if `bytes` is less than 128
///
/// @par Example
/// @code
/// const double gigabytes = 1e-9 * copy_rate(1 << 20);  // in caches
/// @endcode
///
/// @see Comparison, multiply_add_rate
double copy_rate(std::size_t bytes);
/// Measures how fast one core computes multiply-adds of `float` in vectors: an upper limit for products.
/// @return operations in a second; a multiply-add counts as 2
///
/// @par Example
/// @code
/// const double gigaflops = 1e-9 * multiply_add_rate();
/// @endcode
///
/// @see Comparison, copy_rate
double multiply_add_rate();

}  // namespace sigma
