// SPDX-License-Identifier: BSL-1.0
// The kinds of panels: their descriptions and answers.
#include <sigma/core/error.hpp>

#include "answer.hpp"
#include "board.hpp"
#include "panels.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <exception>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

namespace sigma::monitor {

namespace {

constexpr std::size_t most_classes = 1000, most_records = 1000, most_maximised = 100, most_picture = 65'536;
constexpr std::size_t most_columns = 8, most_own_rows = 10'000, most_values = 16'384;

/// Converts a text to letters, digits, and hyphens: "optimizer-learning-rate".
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

/// Calls f() and converts its exceptions to Refusal.
template <class F>
auto refusing(F f) -> decltype(f()) {
    try {
        return f();
    } catch (const Refusal&) { throw; } catch (const StateError& error) {
        throw Refusal{409, error.what()};
    } catch (const std::exception& error) { throw Refusal{400, error.what()}; } catch (...) {
        throw Refusal{500, sentence("panel could not be filled: ", own_exception)};
    }
}

std::string class_name(const std::vector<std::string>& names, std::size_t number) {
    return number < names.size() ? names[number] : sentence(number);
}

template <class Numbers>
Json all_of(const Numbers& numbers) {
    Json result = Json::array();
    for (const auto x : numbers) result.push_back(number_or_null(static_cast<double>(x)));
    return result;
}

/// Rows and columns of an input that can be shown as a picture, with the mean of its channels.
struct Picture {
    std::size_t rows = 0, columns = 0, channels = 1;

