// SPDX-License-Identifier: BSL-1.0
// Questions to a trainer, which it answers between two iterations.
#include <sigma/core/number_text.hpp>

#include "answer.hpp"
#include "board.hpp"

#include <chrono>
#include <cmath>
#include <exception>
#include <utility>

namespace sigma::monitor {

namespace {

/// Returns the name of a metric: "sigma_optimizer_learning_rate".
std::string metric_name(std::string_view name) {
    std::string word = "sigma_";
    for (const char c : name) {
        const bool fine = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        word += fine ? c : '_';
    }
    return word;
}
/// Quotes the value of a label.
std::string label_text(std::string_view text) {
    std::string result = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') result += '\\';
        if (c == '\n') result += "\\n";
        else result += c;
    }
    return result + '"';
}

}  // namespace

std::optional<ArrayNumbers> array_at(const ReadOnlyRegistry& registry, const std::string& name) {
    const auto numbers = [](const auto& array) {
        return ArrayNumbers{{array.shape().begin(), array.shape().end()}, {array.data(), array.data() + array.size()}};
    };
    const std::string type = registry.type_name(name);
    if (type == "array of float") {
        if (const auto found = registry.find<Array<float>>(name)) return numbers(*found);
    } else if (type == "array of double") {
        if (const auto found = registry.find<Array<double>>(name)) return numbers(*found);
    }
    return std::nullopt;
}

void refuse_another(const Shown& trainer) {
    throw Refusal{429, sentence("questions to trainer '", trainer.name,
                                "': another question is being answered; try again later")};
}

std::unique_lock<std::timed_mutex> only_question(const Shown& trainer, std::timed_mutex& mutex) {
    std::unique_lock lock(mutex, patience);
    if (!lock) refuse_another(trainer);
    return lock;
}

void between_steps(const Shown& trainer, const std::function<void()>& f) {
    const Remote& remote = trainer.watched.remote;
    const bool running = remote.state() == RunState::running;  // an idle trainer has no step that waits
    if (running && !trainer.questions.is_left())
        throw Refusal{429, sentence("questions to trainer '", trainer.name,
                                    "': they take more than a fifth of its time; try again later")};
    try {
        remote
            .post([&] {
                const auto began = std::chrono::steady_clock::now();
                const auto used = [&] {
                    if (running)
                        trainer.questions.use(
                            std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count());
                };
                try {
                    f();
                } catch (...) {
                    used();
                    throw;
                }
                used();
            })
            .wait();
    } catch (const Refusal&) { throw; } catch (const StateError& error) {
        throw Refusal{409, error.what()};
    } catch (const std::exception& error) { throw Refusal{400, error.what()}; }
}

Json Board::parameter(std::string_view trainer, const std::string& name, std::size_t bins, bool values,
                      std::size_t limit, std::size_t columns) const {
    const auto one = find(trainer);
    std::optional<ArrayNumbers> found;
    between_steps(*one, [&] {
        if (!one->watched.registry.contains(name))
            throw Refusal{404, sentence("registry '", shortened(name, 100), "': there is no such value")};
        found = array_at(one->watched.registry, name);
    });
    if (!found)
        throw Refusal{400, sentence("registry '", shortened(name, 100), "': this value is not an array of numbers")};
    const ArrayNumbers& numbers = *found;
    const Distribution spread(0, numbers.values, bins);
    Json result{{"shape", numbers.shape},
                {"low", number_or_null(spread.low)},
                {"high", number_or_null(spread.high)},
                {"counts", spread.counts}};
    if (values) {
        Json& chosen = result["values"] = Json::array();
        const std::size_t across = numbers.shape.empty() ? 1 : numbers.shape.back();
        for (std::size_t i = 0; i < numbers.values.size() && chosen.size() < limit; ++i)
            if (i % across < columns) chosen.push_back(number_or_null(numbers.values[i]));
    }
    return result;
}

Json Board::predict(std::string_view trainer, const Json& input) {
    const auto one = find(trainer);
    if (!one->watched.predict)
        throw Refusal{
            400, sentence("predict of trainer '", one->name,
                          "': records can only be predicted by a network of one input that was passed to watch()")};
    const std::size_t wanted = one->watched.inputs;
    if (!input.is_array() || input.size() != wanted)
        throw Refusal{400, sentence("predict of trainer '", one->name, "': expected ", wanted, " numbers, found ",
                                    input.is_array() ? input.size() : 0)};
    std::vector<double> numbers;
    for (const Json& x : input) {
        if (!x.is_number())
            throw Refusal{400,
                          sentence("predict of trainer '", one->name, "': expected numbers, found ", x.type_name())};
        numbers.push_back(x.get<double>());
    }
    const auto alone = only_question(*one, one->predicting);
    std::vector<double> found;
    between_steps(*one, [&] { found = one->watched.predict(std::move(numbers)); });
    Json output = Json::array();
    for (const double x : found) output.push_back(number_or_null(x));
    Json result{{"output", std::move(output)}};
    if (!one->watched.classes.empty()) result["classes"] = one->watched.classes;
    return result;
}

std::string Board::metrics() const {
    constexpr std::string_view drops = "sigma_monitor_dropped_points";
    // By metric and labels. If names of a trainer give the same metric, such as "a.b" and "a_b", later ones have a
    // label.
    std::map<std::string, std::map<std::string, double>> all;
    std::uint64_t dropped = 0;
    for (const auto& one : shown()) {
        dropped += one->tap->dropped();
        if (one->watched.remote.closed()) continue;
        try {
            between_steps(*one, [&] {
                one->watched.registry.visit([&](std::string_view name, const sigma::detail::RegistryValue& value) {
                    if (!is_number_type(value.type_name())) return;
                    const auto number = value.number();
                    if (!number) return;
                    const std::string word = metric_name(name), trainer = sentence("trainer=", label_text(one->name));
                    if (word == drops) return;
                    auto& samples = all[word];
                    if (!samples.try_emplace(trainer, *number).second)
                        samples.emplace(sentence(trainer, ",name=", label_text(name)), *number);
                });
            });
        } catch (const Refusal& refused) {
            if (refused.status == 429) throw;  // else the trainer was destroyed
        }
    }
    std::string text;
    for (const auto& [name, samples] : all) {
        text += sentence("# TYPE ", name, " gauge\n");
        for (const auto& [labels, number] : samples) {
            text += sentence(name, "{", labels, "} ");
            if (std::isnan(number)) text += "NaN";
            else if (std::isinf(number)) text += number > 0 ? "+Inf" : "-Inf";
            else sigma::detail::append_exact(text, number);
            text += '\n';
        }
    }
    return text + sentence("# TYPE ", drops, " counter\n", drops, " ", dropped, "\n");
}

}  // namespace sigma::monitor
