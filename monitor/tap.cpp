// SPDX-License-Identifier: BSL-1.0
#include <sigma/monitor/tap.hpp>

#include <algorithm>

namespace sigma::monitor {

Tap::Tap() : ring_(capacity) {}

std::uint32_t Tap::number_of(std::string_view name) {
    const std::scoped_lock lock(mutex_);
    const auto found = numbers_.find(name);
    if (found != numbers_.end()) return found->second;
    const auto number = static_cast<std::uint32_t>(names_.size());
    names_.emplace_back(name);
    numbers_.emplace(name, number);
    return number;
}

void Tap::see_names() {
    const std::scoped_lock lock(mutex_);
    names_seen_ = names_;
}

bool is_number_type(std::string_view type) {
    return type == "double" || type == "float" || type == "int" || type == "uint" ||
           ((type.starts_with("int") || type.starts_with("uint")) &&
            std::ranges::all_of(type.substr(type.find('t') + 1), [](char c) { return c >= '0' && c <= '9'; }));
}

namespace {

/// Counts that stand under the chart anyway, and what never changes.
bool is_constant(std::string_view name) {
    return name == "seed" || name == "iteration" || name == "epoch" || name == "batch" || name == "epochs_planned" ||
           name == "network.parameters" || name.starts_with("iterator.");
}

}  // namespace

void Tap::sample(const ReadOnlyRegistry& registry, double x, double seconds, std::string_view without) {
    registry.visit([&](std::string_view name, const RegistryValue& value) {
        if (name == without || is_constant(name) || !is_number_type(value.type_name())) return;
        if (const auto number = value.number()) put(number_of(name), {x, *number, seconds});
    });
}

void Tap::release() {
    if (released()) return;
    close();
    tail_.store(head_.load(std::memory_order_acquire) - capacity, std::memory_order_release);  // full for ever
    ring_ = {};
}

void Tap::tell_device(std::string text) {
    const std::scoped_lock lock(mutex_);
    device_ = std::move(text);
}
std::string Tap::device() const {
    const std::scoped_lock lock(mutex_);
    return device_;
}

void Tap::line(std::string_view text) {
    const std::scoped_lock lock(mutex_);
    if (lines_.size() < 1000) lines_.emplace_back(text.substr(0, 4096));
}
std::vector<std::string> Tap::take_lines() {
    const std::scoped_lock lock(mutex_);
    return std::exchange(lines_, {});
}

}  // namespace sigma::monitor