    explicit Picture(std::span<const std::size_t> shape) {
        if (shape.size() != 2 && shape.size() != 3) return;
        if (shape[0] * shape[1] > most_pixels) return;
        rows = shape[0], columns = shape[1];
        if (shape.size() == 3) channels = shape[2];
    }
    explicit operator bool() const { return rows * columns > 0; }
    Json pixels(std::span<const float> record) const {
        Json result = Json::array();
        for (std::size_t i = 0; i < rows * columns; ++i) {
            double sum = 0;
            for (std::size_t c = 0; c < channels; ++c) sum += static_cast<double>(record[i * channels + c]);
            result.push_back(number_or_null(std::round(1000 * sum / static_cast<double>(channels)) / 1000));
        }
        return result;
    }
};

// ---- answers that are kept for a second ----

/// A cached answer about a trainer, computed at most once a second. So many clients cost a run as much as one, and none
/// occupies a server thread for long.
template <class T>
class ForASecond {
public:
    std::shared_ptr<const T> get(const Shown& trainer, const std::function<T()>& compute) {
        const std::unique_lock computing(computing_, patience);
        {
            const std::scoped_lock lock(mutex_);
            const bool new_enough = std::chrono::steady_clock::now() - when_ < std::chrono::seconds(1);
            if (kept_ && (new_enough || !computing)) return kept_;
        }
        if (!computing) refuse_another(trainer);
        auto found = std::make_shared<const T>(refusing(compute));
        const std::scoped_lock lock(mutex_);
        when_ = std::chrono::steady_clock::now();
        return kept_ = std::move(found);
    }

private:
    std::timed_mutex computing_;
    std::mutex mutex_;  // guards the members below
    std::chrono::steady_clock::time_point when_{};
    std::shared_ptr<const T> kept_;
};

/// Cached predictions for records.
class Predictions {
public:
    std::shared_ptr<const std::vector<std::vector<double>>> by(const Shown& trainer, const Dataset& records) {
        if (!trainer.watched.predict_records)
            throw Refusal{
                400, sentence("records of trainer '", trainer.name,
                              "': records can only be predicted by a network of one input that was passed to watch()")};
        return kept_.get(trainer, [&] { return trainer.watched.predict_records(records); });
    }

private:
    ForASecond<std::vector<std::vector<double>>> kept_;
};

// ---- kinds ----

class PlainKind final : public PanelKind {
public:
    using PanelKind::PanelKind;
};

/// A grid of rows and columns: a parameter's numbers, or a drawing area.
class GridKind final : public PanelKind {
public:
    GridKind(std::string_view kind, std::string parameter, std::size_t rows, std::size_t columns)
        : PanelKind(kind), parameter_(std::move(parameter)), rows_(rows), columns_(columns) {}
    void describe(Json& to) const override {
        if (!parameter_.empty()) to["parameter"] = parameter_;
        if (rows_ > 0) to["rows"] = rows_, to["columns"] = columns_;
    }

private:
    std::string parameter_;
    std::size_t rows_, columns_;
};

class PictureKind final : public PanelKind {
public:
    using Numbers = sigma::detail::AnyFunction<std::vector<float>()>;
    PictureKind(std::size_t rows, std::size_t columns, Numbers numbers)
        : PanelKind("picture"), rows_(rows), columns_(columns), numbers_(std::move(numbers)) {}
    void examine() const override { check_count("pixels of a picture", rows_ * columns_, most_picture); }
    void describe(Json& to) const override { to["rows"] = rows_, to["columns"] = columns_; }
    Json answer(const Panel& panel, const PanelQuestion&) override {
        const std::vector<float> numbers = refusing([&] { return numbers_(); });
        if (numbers.size() != rows_ * columns_)
            throw Refusal{400, sentence("picture '", panel.title, "': expected ", rows_ * columns_, " numbers, found ",
                                        numbers.size())};
        return {{"rows", rows_}, {"columns", columns_}, {"values", all_of(numbers)}};
    }

private:
    std::size_t rows_, columns_;
    Numbers numbers_;
};

class OwnTableKind final : public PanelKind {
public:
    using Fill = sigma::detail::AnyFunction<Rows()>;
    OwnTableKind(std::vector<std::string> heads, Fill rows)
        : PanelKind("table"), heads_(std::move(heads)), fill_(std::move(rows)) {}
    Json answer(const Panel&, const PanelQuestion&) override {
        const Rows rows = refusing([&] { return fill_(); });
        Json result{{"columns", heads_}, {"rows", Json::array()}};
        for (std::size_t i = 0; i < std::min(rows.size(), most_own_rows); ++i) {
            Json row = Json::array();
            for (const Cell& cell : rows[i])
                row.push_back(std::holds_alternative<double>(cell) ? number_or_null(std::get<double>(cell))
                                                                   : Json(std::get<std::string>(cell)));
            result["rows"].push_back(std::move(row));
        }
        return result;
    }

private:
    std::vector<std::string> heads_;
    Fill fill_;
};

/// A panel of a data set, with the number or the index of its records.
template <class Self>
class DataKind : public PanelKind {
public:
    void describe(Json& to) const override { to["of_records"] = true; }
    sigma::detail::SharedOwner<PanelKind> another() const override {
        return sigma::detail::SharedOwner<Self>::make(data_, number_);
    }

protected:
    DataKind(const char* kind, Dataset data, std::size_t number)
        : PanelKind(kind), data_(std::move(data)), number_(number) {}
    Dataset data_;
    std::size_t number_;
};

class TableKind final : public DataKind<TableKind> {
public:
    TableKind(const Dataset& data, std::size_t count) : DataKind("table", data, count) {}
    void examine() const override { check_count("records of a table", number_, most_records); }
    Json answer(const Panel&, const PanelQuestion& question) override {
        const Dataset records = data_.range(0, std::min(number_, data_.size()));
        const auto kept = predictions_.by(*question.trainer(), records);
        return refusing([&] { return table_of(records, *kept, question.pictures); });
    }

private:
    Predictions predictions_;

