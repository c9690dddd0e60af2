// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/monitor/panel.hpp>

#include "json.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace sigma::monitor {

class Board;
struct Shown;

/// A question about a panel that is shown.
struct PanelQuestion {
    /// Returns the panel's trainer. Throws Refusal if there is none.
    std::function<std::shared_ptr<Shown>()> trainer;
    bool pictures = false;   ///< includes pictures of records if true
    std::size_t record = 0;  ///< the chosen record
};

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

/// Throws ArgumentError for a panel that could never show anything.
void examine(const Panel& panel);
/// Returns names that do not depend on other panels, since browsers remember an arrangement by them: kind, title, and
/// trainer in ASCII letters and digits, with a number for later panels of the same name.
std::vector<std::string> ids_of(const std::vector<Panel>& panels);
/// Describes a panel for the page, without its trainer.
Json described(const Panel& panel);

}  // namespace sigma::monitor
