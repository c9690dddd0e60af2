// SPDX-License-Identifier: BSL-1.0
// Distributions of tensors over a run, which are read even without clients.
#include "answer.hpp"
#include "board.hpp"
#include "panels.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace sigma::monitor {

namespace {

/// Reads the next tensor, between two steps of its trainer.
void read_next(Reading& reading, const ReadOnlyRegistry& registry, const std::vector<std::string>& patterns) {
    reading.values.clear();
    std::vector<std::pair<std::string, std::string>> all;
    for (const std::string& pattern : patterns)
        for (std::string& name : registry.resolve(pattern))
            if (all.size() < Reading::most && registry.type_name(name).starts_with("array"))
                all.emplace_back(pattern, std::move(name));
    reading.tensors = all.size();
    if (all.empty()) return;
    reading.next %= all.size();
    std::tie(reading.pattern, reading.name) = all[reading.next++];
    const auto iteration = registry.find<std::uint64_t>("iteration");
    reading.iteration = iteration ? *iteration : 0;
    const auto known = reading.known.find(reading.name);
    if (known != reading.known.end() && known->second == reading.iteration) return;
    if (auto found = array_at(registry, reading.name)) {
        reading.values = std::move(found->values);
        reading.known[reading.name] = reading.iteration;
    }
}

}  // namespace

/// Reads tensors without waiting for the trainer, so that a slow step delays no other trainer's data.
void Board::read_tensors(const std::shared_ptr<Shown>& trainer, bool first) {
    Reading& reading = trainer->reading;
    const auto now = std::chrono::steady_clock::now();
    if (reading.request) {
        if (!reading.request->done()) return;
        reading.request.reset();
        reading.due = now + std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                                std::chrono::duration<double>(reading.seconds / Reading::part));
        if (reading.next >= reading.tensors) reading.due = std::max(reading.due, reading.round + options_.tensors);
        if (!reading.values.empty()) {
            Distribution found(reading.iteration, reading.values, Distributions::bins);
            const std::scoped_lock lock(mutex_);
            auto& names = trainer->tensors[reading.pattern];
            if (std::ranges::find(names, reading.name) == names.end()) names.push_back(reading.name);
            Distributions& kept = trainer->distributions[reading.name];
            if (kept.append(std::move(found)) && folder_) folder_->add(trainer->name, reading.name, kept.all().back());
        }
    }
    if (now < reading.due) return;
    std::vector<std::string> patterns;
    {
        const std::scoped_lock lock(mutex_);
        for (const Panel& panel : panels_)
            if (const auto* shown = as<HistogramKind>(panel);
                shown != nullptr && (panel.trainer == trainer->name || (first && panel.trainer.empty())) &&
                std::ranges::find(patterns, shown->pattern) == patterns.end())
                patterns.push_back(shown->pattern);
    }
    if (patterns.empty()) return;
    if (reading.next >= reading.tensors) reading.next = 0, reading.round = now;
    try {
        const Remote& remote = trainer->watched.remote;
        if (remote.closed()) return;
        reading.request = remote.post([weak = std::weak_ptr(trainer), patterns = std::move(patterns)] {
            const auto one = weak.lock();
            if (!one) return;
            const auto began = std::chrono::steady_clock::now();
            try {
                read_next(one->reading, one->watched.registry, patterns);
            } catch (...) { one->reading.values.clear(); }  // a function of a registry value throws
            one->reading.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
        });
    } catch (...) {  // the trainer was destroyed
    }
}

Json Board::histogram(std::string_view trainer, const std::string& pattern, const std::string& name) const {
    const auto one = find(trainer);
    Json result = histogram_answer();
    const std::scoped_lock lock(mutex_);
    const auto tensors = one->tensors.find(pattern);
    if (tensors == one->tensors.end()) return result;
    result["names"] = tensors->second;
    const std::string& wanted = name.empty() ? tensors->second.front() : name;
    if (std::ranges::find(tensors->second, wanted) == tensors->second.end())
        throw Refusal{404, sentence("histogram '", shortened(name, 100), "': the panel shows no such tensor")};
    result["name"] = wanted;
    result["distributions"] = distributions_answer(one->distributions.at(wanted).all());
    return result;
}

}  // namespace sigma::monitor