    static Json table_of(const Dataset& records, const std::vector<std::vector<double>>& predictions, bool pictures) {
        const std::vector<std::string>& names = records.classes();
        const bool labels = records.has_labels();
        const Picture picture(records.input_shape());
        Json result{{"columns", Json::array({"record"})}, {"rows", Json::array()}};
        const std::size_t inputs = records.input_size() <= most_columns && !picture ? records.input_size() : 0;
        const auto sections = records.sections();
        for (std::size_t i = 0; i < inputs; ++i) {
            const auto& columns = sections.front().columns;
            result["columns"].push_back(i < columns.size() ? columns[i] : sentence("input ", i));
        }
        for (const char* head : {"target", "prediction"}) result["columns"].push_back(head);
        if (labels) result["columns"].push_back("probability");
        if (picture) result["picture"] = {{"rows", picture.rows}, {"columns", picture.columns}};
        for (std::size_t i = 0; i < predictions.size(); ++i) {
            const std::vector<double>& prediction = predictions[i];
            const sigma::detail::Record input = records.input(i), target = records.target(i);
            Json row = Json::array({i});
            for (std::size_t k = 0; k < inputs; ++k) row.push_back(number_or_null(static_cast<double>(input[k])));
            if (labels) {
                const std::size_t is = records.label(i), taken = class_of(prediction);
                const double share = prediction.size() == 1 && taken == 0
                                         ? 1 - prediction[0]
                                         : prediction[prediction.size() == 1 ? 0 : taken];
                row.push_back(class_name(names, is));
                row.push_back(class_name(names, taken));
                row.push_back(number_or_null(share));
                result["wrong"].push_back(is != taken);
            } else {
                row.push_back(all_of(target.first(std::min(target.size(), most_columns))));
                row.push_back(all_of(std::span(prediction).first(std::min(prediction.size(), most_columns))));
            }
            result["rows"].push_back(std::move(row));
            if (pictures && picture) result["pictures"].push_back(picture.pixels(input));
        }
        return result;
    }
};

class RankingKind final : public DataKind<RankingKind> {
public:
    RankingKind(const Dataset& data, std::size_t record) : DataKind("ranked", data, record) {}
    void examine() const override {
        if (number_ >= data_.size())
            throw ArgumentError("ranked record", sentence("an index below ", data_.size()), sentence(number_));
    }
    Json answer(const Panel&, const PanelQuestion& question) override {
        const Dataset record = data_.range(number_, 1);
        const auto kept = predictions_.by(*question.trainer(), record);
        return refusing([&] {
            const std::vector<double>& prediction = kept->at(0);
            std::vector<std::pair<double, std::size_t>> order;
            for (std::size_t i = 0; i < prediction.size(); ++i) order.emplace_back(-prediction[i], i);
            std::ranges::sort(order);
            if (order.size() > 100) order.resize(100);
            Json result{{"values", Json::array()}};
            for (const auto& [negated, i] : order)
                result["values"].push_back({class_name(record.classes(), i), number_or_null(-negated)});
            if (record.has_labels()) result["target"] = class_name(record.classes(), record.label(0));
            if (const Picture picture(record.input_shape()); picture) {
                result["picture"] = {{"rows", picture.rows}, {"columns", picture.columns}};
                result["pixels"] = picture.pixels(record.input(0));
            }
            return result;
        });
    }

private:
    Predictions predictions_;
};

/// The outputs of all layers for a record that the client chooses.
class ActivationsKind final : public DataKind<ActivationsKind> {
public:
    explicit ActivationsKind(const Dataset& data, std::size_t = 0) : DataKind("activations", data, 0) {}
    void describe(Json& to) const override { to["records"] = data_.size(); }
    Json answer(const Panel&, const PanelQuestion& question) override {
        const auto one = question.trainer();
        const Watched& watched = one->watched;
        if (!watched.activations)
            throw Refusal{400,
                          sentence("activations of trainer '", one->name,
                                   "': only a network of one input that was passed to watch() can compute one record")};
        if (question.record >= data_.size())
            throw Refusal{400,
                          sentence("'record': expected an index below ", data_.size(), ", found ", question.record)};
        const Dataset record = data_.range(question.record, 1);
        const sigma::detail::Record input = record.input(0);
        if (input.size() != watched.inputs)
            throw Refusal{400, sentence("activations of trainer '", one->name, "': expected records of ",
                                        watched.inputs, " numbers, found ", input.size())};
        const std::vector<double> numbers(input.begin(), input.end());
        const auto alone = only_question(*one, one->predicting);
        std::vector<std::vector<double>> outputs;
        between_steps(*one, [&] { outputs = watched.activations(numbers); });
        Json result{{"record", question.record}, {"layers", Json::array()}};
        if (record.has_labels()) result["target"] = class_name(record.classes(), record.label(0));
        for (std::size_t i = 0; i < std::min(outputs.size(), watched.nodes.size()); ++i)
            result["layers"].push_back(layer_of(watched.nodes[i], outputs[i]));
        return result;
    }

private:
    static Json layer_of(const GraphNode& node, const std::vector<double>& output) {
        std::size_t zeros = 0;
        for (const double x : output) zeros += x == 0;
        const Distribution range(0, output, 1);
        std::vector<double> shown(output.begin(),
                                  output.begin() + static_cast<std::ptrdiff_t>(std::min(output.size(), most_values)));
        for (double& x : shown) x = std::round(x * 1e4) / 1e4;
        return {{"name", node.name},
                {"kind", node.kind},
                {"shape", node.shape},
                {"count", output.size()},
                {"zeros", zeros},
                {"low", number_or_null(range.low)},
                {"high", number_or_null(range.high)},
                {"values", all_of(shown)}};
    }
};

class ConfusionKind final : public DataKind<ConfusionKind> {
public:
    explicit ConfusionKind(const Dataset& data, std::size_t = 0) : DataKind("confusion", data, 0) {}
    void examine() const override {
        if (!data_.has_labels())
            throw ArgumentError("confusion", "data with classes as targets", "targets without classes");
        check_count("classes of a confusion matrix", classes_of(data_), most_classes);
    }
    Json answer(const Panel&, const PanelQuestion& question) override {
        const auto one = question.trainer();
        if (!one->watched.classify)
            throw Refusal{400, sentence("confusion of trainer '", one->name,
                                        "': a confusion matrix needs a network that classifies, and data with labels")};
        return *kept_.get(*one, [&] {
            const auto alone = only_question(*one, one->classifying);
            return matrix(one->name, one->watched.classify(data_, 10'000));
        });
    }

private:
    ForASecond<Json> kept_;

    Json matrix(const std::string& trainer, const std::vector<std::size_t>& found) const {
        std::vector<std::string> names = data_.classes();
        std::size_t classes = names.size();
        for (std::size_t i = 0; i < found.size(); ++i) classes = std::max({classes, found[i] + 1, data_.label(i) + 1});
        if (classes > most_classes)
            throw Refusal{
                400, sentence("confusion of trainer '", trainer, "': expected at most 1000 classes, found ", classes)};
        std::vector<std::vector<std::uint64_t>> counts(classes, std::vector<std::uint64_t>(classes, 0));
        for (std::size_t i = 0; i < found.size(); ++i) ++counts[data_.label(i)][found[i]];
        for (std::size_t i = names.size(); i < classes; ++i) names.push_back(sentence(i));
        return {{"classes", names}, {"counts", counts}};
    }
};

// ---- inputs that maximize classes: searched on a separate thread, with a copy of the parameters ----

/// Makes a picture of an input: the mean of its channels; a vector becomes a square, or else a row.
Json drawn(const MaximisedInput& found, const std::vector<std::size_t>& shape) {
    std::size_t rows = 1, columns = found.input.size(), channels = 1;
    if (shape.size() >= 2) {
        rows = shape[0], columns = shape[1];
        channels = found.input.size() / (rows * columns);
    } else if (const auto side = static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(columns))));
               side * side == columns) {
        rows = columns = side;
    }
    Json values = Json::array();
    for (std::size_t i = 0; i < rows * columns; ++i) {
        double sum = 0;
        for (std::size_t c = 0; c < channels; ++c) sum += found.input[i * channels + c];
        values.push_back(std::round(1e4 * sum / static_cast<double>(channels)) / 1e4);
    }
    return {{"rows", rows}, {"columns", columns}, {"values", std::move(values)}};
}

Json pictures_of(const std::vector<MaximisedInput>& found, const Watched& watched) {
    Json result = Json::array();
    for (std::size_t i = 0; i < found.size(); ++i) {
        Json one = drawn(found[i], watched.input_shape);
        const auto& p = found[i].prediction;
        const double share = p.size() == 1 ? (i == 0 ? 1 - p[0] : p[0]) : i < p.size() ? p[i] : 0;
        one["class"] = i < watched.classes.size() ? watched.classes[i] : sentence(i);
        one["probability"] = std::isfinite(share) ? Json(share) : Json(nullptr);
        one["success"] = found[i].success;
        result.push_back(std::move(one));
    }
    return result;
}

class MaximisedKind final : public PanelKind {
public:
    MaximisedKind(std::size_t classes, const MaximiseOptions& options)
        : PanelKind("maximised"), classes_(classes), options_(options) {}
    void examine() const override {
        check_count("classes of maximised inputs", classes_, most_maximised);
        sigma::detail::check_maximise_options(options_);
    }
    sigma::detail::SharedOwner<PanelKind> another() const override {
        return sigma::detail::SharedOwner<MaximisedKind>::make(classes_, options_);
    }
    ~MaximisedKind() override {
        stopping_ = true;
        if (worker_.joinable()) worker_.join();
    }
    Json answer(const Panel&, const PanelQuestion& question) override {
        constexpr auto least_time = std::chrono::seconds(3);
        const auto one = question.trainer();
        if (!one->watched.maximise)
            throw Refusal{400, sentence("maximised inputs of trainer '", one->name,
                                        "': only a network that classifies one input of numbers has maximised inputs")};
        const std::scoped_lock lock(mutex_);
        if (!computing_ && std::chrono::steady_clock::now() - when_ >= least_time) {
            computing_ = true;
            if (worker_.joinable()) worker_.join();
            worker_ = std::thread([this, one] { look(*one); });
        }
        if (refused_) throw *refused_;
        return {{"inputs", found_}, {"computing", computing_}};
    }

private:
    const std::size_t classes_;
    const MaximiseOptions options_;
    std::mutex mutex_;  // guards all but the thread; not held during a search
    Json found_ = Json::array();
    std::optional<Refusal> refused_;  ///< reason why the last search failed
    bool computing_ = false;
    std::chrono::steady_clock::time_point when_{};
    std::atomic<bool> stopping_ = false;
    std::thread worker_;  // last: it uses all other members

