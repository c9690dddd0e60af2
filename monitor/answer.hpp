// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/monitor/distributions.hpp>
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

/// Since 1970.
inline double seconds_now() {
    return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

/// Null where there is none of that type.
template <class T>
Json value_or_null(const ReadOnlyRegistry& registry, std::string_view name) {
    try {
        if (const auto found = registry.find<T>(name)) return Json(*found);
    } catch (const Error&) {  // of another type
    }
    return nullptr;
}

/// At most so many bytes of it, whole characters, and "…" where something is left out.
inline std::string shortened(std::string text, std::size_t most) {
    if (text.size() <= most) return text;
    text.resize(most);
    while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0xC0) == 0x80) text.pop_back();
    if (!text.empty() && static_cast<unsigned char>(text.back()) >= 0xC0) text.pop_back();
    return text + "…";
}

/// Texts that a client may change are told whole up to so many bytes.
inline constexpr std::size_t most_edited = 16'384;

/// A part of a series as clients get it: x (iterations), y (means), seconds (of running time), and low and high where
/// points were merged; `odd` says where numbers are not finite; `last` is the last y of the whole series; `held`
/// whether its points are changes.
Json history_answer(std::string_view name, const std::vector<Bucket>& buckets, double last, bool held);

/// What a histogram is answered before anything is known: names of tensors, the one that is shown, its distributions.
Json histogram_answer();
Json distributions_answer(const std::deque<Distribution>& distributions);

/// "idle", "running", "paused"; after a run "finished", "stopped", "failed"; "closed" where there is none any more.
std::string state_of(const Remote& remote);

/// What a client is told where a function of the program throws something that says nothing.
inline constexpr const char* own_exception = "an exception of an unknown type";

/// An array as numbers in a row, with its shape.
struct ArrayNumbers {
    std::vector<std::size_t> shape;
    std::vector<double> values;
};
/// Nothing where there is no array of numbers now.
std::optional<ArrayNumbers> array_at(const ReadOnlyRegistry& registry, const std::string& name);

/// How long a client waits for another's question to be answered.
inline constexpr auto patience = std::chrono::milliseconds(250);
struct Shown;
/// 429.
[[noreturn]] void refuse_another(const Shown& trainer);
/// However many clients ask, a step waits for one of them. Throws Refusal where others stay.
std::unique_lock<std::timed_mutex> only_question(const Shown& trainer, std::timed_mutex& asking);

/// f() between two iterations, and no step waits for more than it. Throws Refusal, also where a run has waited for
/// such questions for more than its share.
void between_steps(const Shown& trainer, const std::function<void()>& f);

}  // namespace sigma::monitor
