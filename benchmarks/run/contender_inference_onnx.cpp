// SPDX-License-Identifier: BSL-1.0
// ONNX Runtime's side of compare_inference.py, on the files that contender_inference_sigma writes into a folder, the
// second argument; the first is its library, libonnxruntime.so.1, which npm's package has. That has no header: its
// functions stand in a table at positions that never change, so those needed are named here. `LIBRARY --once FILE`
// loads a model and predicts once.
#include "support/contender.hpp"

#include <cstdint>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>

#include <dlfcn.h>

using contender::Cases;
using contender::Work;

namespace {

struct Runtime {
    enum Position {
        message = 2,
        environment = 3,
        session = 7,
        run = 9,
        options = 10,
        intra = 24,
        inter = 25,
        tensor = 49,
        memory = 69
    };
    struct Base {
        void* const* (*table)(std::uint32_t version);
        const char* (*version)();
    };
    const Base* base = nullptr;
    void* const* table = nullptr;
    void *env = nullptr, *set = nullptr, *place = nullptr;

    template <class... A>
    void call(Position position, A... a) const {
        void* const status = reinterpret_cast<void* (*)(A...)>(table[position])(a...);
        if (status) throw std::runtime_error(reinterpret_cast<const char* (*)(void*)>(table[message])(status));
    }
    explicit Runtime(const char* library) {
        void* const handle = dlopen(library, RTLD_NOW);
        if (!handle) throw std::runtime_error(dlerror());
        base = reinterpret_cast<const Base* (*)()>(dlsym(handle, "OrtGetApiBase"))();
        table = base->table(16);
        call(environment, 3, "sigma", &env);  // 3: errors only
        call(options, &set);
        call(intra, set, 1);
        call(inter, set, 1);
        call(memory, 0, 0, &place);  // an arena's, of the default kind
    }
    void* load(const std::string& file) const {
        void* made = nullptr;
        call(session, env, file.c_str(), set, &made);
        return made;
    }
};

struct Value {
    std::string name{};
    std::vector<std::int64_t> extents{};
    std::shared_ptr<float> numbers{};
    void* tensor = nullptr;

    /// "input 0-input (batch, 28, 28)"
    Value(const std::string& text, std::int64_t records) {
        const auto open = text.rfind(" (");
        name = text.substr(text.find(' ') + 1, open - text.find(' ') - 1);
        std::istringstream list(text.substr(open + 2));
        for (std::string word; std::getline(list, word, ',');)
            extents.push_back(word.starts_with("batch") ? records : std::stol(word));
    }
    std::size_t count() const {
        std::size_t n = 1;
        for (const std::int64_t e : extents) n *= static_cast<std::size_t>(e);
        return n;
    }
    void make(const Runtime& runtime, std::shared_ptr<float> data) {
        numbers = std::move(data);
        runtime.call(Runtime::tensor, static_cast<const void*>(runtime.place), static_cast<void*>(numbers.get()),
                     count() * sizeof(float), static_cast<const std::int64_t*>(extents.data()), extents.size(), 1,
                     &tensor);  // 1: float
    }
};

/// With its tensors, whose memory is ours: nothing is copied, and states go from one step to the next.
struct Network {
    const Runtime& runtime;
    void* session;
    std::vector<Value> inputs{}, outputs{};
    std::vector<const char*> in{}, out{};
    std::vector<void*> from{}, to{};

    Network(const Runtime& r, const std::string& file, std::int64_t records) : runtime(r), session(r.load(file)) {
        std::ifstream text(file.substr(0, file.size() - 5) + ".txt");
        for (std::string line; std::getline(text, line);)
            (line[0] == 'i' ? inputs : outputs).emplace_back(line, records);
        for (Value& v : inputs) v.make(runtime, contender::array(v.count(), 0, 1));
        for (std::size_t i = 0; i < outputs.size(); ++i) outputs[i].make(runtime, contender::array(outputs[i].count()));
        for (const Value& v : inputs) in.push_back(v.name.c_str()), from.push_back(v.tensor);
        for (const Value& v : outputs) out.push_back(v.name.c_str()), to.push_back(v.tensor);
    }
    void operator()() {
        runtime.call(Runtime::run, session, static_cast<const void*>(nullptr), in.data(), from.data(), in.size(),
                     out.data(), out.size(), to.data());
        for (std::size_t i = 1; i < in.size(); ++i) std::swap(from[i], to[i]);
    }
};

}  // namespace

int main(int count, char** arguments) {
    if (count < 3) return 2;
    const Runtime runtime(arguments[1]);
    const std::string folder = arguments[2];
    if (folder == "--once") return Network(runtime, arguments[3], 1)(), 0;
    Cases cases;
    const auto of = [&](const std::string& name, std::int64_t records) {
        return [&runtime, file = folder + "/" + name + ".onnx", records]() -> Work {
            const auto network = std::make_shared<Network>(runtime, file, records);
            return [network] { (*network)(); };
        };
    };
    for (const std::string name : {"mlp", "wide", "lenet", "transformer", "dense-8", "conv1d"}) {
        for (const int n : {1, 8, 64, 256, 1024}) cases[name + "-" + std::to_string(n)] = of(name, n);
        cases["latency-" + name] = of(name, 1);
    }
    for (const std::string name :
         {"step", "lstm-8", "lstm-16", "lstm-24", "lstm-32", "gru-8", "gru-16", "gru-24", "gru-32"})
        cases[name] = cases["latency-" + name] = of(name, 1);
    cases["step-64"] = of("step", 64);
    return contender::serve(cases, std::string("ONNX Runtime ") + runtime.base->version());
}
