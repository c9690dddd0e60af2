// SPDX-License-Identifier: BSL-1.0
// Numbers of this machine from the operating system and from NVML. All code that depends on the platform is here.
#include "machine.hpp"

#include <sigma/core/error.hpp>
#include <sigma/core/number_text.hpp>

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <iterator>

#include <dlfcn.h>
#include <sys/resource.h>
#include <unistd.h>

namespace sigma::monitor {

namespace {

constexpr double megabyte = 1e6;

double process_seconds() {
    rusage found{};
    getrusage(RUSAGE_SELF, &found);
    const auto seconds = [](const timeval& t) {
        return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
    };
    return seconds(found.ru_utime) + seconds(found.ru_stime);
}

#ifdef __linux__
/// Splits a file at blanks. Returns nothing if it cannot be read.
std::vector<std::string> words_of(const char* path) {
    std::ifstream file(path);
    return {std::istream_iterator<std::string>(file), {}};
}
std::optional<double> number_at(const std::vector<std::string>& words, std::size_t i) {
    double x = 0;
    return i < words.size() && sigma::detail::read_number(words[i], x) ? std::optional(x) : std::nullopt;
}

/// Returns the processor time of all processes.
std::optional<double> machine_seconds() {
    const auto words = words_of("/proc/stat");  // "cpu", user, nice, system, idle, waiting, interrupts, soft interrupts
    double ticks = 0;
    for (const std::size_t i : {1U, 2U, 3U, 6U, 7U}) {
        const auto found = number_at(words, i);
        if (!found) return std::nullopt;
        ticks += *found;
    }
    return ticks / static_cast<double>(sysconf(_SC_CLK_TCK));
}

void read_process(std::vector<Usage>& to) {
    const auto words = words_of("/proc/self/stat");
    std::size_t name = words.size();  // the name of the program, in parentheses, may have blanks
    while (name > 0 && !words[name - 1].ends_with(')')) --name;
    const auto threads = number_at(words, name + 17),
               pages = number_at(words, name + 21);  // fields 20 and 24 of proc(5)
    if (pages)
        to.push_back({"system.process.memory", "process: resident memory", "MB",
                      *pages * static_cast<double>(sysconf(_SC_PAGESIZE)) / megabyte});
    if (threads) to.push_back({"system.process.threads", "process: threads", "", *threads});
}

void read_memory(std::vector<Usage>& to) {
    constexpr double kibibyte = 1024;
    const auto words = words_of("/proc/meminfo");
    const auto name = std::ranges::find(words, "MemAvailable:");
    if (const auto free = number_at(words, static_cast<std::size_t>(name - words.begin()) + 1))
        to.push_back({"system.machine.free", "machine: free memory", "MB", *free * kibibyte / megabyte});
}
#else
std::optional<double> machine_seconds() { return std::nullopt; }
void read_process(std::vector<Usage>&) {}
void read_memory(std::vector<Usage>&) {}
#endif

}  // namespace

std::string Machine::missing() {
#ifdef __linux__
    return {};
#else
    return "Memory, threads, and the load of the machine are measured on Linux only.";
#endif
}

std::optional<Nvml> Nvml::load(const char* library) {
    void* const loaded = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (loaded == nullptr) return std::nullopt;
    const auto find = [&]<class F>(F*& to, const char* name) { return to = reinterpret_cast<F*>(dlsym(loaded, name)); };
    int (*init)() = nullptr;
    Nvml found;
    const bool whole =
        find(init, "nvmlInit_v2") && find(found.count, "nvmlDeviceGetCount_v2") &&
        find(found.handle, "nvmlDeviceGetHandleByIndex_v2") && find(found.name, "nvmlDeviceGetName") &&
        find(found.utilization, "nvmlDeviceGetUtilizationRates") && find(found.memory, "nvmlDeviceGetMemoryInfo") &&
        find(found.temperature, "nvmlDeviceGetTemperature") && find(found.power, "nvmlDeviceGetPowerUsage");
    return whole && init() == 0 ? std::optional(found) : std::nullopt;
}

void Machine::read_gpus(std::vector<Usage>& to) const {
    unsigned gpus = 0;
    if (!nvml_ || nvml_->count(&gpus) != 0) return;
    constexpr int sensor_of_chip = 0;
    for (unsigned i = 0; i < gpus; ++i) {
        void* gpu = nullptr;
        char model[96] = {};
        if (nvml_->handle(i, &gpu) != 0) continue;
        if (nvml_->name(gpu, model, sizeof model) != 0) model[0] = '\0';
        const auto add = [&](const char* part, const char* what, const char* unit, double value) {
            to.push_back({sentence("system.gpu.", i, ".", part),
                          sentence("GPU ", i, model[0] ? sentence(" (", model, ")") : "", ": ", what), unit, value});
        };
        Nvml::Utilization share;
        Nvml::Memory memory;
        unsigned celsius = 0, milliwatts = 0;
        if (nvml_->utilization(gpu, &share) == 0) add("load", "utilization", "share", share.gpu / 100.0);
        if (nvml_->memory(gpu, &memory) == 0)
            add("memory", "memory in use", "MB", static_cast<double>(memory.used) / megabyte);
        if (nvml_->temperature(gpu, sensor_of_chip, &celsius) == 0) add("temperature", "temperature", "°C", celsius);
        if (nvml_->power(gpu, &milliwatts) == 0) add("power", "power", "W", milliwatts / 1000.0);
    }
}

std::vector<Usage> Machine::read() {
    std::vector<Usage> found;
    const auto now = std::chrono::steady_clock::now();
    const double process = process_seconds();
    const auto machine = machine_seconds();
    if (before_ && now > *before_) {
        const double passed = std::chrono::duration<double>(now - *before_).count();
        found.push_back({"system.process.cores", "process: cores in use", "", (process - process_) / passed});
        if (machine && machine_)
            found.push_back({"system.machine.cores", "machine: cores in use", "", (*machine - *machine_) / passed});
    }
    before_ = now, process_ = process, machine_ = machine;
    read_process(found);
    read_memory(found);
    read_gpus(found);
    return found;
}

}  // namespace sigma::monitor
