// SPDX-License-Identifier: BSL-1.0
// Computes networks and functions that are lines of text, so that a new one needs no compiler. text_oracle.py writes
// the lines, compares what this program finds with PyTorch, and says how to run it.
//
//   sigma_text_oracle CASES NUMBERS FOUND [FIRST]
//
// A line of CASES is one of
//   network double 7 : Input(4, 5) + Linear(3, relu) + GlobalMaxPool() + SquaredDiff()
//   function float 7 x0[-1,5] x1[5] y2[5] : v3 = x0 * x1; v4 = sum(v3, axis(0)) : v4*y2
// with the element type and the number of records. -k is the extent of k times the records. A function ends in its
// results, each with the argument that weighs it. NUMBERS are doubles: of a network its parameters, inputs, targets and
// gradients in its predictions, of a function its arguments, in the order in which they are written. To FOUND goes for
// each case how many numbers it has, then the numbers; of one that throws -1, and what it says to stderr.
#include <sigma/execution/batch_trainer.hpp>
#include <sigma/sigma.hpp>

#include "oracle/text_function.hpp"
#include "oracle/text_network.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace sigma::test {
namespace {

/// How far steps of training go.
constexpr double rate = 0.125;

class Numbers {
public:
    explicit Numbers(const char* file) : from_(file, std::ios::binary) {
        if (!from_) throw std::runtime_error(std::string(file) + " does not open");
    }
    template <class T>
    std::vector<T> take(std::size_t count) {
        std::vector<double> all(count);
        from_.read(reinterpret_cast<char*>(all.data()), static_cast<std::streamsize>(count * sizeof(double)));
        if (!from_) throw std::runtime_error("numbers are missing");
        return {all.begin(), all.end()};
    }
    /// Each case begins at its own place, whatever became of those before.
    void go_to(std::size_t number) { from_.clear(), from_.seekg(static_cast<std::streamoff>(number * sizeof(double))); }

private:
    std::ifstream from_;
};

using Found = std::vector<double>;
template <class Range>
void give(Found& to, const Range& numbers) {
    for (const auto v : numbers) to.push_back(static_cast<double>(v));
}

template <class T>
Array<T> array_of(Numbers& numbers, const Shape& record, std::size_t records) {
    std::vector<std::size_t> extents{records};
    for (int i = record.batched() ? 1 : 0; i < record.rank; ++i) extents.push_back(static_cast<std::size_t>(record[i]));
    Array<T> all = Array<T>::from_shape(extents);
    const std::vector<T> given = numbers.take<T>(all.size());
    std::copy(given.begin(), given.end(), all.data());
    return all;
}

/// All that a model and a trainer say of one batch. `E` are its arrays: inputs and targets.
template <class T, class... E>
void observe(Found& found, Model<DynamicNetwork, T>& model, const std::vector<Array<T>>& inputs, const Array<T>& y,
             const Array<T>& upstream, const E&... x) {
    const sigma::detail::NetworkTable& table = model.network();
    const auto predict = [&] { give(found, model.predict_all(x...).at(0)); };
    const auto parameters = [&] {
        for (int i = 0; i < table.parameters.size(); ++i) give(found, model.parameter(i));
    };
    const auto trained = [&](auto f) {
        for (int i = 0; i < table.parameters.size(); ++i)
            if (table.parameters[i].trained) f(i);
    };
    predict();
    std::vector<const T*> from;
    for (const Array<T>& each : inputs) from.push_back(each.data());
    found.push_back(
        model.evaluate(from, std::vector<const T*>{y.data()}, static_cast<std::ptrdiff_t>(y.shape()[0])).error);

    Inspection<DynamicNetwork, T> look(model);
    found.push_back(look.run(x..., y));
    trained([&](int i) { give(found, look.gradient(i)); });

    BatchTrainer<DynamicNetwork, GradientDescent, T> trainer(model, GradientDescent{.learning_rate = rate});
    const auto gradients = [&] { trained([&](int i) { give(found, trainer.gradient(i)); }); };
    found.push_back(trainer.gradients_on_batch(x..., y));
    gradients();
    trainer.forget();
    for (const Array<T>& each : trainer.input_gradients(x..., y)) give(found, each);
    trainer.backward(x..., upstream);
    gradients();
    trainer.forget();
    found.push_back(trainer.train_on_batch(x..., y));
    parameters();
    predict();
}

template <class T>
Found network_case(const std::string& text, std::size_t records, Numbers& numbers) {
    const DynamicNetwork made(layers_of(Parser::parse(text)));
    Model<DynamicNetwork, T> model(made, 1);
    const sigma::detail::NetworkTable& table = model.network();
    for (int i = 0; i < table.parameters.size(); ++i) {
        auto parameter = model.parameter(i);
        const std::vector<T> given = numbers.take<T>(parameter.size());
        std::copy(given.begin(), given.end(), parameter.begin());
    }
    std::vector<Array<T>> x;
    for (int i = 0; i < table.inputs.size(); ++i) x.push_back(array_of<T>(numbers, table.inputs[i], records));
    const Array<T> y = array_of<T>(numbers, table.costs[0].target, records);
    const Array<T> upstream = array_of<T>(numbers, table.costs[0].prediction, records);
    Found found;
    if (x.size() == 1) observe(found, model, x, y, upstream, x[0]);
    else if (x.size() == 2) observe(found, model, x, y, upstream, x[0], x[1]);
    else if (x.size() == 3) observe(found, model, x, y, upstream, x[0], x[1], x[2]);
    else throw std::runtime_error("expected one to three inputs");
    return found;
}

// ---- functions ----

struct ArgumentText {
    std::string name{};
    Shape shape{};
};
ArgumentText argument_of(const std::string& text) {
    ArgumentText a;
    const std::size_t open = text.find('[');
    a.name = text.substr(0, open);
    std::istringstream extents(text.substr(open + 1));
    for (int n = 0; extents >> n; extents.get()) a.shape.extent[a.shape.rank++] = n;
    return a;
}

/// Results, then, in a plan of its own, their weighted sum and its gradient in each argument.
template <class T>
Found function_case(const Function& function, const std::vector<ArgumentText>& given, std::ptrdiff_t records,
                    Numbers& numbers) {
    std::vector<std::vector<T>> elements;
    std::vector<typename sigma::detail::MadeCalls<T>::Argument> arguments;
    for (const ArgumentText& a : given) {
        const auto count = a.shape.count() * (a.shape.batched() ? records : 1);
        elements.push_back(numbers.take<T>(static_cast<std::size_t>(count)));
    }
    for (std::size_t i = 0; i < given.size(); ++i) arguments.push_back({given[i].shape, elements[i].data(), false});
    Found found;
    const auto run = [&](auto trace) {
        std::vector<std::vector<T>> results(64);
        sigma::detail::MadeCalls<T> calls;
        calls.run(
            arguments, records, trace,
            [&](std::size_t i, const std::vector<std::size_t>& extents) {
                std::size_t count = 1;
                for (const std::size_t e : extents) count *= e;
                results.at(i).resize(count);
                return typename sigma::detail::MadeCalls<T>::Result{results[i].data(), false};
            },
            sigma::detail::SharedOwner<sigma::detail::ComputeDevice>(), nullptr);
        for (const std::vector<T>& each : results) give(found, each);
    };
    const auto values_of = [&](std::span<const Tensor> inputs) {
        Values values;
        for (std::size_t i = 0; i < given.size(); ++i) values.emplace(given[i].name, inputs[i]);
        return values;
    };
    run([&](std::span<const Tensor> inputs, sigma::detail::List<Variable>& to) {
        for (const Tensor& each : function.run(values_of(inputs))) to.push(each.variable);
    });
    run([&](std::span<const Tensor> inputs, sigma::detail::List<Variable>& to) {
        std::vector<Tensor> own;
        sigma::detail::List<Variable> wanted;
        for (const Tensor& each : inputs)
            own.push_back({sigma::detail::copy(each.variable)}), wanted.push(own.back().variable);
        const Values values = values_of(own);
        const std::vector<Tensor> results = function.run(values);
        std::optional<Tensor> total;
        for (std::size_t i = 0; i < results.size(); ++i) {
            const Tensor part = sum(results[i] * values.at(function.results[i].second));
            total = total ? *total + part : part;
        }
        to.push(total.value().variable);
        for (const Variable& g : sigma::detail::differentiate_now(total->variable, wanted)) to.push(g);
    });
    return found;
}

std::vector<std::string> split(const std::string& text, const std::string& by) {
    std::vector<std::string> parts;
    std::size_t from = 0;
    for (std::size_t at = 0; (at = text.find(by, from)) != text.npos; from = at + by.size())
        parts.push_back(text.substr(from, at - from));
    parts.push_back(text.substr(from));
    return parts;
}
Function function_of(const std::string& statements, const std::string& results) {
    Function f;
    for (const std::string& each : split(statements, "; ")) {
        const std::size_t equals = each.find(" = ");
        if (equals != each.npos)
            f.statements.emplace_back(each.substr(0, equals), Parser::parse(each.substr(equals + 3)));
    }
    for (const std::string& each : split(results, " ")) {
        const std::size_t times = each.find('*');
        f.results.emplace_back(each.substr(0, times), each.substr(times + 1));
    }
    return f;
}

/// "FIRST_NUMBER kind element records arguments : text : results"
Found computed(const std::string& line, Numbers& numbers) {
    const std::vector<std::string> parts = split(line, " : ");
    std::istringstream words(parts.at(0));
    std::string kind, element;
    std::size_t records = 0, first = 0;
    words >> first >> kind >> element >> records;
    numbers.go_to(first);
    const bool is_float = element == "float";
    if (kind == "network")
        return is_float ? network_case<float>(parts.at(1), records, numbers)
                        : network_case<double>(parts.at(1), records, numbers);
    std::vector<ArgumentText> arguments;
    for (std::string word; words >> word;) arguments.push_back(argument_of(word));
    const Function f = function_of(parts.at(1), parts.at(2));
    const auto count = static_cast<std::ptrdiff_t>(records);
    return is_float ? function_case<float>(f, arguments, count, numbers)
                    : function_case<double>(f, arguments, count, numbers);
}

int run(char** argv, int first) {
    std::ifstream cases(argv[1]);
    Numbers numbers(argv[2]);
    std::FILE* const to = std::fopen(argv[3], first == 0 ? "wb" : "ab");
    if (!cases || !to) throw std::runtime_error("a file does not open");
    int number = 0;
    for (std::string line; std::getline(cases, line); ++number) {
        if (number < first) continue;
        Found found;
        double count = -1;
        try {
            found = computed(line, numbers);
            count = static_cast<double>(found.size());
        } catch (const std::exception& e) {
            found.clear();
            std::fprintf(stderr, "%d: %s\n", number, e.what());
        }
        std::fwrite(&count, sizeof count, 1, to);
        std::fwrite(found.data(), sizeof(double), found.size(), to);
        std::fflush(to);  // of a case that crashes, those before are known
    }
    std::fclose(to);
    return 0;
}

}  // namespace
}  // namespace sigma::test

int main(int argc, char** argv) {
    if (argc < 4) {
        std::fputs("usage: sigma_text_oracle CASES NUMBERS FOUND [FIRST]\n", stderr);
        return 2;
    }
    return sigma::test::run(argv, argc > 4 ? std::atoi(argv[4]) : 0);
}
