// SPDX-License-Identifier: BSL-1.0
#include <sigma/monitor/tap.hpp>
#include <sigma/storage/workspace.hpp>

#include <algorithm>
#include <bit>
#include <filesystem>

namespace sigma::monitor {

Tap::Tap() : ring_(capacity) {}

std::uint32_t Tap::number_of(std::string_view name, bool holds) {
    const std::scoped_lock lock(mutex_);
    const auto found = numbers_.find(name);
    if (found != numbers_.end()) return found->second;
    const auto number = static_cast<std::uint32_t>(names_.size());
    names_.push_back({std::string(name), holds});
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

/// Returns whether a number needs no series: a count that is the x axis itself, or a constant.
bool is_constant(std::string_view name) {
    return name == "seed" || name == "iteration" || name == "epoch" || name == "batch" || name == "epochs_planned" ||
           name == "network.parameters" || name.starts_with("iterator.");
}

}  // namespace

void Tap::put_change(std::uint32_t series, const Point& point) {
    constexpr std::uint64_t unknown = 0x7ff8'dead'beef'0001;  // a NaN that no computation gives
    if (known_.size() <= series) known_.resize(series + 1, unknown);
    const auto bits = std::bit_cast<std::uint64_t>(point.y);
    if (known_[series] == bits) return;
    if (put(series, point)) known_[series] = bits;
}

bool Tap::sample(const ReadOnlyRegistry& registry, double x, double seconds, std::string_view without, bool last) {
    using Clock = std::chrono::steady_clock;
    constexpr auto soon = std::chrono::milliseconds(1);
    const auto began = Clock::now();
    if (began < rest_ && !last) return false;
    at(x);
    registry.visit([&](std::string_view name, const sigma::detail::RegistryValue& value) {
        if (name == without || is_constant(name) || !is_number_type(value.type_name())) return;
        const auto number = value.number();
        if (!number) return;
        const bool holds = name != "loss";  // the loss belongs to a step
        if (holds) put_change(number_of(name, holds), {x, *number, seconds});
        else put(number_of(name, holds), {x, *number, seconds});
    });
    const auto ended = Clock::now();
    if (ended - began > soon)
        rest_ = ended + 50 * (ended - began);  // at most a fiftieth of the time for thousands of numbers
    return true;
}

void Tap::release() {
    if (released()) return;
    close();
    tail_.store(head_.load(std::memory_order_acquire) - capacity, std::memory_order_release);  // full from now on
    ring_ = {};
}

void Tap::set_device(std::string text) {
    const std::scoped_lock lock(mutex_);
    device_ = std::move(text);
}
std::string Tap::device() const {
    const std::scoped_lock lock(mutex_);
    return device_;
}

void Tap::set_workers(std::vector<WorkerStatus> workers) {
    const std::scoped_lock lock(mutex_);
    workers_ = std::move(workers);
}
std::vector<WorkerStatus> Tap::workers() const {
    const std::scoped_lock lock(mutex_);
    return workers_;
}

void Tap::put_model(ModelCopy copy) {
    auto put = std::make_shared<const ModelCopy>(std::move(copy));
    const std::scoped_lock lock(mutex_);
    model_.swap(put);
    std::uint64_t wanted = model_epoch_.load(std::memory_order_relaxed);
    if (wanted != never) model_epoch_.compare_exchange_strong(wanted, at_end, std::memory_order_relaxed);
}
std::shared_ptr<const ModelCopy> Tap::take_model() {
    const std::scoped_lock lock(mutex_);
    return std::exchange(model_, nullptr);
}

void Tap::line(std::string_view text) {
    const std::scoped_lock lock(mutex_);
    if (lines_.size() < 1000) lines_.emplace_back(text.substr(0, 4096));
}
std::vector<std::string> Tap::take_lines() {
    const std::scoped_lock lock(mutex_);
    return std::exchange(lines_, {});
}
void Tap::saved(const std::string& file) {
    std::error_code failed;
    std::string path = std::filesystem::absolute(storage::placed(file), failed).lexically_normal().string();
    const std::scoped_lock lock(mutex_);
    if (saved_.size() < 1000) saved_.push_back(std::move(path));
}
std::vector<std::string> Tap::take_saved() {
    const std::scoped_lock lock(mutex_);
    return std::exchange(saved_, {});
}

}  // namespace sigma::monitor
