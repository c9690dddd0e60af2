// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/monitor/panel.hpp>

#include "json.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace sigma::monitor {

struct ModelCopy;
struct PanelQuestion;
struct Shown;
struct Watched;

/// The contents and answers of a panel: one derived class for each kind.
class PanelKind {
public:
    explicit PanelKind(std::string_view kind) : word(kind) {}
    PanelKind(const PanelKind&) = delete;
    PanelKind& operator=(const PanelKind&) = delete;
    virtual ~PanelKind() = default;

    const std::string_view word;  ///< "chart"
    /// Throws ArgumentError for a panel that could never show anything.
    virtual void examine() const {}
    /// Throws ArgumentError if the panel can show nothing of this trainer.
    virtual void check_trainer(const Watched&) const {}
    /// Continues work that needs no client; each turn calls it. `copy` is a new copy of the trainer's model, or null.
    /// Lowers `epoch` to the one at whose end the panel wants a copy. Returns whether `kept` has changed.
    virtual bool follow(const Shown&, const std::shared_ptr<const ModelCopy>& /*copy*/, std::uint64_t& /*epoch*/) {
        return false;
    }
    /// Returns whether `follow` waits for a thread.
    virtual bool pending() const { return false; }
    /// Returns what the folder of the run keeps of this panel; null if there is nothing.
    virtual Json kept() const { return nullptr; }
    /// Adds the properties of the kind to the description for the page.
    virtual void describe(Json&) const {}
    /// Answers a client's question about a panel. Any thread may call it. Throws Refusal.
    virtual Json answer(const Panel& panel, const PanelQuestion& question);
    /// Returns a copy with its own cache for a further panel; null for a kind without a cache.
    virtual sigma::detail::SharedOwner<PanelKind> another() const { return nullptr; }
};

/// Numbers over iterations, or the latest ones: "chart", "bars", "ranked".
class LinesKind final : public PanelKind {
public:
    LinesKind(std::string_view kind, std::vector<std::string> names) : PanelKind(kind), series(std::move(names)) {}
    const std::vector<std::string> series;
    void describe(Json& to) const override { to["series"] = series; }
};

class ParametersKind final : public PanelKind {
public:
    ParametersKind(std::string names, std::vector<Field> set)
        : PanelKind("parameters"), pattern(std::move(names)), fields(std::move(set)) {}
    const std::string pattern;
    const std::vector<Field> fields;
    void describe(Json& to) const override;
};

class HistogramKind final : public PanelKind {
public:
    explicit HistogramKind(std::string names) : PanelKind("histogram"), pattern(std::move(names)) {}
    const std::string pattern;
    void describe(Json& to) const override {
        if (!pattern.empty()) to["pattern"] = pattern;
    }
};

/// Returns the kind of a panel; null if it is not a `Kind`.
template <class Kind>
const Kind* as(const Panel& panel) {
    return dynamic_cast<const Kind*>(panel.kind.get());
}

constexpr std::size_t most_pixels = 4096;  ///< maximum of a record's picture

/// Returns the number of classes: that of the names or, if larger, of the labels of the first 10,000 records.
std::size_t classes_of(const Dataset& data);
void check_count(const char* what, std::size_t found, std::size_t most);
/// Returns the index of the first largest number; for one number, whether it is at least 1/2.
std::size_t class_of(const std::vector<double>& prediction);

/// Throws ArgumentError for a panel that could never show anything.
void examine(const Panel& panel);
/// Returns names that do not depend on other panels, since browsers remember an arrangement by them: kind, title, and
/// trainer in ASCII letters and digits, with a number for later panels of the same name.
std::vector<std::string> ids_of(const std::vector<Panel>& panels);
/// Describes a panel for the page, without its trainer.
Json described(const Panel& panel);

}  // namespace sigma::monitor
