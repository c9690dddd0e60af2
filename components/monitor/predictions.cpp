// SPDX-License-Identifier: BSL-1.0
// The predictions of a classifier: its errors, a confusion matrix, and counts at thresholds.
#include <sigma/core/error.hpp>
#include <sigma/core/number_text.hpp>
#include <sigma/storage/workspace.hpp>

#include "answer.hpp"
#include "board.hpp"
#include "panels.hpp"
#include "provenance.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <numeric>
#include <optional>
#include <span>
#include <tuple>
#include <utility>

namespace sigma::monitor {

namespace {

constexpr std::size_t most_classes = 100, most_records = 10'000, most_shown = 64, most_numbers = 8;
constexpr int steps = 100;  ///< thresholds 0, 0.01, … 1
constexpr int rest = 19;    ///< The monitor predicts in at most a twentieth of the run's time.

/// Returns the probability of a class; 0 if it is not a number.
double share_of(const std::vector<double>& prediction, std::size_t of) {
    const double x = prediction.size() > 1 ? prediction[of] : of == 1 ? prediction[0] : 1 - prediction[0];
    return std::isnan(x) ? 0 : std::clamp(x, 0.0, 1.0);
}

double rounded(double x) { return std::round(1e4 * x) / 1e4; }

/// Returns the number of the largest threshold that a probability reaches.
std::size_t step_of(double share) {
    const auto reached = [&](std::size_t step) { return static_cast<double>(step) / steps <= share; };
    const auto step = static_cast<std::size_t>(share * steps);
    return step < steps && reached(step + 1) ? step + 1 : reached(step) ? step : step - 1;
}

class PredictionsKind final : public PanelKind {
public:
    PredictionsKind(Dataset data, PredictionsOptions options)
        : PanelKind("predictions"), data_(std::move(data)), options_(options),
          classes_(data_.has_labels() ? classes_of(data_) : 0) {}
    sigma::detail::SharedOwner<PanelKind> another() const override {
        return sigma::detail::SharedOwner<PredictionsKind>::make(data_, options_);
    }
    void examine() const override {
        if (!data_.has_labels())
            throw ArgumentError("predictions", "data with classes as targets", "targets without classes");
        check_count("classes of predictions", classes_, most_classes);
        check_count("records of predictions", options_.records, most_records);
        if (options_.epochs == 0) throw ArgumentError("epochs of predictions", "1 or more", "0");
    }
    void check_trainer(const Watched& watched) const override {
        const std::string where = sentence("predictions of trainer '", watched.name, "'");
        if (!watched.classify || !watched.copy_model)
            throw ArgumentError(where, "a network with one input and one loss that classifies",
                                sentence("'", watched.network, "'"));
        if (data_.input_size() != watched.inputs)
            throw ArgumentError(where, sentence("records of ", watched.inputs, " numbers"),
                                sentence(data_.input_size()));
        const std::size_t classes = std::max<std::size_t>(watched.outputs, 2);
        check_count("classes of a network with predictions", classes, most_classes);
        if (classes_ > classes)
            throw ArgumentError(where, sentence("data of at most ", classes, " classes"), sentence(classes_));
    }
    bool follow(const Shown& trainer, const std::shared_ptr<const ModelCopy>& copy, std::uint64_t& epoch) override;
    bool pending() const override {
        const std::scoped_lock lock(mutex_);
        return computing_ || (waiting_ && waiting_->last);
    }
    Json kept() const override;
    Json answer(const Panel& panel, const PanelQuestion& question) override;

private:
    const Dataset data_;
    const PredictionsOptions options_;
    const std::size_t classes_;               ///< number of classes in the data
    mutable std::mutex mutex_;                // guards the members below; held briefly
    Json found_ = nullptr, worst_ = nullptr;  ///< the predictions, and the inputs of the worst
    const void* of_ = nullptr;                ///< the trainer
    std::uint64_t version_ = 0;
    std::string failure_{};
    std::shared_ptr<const ModelCopy> waiting_{};  ///< the next to predict with
    std::chrono::steady_clock::time_point began_{}, due_{};
    std::optional<Gathering> computing_{};  // last: it uses the data

