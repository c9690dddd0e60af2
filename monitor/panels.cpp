// SPDX-License-Identifier: BSL-1.0
#include <sigma/core/error.hpp>

#include "panels.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>

namespace sigma::monitor {

namespace {

constexpr std::size_t most_classes = 1000, most_records = 1000, most_maximised = 100, most_pixels = 65'536;

/// Classes of a dataset, where these are more than its names say.
std::size_t classes_of(const Dataset& data) {
    std::size_t classes = data.classes().size();
    for (std::size_t i = 0; i < std::min<std::size_t>(data.size(), 10'000); ++i)
        classes = std::max(classes, data.label(i) + 1);
    return classes;
}

void check_count(const char* what, std::size_t found, std::size_t most) {
    if (found == 0 || found > most) throw ArgumentError(what, sentence("1 to ", most), sentence(found));
}

/// "optimizer-learning-rate"
std::string plain_word(std::string_view text) {
    constexpr std::size_t longest = 60;
    std::string word;
    for (const char c : text.substr(0, longest)) {
        const bool fine = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (fine) word += c;
        else if (!word.empty() && word.back() != '-') word += '-';
    }
    if (word.ends_with('-')) word.pop_back();
    return word;
}

}  // namespace

Field slider(std::string name, double low, double high, Scale scale) {
    const std::string what = sentence("slider '", name, "'");
    if (!std::isfinite(low) || !std::isfinite(high) || !(low < high))
        throw ArgumentError(what, "a finite range, its lower end first", sentence(low, " to ", high));
    const bool positive = low > 0;
    if (scale == Scale::logarithmic && !positive)
        throw ArgumentError(what, "a positive range, as it is logarithmic", sentence(low, " to ", high));
    const bool logarithmic = scale == Scale::logarithmic || (scale == Scale::automatic && positive && high / low > 100);
    return {.name = std::move(name), .low = low, .high = high, .logarithmic = logarithmic};
}

Field choice(std::string name, std::vector<std::string> choices) {
    if (choices.empty()) throw ArgumentError(sentence("choice '", name, "'"), "at least one text", "none");
    return {.name = std::move(name), .choices = std::move(choices)};
}

void check(const Panel& panel) {
    if (panel.width && (*panel.width < 1 || *panel.width > 3))
        throw ArgumentError("width of a panel", "1 to 3 columns", sentence(*panel.width));
    if (panel.kind == "confusion") {
        if (!panel.data || !panel.data->has_labels())
            throw ArgumentError("confusion", "data with classes as targets", "other targets");
        check_count("classes of a confusion matrix", classes_of(*panel.data), most_classes);
    } else if (panel.kind == "table" && panel.data) {
        check_count("records of a table", panel.count, most_records);
    } else if (panel.kind == "ranked" && panel.data) {
        if (panel.count >= panel.data->size())
            throw ArgumentError("ranked record", sentence("one below ", panel.data->size()), sentence(panel.count));
    } else if (panel.kind == "maximised") {
        check_count("classes of maximised inputs", panel.count, most_maximised);
        sigma::detail::check_maximise_options(panel.maximise);
    } else if (panel.kind == "picture") {
        check_count("pixels of a picture", panel.rows * panel.columns, most_pixels);
    }
}

std::vector<std::string> ids_of(const std::vector<Panel>& panels) {
    std::vector<std::string> result;
    std::map<std::string, std::size_t> times;
    for (const Panel& panel : panels) {
        std::string id = panel.kind;
        for (const std::string* text : {&panel.title, &panel.trainer})
            if (const std::string word = plain_word(*text); !word.empty() && word != panel.kind)
                id += sentence("-", word);
        const std::size_t time = ++times[id];
        result.push_back(time == 1 ? id : sentence(id, "--", time));  // which no word has
    }
    return result;
}

Json described(const Panel& panel) {
    Json result{{"kind", panel.kind}, {"title", panel.title}};
    if (!panel.tab.empty()) result["tab"] = panel.tab;
    if (panel.width) result["width"] = *panel.width;
    if (!panel.series.empty()) result["series"] = panel.series;
    if (!panel.pattern.empty()) result[panel.kind == "weights" ? "parameter" : "pattern"] = panel.pattern;
    if (panel.rows > 0) result["rows"] = panel.rows, result["columns"] = panel.columns;
    if (panel.data) result["of_records"] = true;
    for (const Field& field : panel.fields) {
        Json& to = result["fields"][field.name] = Json::object();
        if (field.choices.empty()) to = {{"low", field.low}, {"high", field.high}, {"log", field.logarithmic}};
        else to["choices"] = field.choices;
        if (panel.pattern.empty()) result["names"].push_back(field.name);
    }
    return result;
}

}  // namespace sigma::monitor
