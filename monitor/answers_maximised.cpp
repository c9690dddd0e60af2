// SPDX-License-Identifier: BSL-1.0
// Inputs that maximise classes: looked for on a thread of their own, with a copy of the parameters.
#include "answer.hpp"
#include "board.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <exception>
#include <thread>

namespace sigma::monitor {

namespace {

constexpr auto least_time = std::chrono::seconds(3);

/// A picture of a record: of several channels their means; of a vector a square, or a row.
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

Json told(const std::vector<MaximisedInput>& found, const Watched& watched) {
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

}  // namespace

struct Board::Search {
    std::mutex mutex;  // of all but the thread; not held while it looks
    Json found = Json::array();
    std::optional<Refusal> refused;  ///< why the last found nothing
    bool computing = false;
    std::chrono::steady_clock::time_point when{};
    std::atomic<bool> stopping = false;
    std::thread worker;  // last: it uses all of it

    ~Search() {
        stopping = true;
        if (worker.joinable()) worker.join();
    }
    /// Begins, where none is at work.
    void look(std::shared_ptr<Shown> trainer, const Panel& panel);
};

void Board::Search::look(std::shared_ptr<Shown> trainer, const Panel& panel) {
    if (worker.joinable()) worker.join();
    worker = std::thread([this, trainer = std::move(trainer), classes = panel.count, options = panel.maximise] {
        Json inputs = Json::array();
        std::optional<Refusal> reason;
        try {
            inputs =
                told(trainer->watched.maximise(classes, options, [&] { return stopping.load(); }), trainer->watched);
        } catch (const StateError& why) { reason = Refusal{409, why.what()}; } catch (const std::exception& why) {
            reason = Refusal{400, why.what()};
        } catch (...) {
            reason = Refusal{500, sentence("maximised inputs: expected to be looked for, found ", own_exception)};
        }
        const std::scoped_lock lock(mutex);
        if (!reason) found = std::move(inputs);
        refused = std::move(reason);
        computing = false;
        when = std::chrono::steady_clock::now();
    });
}

Json Board::maximised(std::string_view id) {
    const Panel shown = panel(id, "maximised");
    const auto one = find(shown.trainer);
    if (!one->watched.maximise)
        throw Refusal{400, sentence("maximised inputs of trainer '", one->name,
                                    "': expected a network that classifies one input of numbers, found another")};
    std::shared_ptr<Search> search;
    {
        const std::scoped_lock lock(mutex_);
        auto& kept = searches_[std::string(id)];
        if (!kept) kept = std::make_shared<Search>();
        search = kept;
    }
    const std::scoped_lock lock(search->mutex);
    if (!search->computing && std::chrono::steady_clock::now() - search->when >= least_time) {
        search->computing = true;
        search->look(one, shown);
    }
    if (search->refused) throw *search->refused;
    return {{"inputs", search->found}, {"computing", search->computing}};
}

}  // namespace sigma::monitor