    void look(const Shown& trainer) {
        Json inputs = Json::array();
        std::optional<Refusal> reason;
        try {
            inputs = pictures_of(trainer.watched.maximise(classes_, options_, [&] { return stopping_.load(); }),
                                 trainer.watched);
        } catch (const StateError& why) { reason = Refusal{409, why.what()}; } catch (const std::exception& why) {
            reason = Refusal{400, why.what()};
        } catch (...) { reason = Refusal{500, sentence("maximised inputs could not be found: ", own_exception)}; }
        const std::scoped_lock lock(mutex_);
        if (!reason) found_ = std::move(inputs);
        refused_ = std::move(reason);
        computing_ = false;
        when_ = std::chrono::steady_clock::now();
    }
};

template <class Kind, class... A>
Panel panel_of(std::string title, A&&... arguments) {
    return {.kind = sigma::detail::SharedOwner<Kind>::make(std::forward<A>(arguments)...), .title = std::move(title)};
}
std::string joined(const std::vector<std::string>& names) {
    std::string text;
    for (const auto& name : names) text += sentence(text.empty() ? "" : ", ", name);
    return text;
}

}  // namespace

// ---- functions that make panels ----

Field slider(std::string name, double low, double high, Scale scale) {
    const std::string what = sentence("slider '", name, "'");
    if (!std::isfinite(low) || !std::isfinite(high) || !(low < high))
        throw ArgumentError(what, "a finite range, its lower end first", sentence(low, " to ", high));
    const bool positive = low > 0;
    if (scale == Scale::logarithmic && !positive)
        throw ArgumentError(what, "a positive range for a logarithmic scale", sentence(low, " to ", high));
    const bool logarithmic = scale == Scale::logarithmic || (scale == Scale::automatic && positive && high / low > 100);
    return {.name = std::move(name), .low = low, .high = high, .logarithmic = logarithmic};
}

