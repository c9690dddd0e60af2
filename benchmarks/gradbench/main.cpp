// SPDX-License-Identifier: BSL-1.0
// A tool of GradBench: reads messages in JSON, a line each, and answers each by a line.
//
//     gradbench                                 the protocol on standard input and output
//     gradbench MODULE FUNCTION FILE            one function of an input in a file: its output, then times
#include "evaluation.hpp"

#include <chrono>
#include <exception>
#include <fstream>
#include <iostream>

namespace gradbench {

const std::map<std::string, Module>& modules() {
    static const std::map<std::string, Module> all = [] {
        std::map<std::string, Module> found;
        for (const char* name : {"hello", "lse", "llsq", "gmm", "kmeans", "det", "ode"})
            found[name] = plain_modules(name);
        for (const char* name : {"saddle", "particle"}) found[name] = nested_modules(name);
        for (const char* name : {"ba", "ht", "lstm"}) found[name] = fitted_modules(name);
        return found;
    }();
    return all;
}

}  // namespace gradbench

namespace {

using gradbench::Json;

Json evaluation(const std::string& module, const std::string& function, const Json& input) {
    using Clock = std::chrono::steady_clock;
    const auto nanoseconds = [](Clock::duration d) {
        return std::chrono::duration_cast<std::chrono::nanoseconds>(d).count();
    };
    const auto found = gradbench::modules().find(module);
    if (found == gradbench::modules().end() || !found->second.contains(function))
        return {{"success", false}, {"error", "unknown function: " + module + " " + function}};
    int runs = 1;
    double seconds = 0;
    if (input.is_object()) {
        runs = input.value("min_runs", runs);
        seconds = input.value("min_seconds", seconds);
    }
    Json times = Json::array();
    const auto begin = Clock::now();
    const gradbench::Prepared prepared = found->second.at(function)(input);
    prepared.compute();  // the first call records and plans the function
    times.push_back({{"name", "prepare"}, {"nanoseconds", nanoseconds(Clock::now() - begin)}});
    double taken = 0;
    for (int i = 0; i < runs || taken < seconds; ++i) {
        const auto start = Clock::now();
        prepared.compute();
        const auto time = Clock::now() - start;
        taken += std::chrono::duration<double>(time).count();
        times.push_back({{"name", "evaluate"}, {"nanoseconds", nanoseconds(time)}});
    }
    return {{"success", true}, {"output", prepared.output()}, {"timings", times}};
}

Json answer_to(const Json& message) {
    const std::string kind = message.at("kind");
    Json answer;
    if (kind == "start") answer = {{"tool", "sigma"}};
    else if (kind == "define") answer = {{"success", gradbench::modules().contains(message.at("module"))}};
    else if (kind == "evaluate") {
        try {
            answer = evaluation(message.at("module"), message.at("function"), message.at("input"));
        } catch (const std::exception& error) { answer = {{"success", false}, {"error", error.what()}}; }
    }
    answer["id"] = message.at("id");
    return answer;
}

}  // namespace

int main(int count, char** arguments) try {
    if (count == 4) {
        std::ifstream file(arguments[3]);
        if (!file) throw std::runtime_error(std::string("cannot read ") + arguments[3]);
        const Json found = evaluation(arguments[1], arguments[2], Json::parse(file));
        if (!found.at("success").get<bool>()) throw std::runtime_error(found.at("error").get<std::string>());
        std::cout << found.at("output") << "\n";
        for (const Json& time : found.at("timings")) std::cout << time << "\n";
        return 0;
    }
    if (count != 1) {
        std::cerr << "usage: gradbench [MODULE FUNCTION FILE]\n";
        return 2;
    }
    for (std::string line; std::getline(std::cin, line);) {
        const Json message = Json::parse(line);
        std::cout << answer_to(message) << std::endl;
    }
} catch (const std::exception& error) {
    std::cerr << "gradbench: " << error.what() << "\n";
    return 1;
}
