// SPDX-License-Identifier: BSL-1.0
#include <sigma/monitor/web.hpp>

#include <cstdio>

int main() {
    const sigma::monitor::Web web({.port = 0});
    std::printf("%s\n", web.address().c_str());
    return web.address().starts_with("http://127.0.0.1:") ? 0 : 1;
}