Field choice(std::string name, std::vector<std::string> choices) {
    if (choices.empty()) throw ArgumentError(sentence("choice '", name, "'"), "one text or more", "0");
    return {.name = std::move(name), .choices = std::move(choices)};
}

Panel detail::lines(const char* kind, std::vector<std::string> series) {
    std::string title = joined(series);
    return panel_of<LinesKind>(std::move(title), kind, std::move(series));
}
Panel detail::parameters(std::string pattern, std::vector<Field> fields) {
    std::string title = pattern;
    if (pattern.empty())
        for (const Field& field : fields) title += sentence(title.empty() ? "" : ", ", field.name);
    return panel_of<ParametersKind>(std::move(title), std::move(pattern), std::move(fields));
}
Panel detail::plain(const char* kind, const char* title) { return panel_of<PlainKind>(title, kind); }

Panel ranked(Dataset data, std::size_t record) {
    return panel_of<RankingKind>(sentence("record ", record), std::move(data), record);
}
Panel activations(Dataset data) { return panel_of<ActivationsKind>("activations", std::move(data)); }
Panel confusion(Dataset data) { return panel_of<ConfusionKind>("confusion", std::move(data)); }
Panel table(Dataset data, std::size_t records) {
    std::string title = data.name();
    return panel_of<TableKind>(std::move(title), std::move(data), records);
}
Panel table(std::string title, std::vector<std::string> columns, sigma::detail::AnyFunction<Rows()> rows) {
    return panel_of<OwnTableKind>(std::move(title), std::move(columns), std::move(rows));
}
Panel picture(std::string title, std::size_t rows, std::size_t columns,
              sigma::detail::AnyFunction<std::vector<float>()> numbers) {
    return panel_of<PictureKind>(std::move(title), rows, columns, std::move(numbers));
}
Panel histogram(std::string pattern) { return panel_of<HistogramKind>(pattern, pattern); }
Panel weights(std::string parameter, std::size_t rows, std::size_t columns) {
    return panel_of<GridKind>(parameter, "weights", parameter, rows, columns);
}
Panel maximised(std::size_t classes, const MaximiseOptions& options) {
    return panel_of<MaximisedKind>("maximised inputs", classes, options);
}
Panel draw_digit(std::size_t rows, std::size_t columns) {
    return panel_of<GridKind>("draw", "draw", "", rows, columns);
}

