// SPDX-License-Identifier: BSL-1.0
// What the network says of records: tables and rankings; and pictures of the program's own.
#include "answer.hpp"
#include "board.hpp"
#include "panels.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <utility>

namespace sigma::monitor {

namespace {

constexpr std::size_t most_columns = 8, most_pixels = 4096, most_own_rows = 10'000;

/// f(), whose exceptions become what a client is told.
template <class F>
auto refusing(F f) -> decltype(f()) {
    try {
        return f();
    } catch (const Refusal&) { throw; } catch (const StateError& error) {
        throw Refusal{409, error.what()};
    } catch (const std::exception& error) { throw Refusal{400, error.what()}; } catch (...) {
        throw Refusal{500, sentence("panel: expected to be filled, found ", own_exception)};
    }
}

std::string class_name(const std::vector<std::string>& names, std::size_t number) {
    return number < names.size() ? names[number] : sentence(number);
}
/// The first greatest; of one number, whether it reaches 1/2.
std::size_t class_of(const std::vector<double>& prediction) {
    if (prediction.size() == 1) return prediction[0] >= 0.5 ? 1 : 0;
    return static_cast<std::size_t>(std::ranges::max_element(prediction) - prediction.begin());
}

template <class Numbers>
Json all_of(const Numbers& numbers) {
    Json result = Json::array();
    for (const auto x : numbers) result.push_back(number_or_null(static_cast<double>(x)));
    return result;
}

/// Rows and columns of an input that may be shown as a picture; of several channels their means.
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

Json own_table(const Panel& panel) {
    const Rows rows = panel.fill();
    Json result{{"columns", panel.heads}, {"rows", Json::array()}};
    for (std::size_t i = 0; i < std::min(rows.size(), most_own_rows); ++i) {
        Json row = Json::array();
        for (const Cell& cell : rows[i])
            row.push_back(std::holds_alternative<double>(cell) ? number_or_null(std::get<double>(cell))
                                                               : Json(std::get<std::string>(cell)));
        result["rows"].push_back(std::move(row));
    }
    return result;
}

}  // namespace

Panel Board::panel(std::string_view id, std::string_view kind) const {
    {
        const std::scoped_lock lock(mutex_);
        const std::vector<std::string> ids = ids_of(panels_);
        for (std::size_t i = 0; i < panels_.size(); ++i)
            if (panels_[i].kind == kind && ids[i] == id) return panels_[i];
    }
    throw Refusal{
        404, sentence("panel '", std::string(id.substr(0, 100)), "': expected one of the kind ", kind, ", found none")};
}

std::shared_ptr<const Board::Predictions> Board::said(std::string_view id, const Shown& trainer,
                                                      const Dataset& records) {
    if (!trainer.watched.predict_records)
        throw Refusal{400, sentence("records of trainer '", trainer.name,
                                    "': expected a network of one input, whose type the monitor knows, found another")};
    std::shared_ptr<Said> kept;
    {
        const std::scoped_lock lock(mutex_);
        auto& place = said_[std::string(id)];
        if (!place) place = std::make_shared<Said>();
        kept = place;
    }
    // Many clients cost a run no more than one, and none holds a thread of the server for long.
    const std::unique_lock computing(kept->computing, patience);
    {
        const std::scoped_lock lock(mutex_);
        const bool new_enough = std::chrono::steady_clock::now() - kept->when < std::chrono::seconds(1);
        if (kept->predictions && (new_enough || !computing)) return kept->predictions;
    }
    if (!computing) refuse_another(trainer);
    auto found =
        refusing([&] { return std::make_shared<const Predictions>(trainer.watched.predict_records(records)); });
    const std::scoped_lock lock(mutex_);
    kept->when = std::chrono::steady_clock::now();
    kept->predictions = found;
    return found;
}

Json Board::table(std::string_view id, bool pictures) {
    const Panel shown = panel(id, "table");
    if (shown.fill) return refusing([&] { return own_table(shown); });
    const auto one = find(shown.trainer);
    const Dataset records = shown.data->range(0, std::min(shown.count, shown.data->size()));
    const auto kept = said(id, *one, records);
    const Predictions& predictions = *kept;
    return refusing([&] {
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
    });
}

Json Board::ranking(std::string_view id) {
    const Panel shown = panel(id, "ranked");
    if (!shown.data)
        throw Refusal{400, sentence("panel '", std::string(id), "': expected one of a record, found one of numbers")};
    const auto one = find(shown.trainer);
    const Dataset record = shown.data->range(shown.count, 1);
    const auto kept = said(id, *one, record);
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

Json Board::picture(std::string_view id) const {
    const Panel shown = panel(id, "picture");
    const std::vector<float> numbers = refusing([&] { return shown.draw(); });
    if (numbers.size() != shown.rows * shown.columns)
        throw Refusal{400, sentence("picture '", shown.title, "': expected ", shown.rows * shown.columns,
                                    " numbers, found ", numbers.size())};
    return {{"rows", shown.rows}, {"columns", shown.columns}, {"values", all_of(numbers)}};
}

}  // namespace sigma::monitor
