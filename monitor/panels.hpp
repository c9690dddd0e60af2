// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/monitor/panel.hpp>

#include "json.hpp"

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
    /// The trainer that is meant. Throws Refusal where there is none.
    std::function<std::shared_ptr<Shown>()> trainer;
    bool pictures = false;  ///< are pictures of records wanted?
};

/// What a panel shows, and what it answers: one class for each kind.
class PanelKind {
public:
    explicit PanelKind(std::string_view kind) : word(kind) {}
    PanelKind(const PanelKind&) = delete;
    PanelKind& operator=(const PanelKind&) = delete;
    virtual ~PanelKind() = default;

    const std::string_view word;  ///< "chart"
    /// Throws ArgumentError for one that could never show anything.
    virtual void examine() const {}
    /// What the page is told beside its title.
    virtual void describe(Json&) const {}
    /// What a client asks of a panel of it that is shown. Any thread may ask. Throws Refusal.
    virtual Json answer(const Panel& panel, const PanelQuestion& question);
    /// For one more panel that is shown, where what answers cost is kept; none where nothing is.
    virtual sigma::detail::SharedOwner<PanelKind> another() const { return nullptr; }
};

/// Numbers over iterations, or as they are now: "chart", "bars", "ranked".
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

/// The kind of a panel, or none where it is of another one.
template <class Kind>
const Kind* as(const Panel& panel) {
    return dynamic_cast<const Kind*>(panel.kind.get());
}

/// Throws ArgumentError for a panel that could never show anything.
void examine(const Panel& panel);
/// Names that stay the same when other panels come or go, as browsers remember an arrangement by them: kind, title and
/// trainer in letters and digits of ASCII; of those alike, the later ones are numbered.
std::vector<std::string> ids_of(const std::vector<Panel>& panels);
/// What the page is told of a panel, besides whose it is.
Json described(const Panel& panel);

}  // namespace sigma::monitor