// ---- all kinds ----

std::size_t classes_of(const Dataset& data) {
    std::size_t classes = data.classes().size();
    for (std::size_t i = 0; i < std::min<std::size_t>(data.size(), 10'000); ++i)
        classes = std::max(classes, data.label(i) + 1);
    return classes;
}

void check_count(const char* what, std::size_t found, std::size_t most) {
    if (found == 0 || found > most) throw ArgumentError(what, sentence("1 to ", most), sentence(found));
}

std::size_t class_of(const std::vector<double>& prediction) {
    if (prediction.size() == 1) return prediction[0] >= 0.5 ? 1 : 0;
    return static_cast<std::size_t>(std::ranges::max_element(prediction) - prediction.begin());
}

void ParametersKind::describe(Json& to) const {
    if (!pattern.empty()) to["pattern"] = pattern;
    for (const Field& field : fields) {
        Json& one = to["fields"][field.name] = Json::object();
        if (field.choices.empty()) one = {{"low", field.low}, {"high", field.high}, {"log", field.logarithmic}};
        else one["choices"] = field.choices;
        if (pattern.empty()) to["names"].push_back(field.name);
    }
}

Json PanelKind::answer(const Panel& panel, const PanelQuestion&) {
    throw Refusal{400, sentence("panel '", panel.title, "': it shows numbers, not a record")};
}

void examine(const Panel& panel) {
    if (panel.width && (*panel.width < 1 || *panel.width > 3))
        throw ArgumentError("width of a panel", "1 to 3 columns", sentence(*panel.width));
    panel.kind->examine();
}

std::vector<std::string> ids_of(const std::vector<Panel>& panels) {
    std::vector<std::string> result;
    std::map<std::string, std::size_t> times;
    for (const Panel& panel : panels) {
        const std::string_view kind = panel.kind->word;
        std::string id(kind);
        for (const std::string* text : {&panel.title, &panel.trainer})
            if (const std::string word = plain_word(*text); !word.empty() && word != kind) id += sentence("-", word);
        const std::size_t time = ++times[id];
        result.push_back(time == 1 ? id : sentence(id, "--", time));  // "--" is in no name
    }
    return result;
}

Json described(const Panel& panel) {
    Json result{{"kind", panel.kind->word}, {"title", panel.title}};
    if (!panel.tab.empty()) result["tab"] = panel.tab;
    if (panel.width) result["width"] = *panel.width;
    panel.kind->describe(result);
    return result;
}

}  // namespace sigma::monitor
