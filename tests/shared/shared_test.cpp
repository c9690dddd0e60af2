// SPDX-License-Identifier: BSL-1.0
// shared_test ONE OTHER: opens two shared libraries, lets both learn at the same time, and closes them. Prints what is
// wrong.
#include <dlfcn.h>

#include <cstdio>
#include <filesystem>
#include <thread>

using Learn = double(int);
constexpr std::uintmax_t largest = 3'500'000;  // bytes of each library, with symbols

int main(int count, char** files) {
    if (count != 3) return 2;
    int faults = 0;
    const auto fault = [&](const char* file, const char* text) { std::printf("%s %s\n", file, text), ++faults; };
    void* libraries[2];
    double errors[2][2];
    std::thread threads[2];  // a thread that has used a library keeps it loaded until the thread ends
    for (int i = 0; i < 2; ++i) {
        libraries[i] = dlopen(files[i + 1], RTLD_NOW | RTLD_LOCAL);
        if (libraries[i] == nullptr) return std::printf("%s\n", dlerror()), 1;
        if (dlsym(libraries[i], "_ZN5sigma7versionEv") != nullptr) fault(files[i + 1], "shows names of Sigma");
        auto* const learn = reinterpret_cast<Learn*>(dlsym(libraries[i], "sigma_plugin_learn"));
        threads[i] = std::thread([=, &errors] {
            for (double& error : errors[i]) error = learn(300);
        });
    }
    for (int i = 0; i < 2; ++i) threads[i].join();
    for (int i = 0; i < 2; ++i) {
        const char* const file = files[i + 1];
        std::printf("%s: error %.5f, %ju bytes\n", file, errors[i][0], std::filesystem::file_size(file));
        if (!(errors[i][0] >= 0 && errors[i][0] < 0.02)) fault(file, "did not learn");
        if (errors[i][0] != errors[i][1]) fault(file, "learned something else the second time");
        if (std::filesystem::file_size(file) > largest) fault(file, "is too large");
        dlclose(libraries[i]);
        if (dlopen(file, RTLD_NOW | RTLD_NOLOAD) != nullptr) fault(file, "is still loaded");
    }
    if (errors[0][0] == errors[1][0]) fault(files[1], "has the network of the other library");
    return faults == 0 ? 0 : 1;
}
