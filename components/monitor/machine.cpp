// SPDX-License-Identifier: BSL-1.0
// Numbers of this machine from the operating system and from NVML. All code that depends on the platform is here.
#include "machine.hpp"

#include <sigma/core/error.hpp>
#include <sigma/core/number_text.hpp>
#include <sigma/data/blocks/active.hpp>
#include <sigma/storage/process.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string_view>
#include <utility>

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

/// Returns the processor time of all processes; nothing on other systems than Linux.
std::optional<double> machine_seconds() {
    const std::string text = sigma::detail::system_file("/proc/stat");
    std::string_view rest = text;
    double sum = 0;
    for (int i = 0; i < 8; ++i) {  // "cpu", user, nice, system, idle, waiting, interrupts, soft interrupts
        const std::string_view word = rest.substr(0, rest.find(' '));
        rest.remove_prefix(std::min(rest.find_first_not_of(' ', word.size()), rest.size()));
        double ticks = 0;
        if (i == 0 || i == 4 || i == 5) continue;
        if (!sigma::detail::read_number(word, ticks)) return std::nullopt;
        sum += ticks;
    }
    return sum / static_cast<double>(sysconf(_SC_CLK_TCK));
}

/// Adds the number behind `name` in a text of the system. Adds nothing if there is none.
void add_number(std::vector<Usage>& to, Usage usage, double unit, const std::string& text, const char* name) {
    constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
    const std::size_t found = data::detail::number_after(text, name, none);
    if (found == none) return;
    usage.value = unit * static_cast<double>(found);
    to.push_back(std::move(usage));
}

void read_memory(std::vector<Usage>& to) {
    constexpr double kibibyte = 1024 / megabyte;
    const std::string status = sigma::detail::system_file("/proc/self/status");
    add_number(to, {"system.process.memory", "process: resident memory", "MB"}, kibibyte, status, "VmRSS:");
    add_number(to, {"system.process.threads", "process: threads", ""}, 1, status, "Threads:");
    add_number(to, {"system.machine.free", "machine: free memory", "MB"}, kibibyte,
               sigma::detail::system_file("/proc/meminfo"), "MemAvailable:");
}

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
    read_memory(found);
    read_gpus(found);
    return found;
}

}  // namespace sigma::monitor