    Json predicted(const ModelCopy& model, const Halted& halted) const;
    Json counted(const std::vector<std::vector<double>>& predictions) const;
    Json inputs_of(std::span<const std::size_t> records) const;
    std::vector<std::size_t> indices_in(std::string_view list) const;
    void look_first(Shown& trainer);
};

/// Predicts in parts, so that the end of the program does not wait for long.
Json PredictionsKind::predicted(const ModelCopy& model, const Halted& halted) const try {
    constexpr std::size_t part = 250;
    std::vector<std::vector<double>> all;
    const std::size_t count = std::min(options_.records, data_.size());
    while (all.size() < count && !halted())
        for (auto& one : model.predict(data_.range(all.size(), std::min(part, count - all.size()))))
            all.push_back(std::move(one));
    if (all.size() < count) return Json::object();
    Json result = counted(all);
    std::vector<std::size_t> worst;
    for (const Json& row : result["rows"])
        if (worst.size() < most_shown) worst.push_back(row[0].get<std::size_t>());
    result["worst"] = inputs_of(worst);
    result["epoch"] = model.epoch, result["iteration"] = model.iteration, result["of"] = data_.size();
    return result;
} catch (const std::exception& error) { return {{"failure", error.what()}}; }

/// Sorts the records: errors first, and of these the ones with the largest loss.
Json PredictionsKind::counted(const std::vector<std::vector<double>>& predictions) const {
    using Counts = std::vector<std::vector<std::size_t>>;
    const std::size_t classes = predictions.empty() ? 2 : std::max<std::size_t>(predictions[0].size(), 2);
    Counts counts(classes, std::vector<std::size_t>(classes));
    Counts positive(classes, std::vector<std::size_t>(steps + 1)), negative = positive;
    std::vector<std::tuple<bool, double, std::size_t>> order;  // right, -loss, record
    for (std::size_t i = 0; i < predictions.size(); ++i) {
        const std::size_t is = data_.label(i), taken = class_of(predictions[i]);
        if (is >= classes) continue;  // a class that the network does not know, or a target that is ignored
        order.emplace_back(is == taken, std::log(share_of(predictions[i], is)), i);
        ++counts[is][taken];
        for (std::size_t k = 0; k < classes; ++k)
            ++(k == is ? positive : negative)[k][step_of(share_of(predictions[i], k))];
    }
    for (Counts* all : {&positive, &negative})
        for (auto& count : *all) std::partial_sum(count.rbegin(), count.rend(), count.rbegin());
    std::ranges::sort(order);
    Json result{{"counts", counts}, {"positive", positive}, {"negative", negative}, {"rows", Json::array()}};
    for (const auto& [right, negated, i] : order) {
        const std::size_t is = data_.label(i), taken = class_of(predictions[i]);
        result["rows"].push_back({i, is, taken, rounded(share_of(predictions[i], taken)),
                                  rounded(share_of(predictions[i], is)), number_or_word(rounded(0 - negated))});
    }
    const std::vector<std::string>& names = data_.classes();
    for (std::size_t k = 0; k < classes; ++k)
        result["classes"].push_back(k < names.size() ? shortened(names[k], 60) : sentence(k));
    return result;
}

/// Returns the inputs of records: the bytes of an image as hexadecimal digits, or else the first numbers.
Json PredictionsKind::inputs_of(std::span<const std::size_t> records) const {
    Json result{{"inputs", Json::object()}};
    const auto shape = data_.input_shape();
    const std::size_t channels = shape.size() == 3 ? shape[2] : 1;
    const bool image = (shape.size() == 2 || shape.size() == 3) && (channels == 1 || channels == 3) &&
                       shape[0] * shape[1] > 0 && shape[0] * shape[1] <= most_pixels;
    const auto sections = data_.sections();
    if (image) result["picture"] = {{"rows", shape[0]}, {"columns", shape[1]}, {"channels", channels}};
    else
        for (const std::string& name : sections.front().columns)
            if (result["columns"].size() < most_numbers) result["columns"].push_back(shortened(name, 60));
    for (const std::size_t record : records) {
        const Dataset one = data_.range(record, 1);
        const sigma::detail::Record input = one.input(0);
        Json& to = result["inputs"][sentence(record)];
        if (!image) {
            for (const float x : input.first(std::min(input.size(), most_numbers)))
                to.push_back(number_or_null(static_cast<double>(x)));
            continue;
        }
        double low = 0, high = 0;
        for (const double x : input)
            if (std::isfinite(x)) low = std::min(low, x), high = std::max(high, x);
        const double scale = high > low ? 255 / (high - low) : 0;
        std::string digits;
        for (const double x : input)
            sigma::detail::append_hexadecimal(digits,
                                              std::isfinite(x) ? static_cast<std::uint64_t>((x - low) * scale) : 0, 2);
        to = std::move(digits);
    }
    return result;
}

std::vector<std::size_t> PredictionsKind::indices_in(std::string_view list) const {
    std::vector<std::size_t> found;
    while (!list.empty()) {
        const std::string_view item = list.substr(0, list.find(','));
        list.remove_prefix(std::min(list.size(), item.size() + 1));
        std::uint64_t record = 0;
        if (!sigma::detail::read_number(item, record) || record >= data_.size() || found.size() == most_shown)
            throw Refusal{400, sentence("'records': expected at most ", most_shown, " indices below ", data_.size(),
                                        ", found '", item.substr(0, 20), "'")};
        found.push_back(record);
    }
    return found;
}

bool PredictionsKind::follow(const Shown& trainer, const std::shared_ptr<const ModelCopy>& copy, std::uint64_t& epoch) {
    const std::scoped_lock lock(mutex_);
    if (!trainer.watched.copy_model) return false;
    const auto now = std::chrono::steady_clock::now();
    bool fresh = false;
    if (std::exchange(of_, trainer.tap.get()) != trainer.tap.get()) {
        found_ = worst_ = nullptr, waiting_ = nullptr;
        failure_.clear();
    }
    if (copy && (copy->last || copy->epoch % options_.epochs == 0)) waiting_ = copy;
    if (computing_)
        if (auto found = computing_->take()) {
            computing_.reset();
            due_ = now + std::max<std::chrono::steady_clock::duration>(std::chrono::seconds(1), (now - began_) * rest);
            failure_ = text_in(*found, "failure");
            fresh = found->contains("rows");
            if (fresh) {
                worst_ = std::move((*found)["worst"]);
                found->erase("worst");
                found_ = std::move(*found), found_["version"] = ++version_;
            }
        }
    const bool idle = trainer.watched.registry.find<std::string>("state").value_or("") != "running";
    if (!computing_ && waiting_ && ((waiting_->last && idle) || now >= due_)) try {
            began_ = now;
            computing_.emplace([this, model = std::exchange(waiting_, nullptr)](const Halted& halted) {
                return predicted(*model, halted);
            });
        } catch (const std::exception& error) { failure_ = error.what(); }  // no thread could be started
    const auto done = trainer.watched.registry.find<std::uint64_t>("epoch").value_or(0);
    epoch = std::min(epoch, Tap::at_end);
    if (!computing_ && now >= due_) epoch = std::min(epoch, (done / options_.epochs + 1) * options_.epochs);
    return fresh;
}

/// Copies the model for the first answer, which would have to wait for the end of an epoch else.
void PredictionsKind::look_first(Shown& trainer) {
    const auto known = [this] {
        const std::scoped_lock lock(mutex_);
        return computing_ || waiting_ || !found_.is_null() || !failure_.empty();
    };
    if (known()) return;
    const auto alone = only_question(trainer, trainer.predicting);
    if (known()) return;
    std::shared_ptr<const ModelCopy> copy;
    between_steps(trainer, [&] { copy = std::make_shared<const ModelCopy>(trainer.watched.copy_model()); });
    const std::scoped_lock lock(mutex_);
    if (!waiting_) waiting_ = std::move(copy);
}

Json PredictionsKind::answer(const Panel&, const PanelQuestion& question) {
    if (!question.records.empty()) return inputs_of(indices_in(question.records));
    const auto one = question.trainer();
    check_trainer(one->watched);
    look_first(*one);
    const std::scoped_lock lock(mutex_);
    if (!failure_.empty()) throw Refusal{400, failure_};
    if (found_.is_null() || question.seen == version_) return {{"version", version_}};
    return found_;
}

Json PredictionsKind::kept() const {
    const std::scoped_lock lock(mutex_);
    if (found_.is_null()) return nullptr;
    Json result = found_;
    result.update(worst_);
    return result;
}

}  // namespace

Panel predictions(Dataset data, PredictionsOptions options) {
    return {.kind = sigma::detail::SharedOwner<PredictionsKind>::make(std::move(data), options),
            .title = "predictions"};
}

bool Board::follow_panels(const std::shared_ptr<Shown>& trainer, bool first) {
    std::vector<Panel> panels;
    {
        const std::scoped_lock lock(mutex_);
        for (const Panel& panel : panels_)
            if (panel.trainer == trainer->name || (first && panel.trainer.empty())) panels.push_back(panel);
    }
    const std::shared_ptr<const ModelCopy> copy = trainer->tap->take_model();
    std::uint64_t epoch = Tap::never;
    bool changed = false;
    for (const Panel& panel : panels) changed = panel.kind->follow(*trainer, copy, epoch) || changed;
    trainer->tap->want_model(epoch);
    return changed;
}

void Board::write_predictions() const {
    if (!folder_) return;
    std::vector<Panel> panels;
    {
        const std::scoped_lock lock(mutex_);
        panels = panels_;
    }
    Json all = Json::array();
    for (const Panel& panel : panels)
        if (Json kept = panel.kind->kept(); !kept.is_null()) {
            kept["title"] = panel.title;
            kept["trainer"] = trainer_of(panel.trainer);
            all.push_back(std::move(kept));
        }
    const std::string text = text_of({{"panels", std::move(all)}});
    write_file_atomically(std::filesystem::absolute(folder_->path() + "/predictions.json").string(),
                          std::as_bytes(std::span(text)));
}

bool Board::predicting() const {
    const std::scoped_lock lock(mutex_);
    return std::ranges::any_of(panels_, [](const Panel& panel) { return panel.kind->pending(); });
}

}  // namespace sigma::monitor
