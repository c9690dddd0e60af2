// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Profiles of training and of any other work: profile. Include it yourself: `<sigma/profile.hpp>`.
#include <sigma/core/error.hpp>
#include <sigma/device/profile.hpp>
#include <sigma/hook/time_step.hpp>
#include <sigma/hook/words.hpp>
#include <sigma/trainer/trainer.hpp>

#include <concepts>
#include <cstdint>

namespace sigma {

/// @cond internal
template <class What>
struct error_profile_counts_iterations_or_epochs;
struct use_iteration_or_epoch;

namespace detail {

template <class X>
concept ProfileScale = std::same_as<X, IterationWord> || std::same_as<X, EpochWord>;

}  // namespace detail
/// @endcond

/// Trains for some iterations or epochs, and measures the time of each kernel and of each part of the training loop.
///
/// The run continues where the previous one ended, with all hooks, and its results are bit-identical to those of a run
/// without a profile. Timing adds less than 2 % to steps of 3 microseconds or more: of short steps only every n-th is
/// timed. The profile contains everything that the process does meanwhile, such as predictions of
/// hooks.
///
/// On an accelerator the profile has the parts of the loop, and its kernels as far as the device measures them.
///
/// @param trainer  an idle trainer
/// @param count    number of iterations or epochs, at least 1. Use 100 or more, so that means are steady.
/// @param scale    `iteration` or `epoch`
/// @param device   the device that trains; default: one thread of the processor
/// @return times, bytes and operations
/// @throws ArgumentError  if `count` is 0
/// @throws Error          as `trainer.run(device)` does
///
/// @par Example
/// @code
/// // #include <sigma/profile.hpp>
/// const Profile measured = profile(trainer, 100, iteration);
/// std::puts(measured.text().c_str());
/// measured.write_trace("trace.json");
/// @endcode
/// @see Profile, docs/how-to/profile-a-step.md
template <class N, class O, class T, detail::ProfileScale Scale>
Profile profile(Trainer<N, O, T>& trainer, std::uint64_t count, Scale scale, const Device& device = cpu(1)) {
    if (count == 0) throw ArgumentError("profile", "1 iteration or epoch, or more", "0");
    const int stopping = trainer.add(after(count, scale).then(stop));
    struct Removal {
        Trainer<N, O, T>& of;
        int hook;
        ~Removal() { of.remove(hook); }
    } const removal{trainer, stopping};
    return detail::profile_of([&] { trainer.run(device); });
}
/// @cond internal
template <class N, class O, class T, class What>
    requires(!detail::ProfileScale<What>)
error_profile_counts_iterations_or_epochs<use_iteration_or_epoch> profile(Trainer<N, O, T>&, std::uint64_t, What,
                                                                          const Device& = cpu(1));
/// @endcond

/// Calls a function once, and measures the time of each kernel that runs meanwhile. Exceptions of the function pass
/// through.
///
/// @param work  the function, which for instance predicts
/// @return times, bytes and operations
///
/// @par Example
/// @code
/// // #include <sigma/profile.hpp>
/// const Profile of_predictions = profile([&] { trainer.predict(testing.inputs()); });
/// const double seconds = of_predictions["prediction"].seconds;
/// @endcode
/// @see Profile
template <std::invocable Work>
Profile profile(Work&& work) {
    return detail::profile_of([&] { work(); });
}

}  // namespace sigma
