// SPDX-License-Identifier: BSL-1.0
#include <cstdio>

extern "C" double sigma_plugin_learn(int epochs);

int main() {
    const double error = sigma_plugin_learn(300);
    std::printf("error %.5f\n", error);
    return error >= 0 && error < 0.02 ? 0 : 1;
}
