// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace sigma::monitor {

/// The functions of NVIDIA's management library (NVML) that the monitor calls. They return 0 if they succeed.
struct Nvml {
    struct Utilization {
        unsigned gpu = 0, memory = 0;  ///< percent of the time
    };
    struct Memory {
        unsigned long long total = 0, free = 0, used = 0;  ///< bytes
    };
    int (*count)(unsigned* gpus) = nullptr;
    int (*handle)(unsigned index, void** gpu) = nullptr;
    int (*name)(void* gpu, char* text, unsigned size) = nullptr;
    int (*utilization)(void* gpu, Utilization*) = nullptr;
    int (*memory)(void* gpu, Memory*) = nullptr;
    int (*temperature)(void* gpu, int sensor, unsigned* celsius) = nullptr;
    int (*power)(void* gpu, unsigned* milliwatts) = nullptr;

    /// Loads the library, which stays loaded. Returns nothing if it does not exist or finds no driver.
    static std::optional<Nvml> load(const char* library = "libnvidia-ml.so.1");
};

/// A number of the machine or of this process.
struct Usage {
    std::string name;   ///< name of its series: "system.process.cores"
    std::string label;  ///< text for users: "process: cores in use"
    std::string unit;   ///< "MB", "°C", "W", "share" (0 to 1), or empty for a count
    double value = 0;
};

/// Reads processor, memory and GPUs of this machine, and leaves out numbers that it cannot read.
class Machine {
public:
    explicit Machine(std::optional<Nvml> gpus) : nvml_(gpus) {}
    /// Reads all numbers. Cores in use are the mean since the previous call, so the first call has none.
    std::vector<Usage> read();
    /// Describes what is not measured on this platform; empty if all is.
    static std::string missing();

private:
    std::optional<Nvml> nvml_;
    std::optional<std::chrono::steady_clock::time_point> before_{};
    double process_ = 0;               ///< Seconds of processor time of this process at the previous call.
    std::optional<double> machine_{};  ///< Seconds of processor time of all processes.

    void read_gpus(std::vector<Usage>& to) const;
};

}  // namespace sigma::monitor
