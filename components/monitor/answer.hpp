// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/monitor/distributions.hpp>
#include <sigma/monitor/run_folder.hpp>
#include <sigma/monitor/series.hpp>
#include <sigma/monitor/watched.hpp>

#include "json.hpp"

#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sigma::monitor {

/// Returns the time in seconds since 1970.
inline double seconds_now() {
    return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

/// Returns a value of the registry; null if there is none of that type.
template <class T>
Json value_or_null(const ReadOnlyRegistry& registry, std::string_view name) {
    try {
        if (const auto found = registry.find<T>(name)) return Json(*found);
    } catch (const Error&) {  // of another type
    }
    return nullptr;
}

/// Returns at most `most` bytes of a text, whole characters, followed by "…" if something is omitted.
inline std::string shortened(std::string text, std::size_t most) {
    if (text.size() <= most) return text;
    text.resize(most);
    while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0xC0) == 0x80) text.pop_back();
    if (!text.empty() && static_cast<unsigned char>(text.back()) >= 0xC0) text.pop_back();
    return text + "…";
}

/// Number of bytes up to which a text that a client may change is sent in full.
inline constexpr std::size_t most_edited = 16'384;

/// Makes the JSON of a part of a series: x (iterations), y (means), seconds (of running time), and low and high if
/// points were merged. `odd` lists numbers that are not finite, `last` is the last y of the whole series, and `held`
/// shows whether its points are changes.
Json history_answer(std::string_view name, const std::vector<Bucket>& buckets, double last, bool held);

/// Makes the JSON of a change by a user.
Json mark_answer(std::string_view trainer, const RunMark& mark);

/// Makes an empty answer for a histogram: names of tensors, the selected one, its distributions.
Json histogram_answer();
/// Makes the JSON of distributions.
Json distributions_answer(const std::deque<Distribution>& distributions);

/// Returns "idle", "running", "paused"; after a run "finished", "stopped", "failed"; "closed" if the trainer was
/// destroyed.
std::string state_of(const Remote& remote);

/// Reason that a client gets if a function of the program throws a type without a text.
inline constexpr const char* own_exception = "an exception of an unknown type";

/// An array as numbers in a row, with its shape.
struct ArrayNumbers {
    std::vector<std::size_t> shape;
    std::vector<double> values;
};
/// Returns an array of the registry; nothing if there is no array of numbers now.
std::optional<ArrayNumbers> array_at(const ReadOnlyRegistry& registry, const std::string& name);

/// Time that a client waits for the answer to another client's question.
inline constexpr auto patience = std::chrono::milliseconds(250);
struct Shown;
/// Throws a Refusal with status 429: another question is being answered.
[[noreturn]] void refuse_another(const Shown& trainer);
/// Locks the trainer for one question, so that a step waits for one client only. Throws Refusal after `patience`.
std::unique_lock<std::timed_mutex> only_question(const Shown& trainer, std::timed_mutex& mutex);

/// Calls f() between two iterations. Throws Refusal if f() fails, or if the run has already waited for such questions
/// for more than its share.
void between_steps(const Shown& trainer, const std::function<void()>& f);

}  // namespace sigma::monitor
