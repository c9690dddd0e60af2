// SPDX-License-Identifier: BSL-1.0
#if __has_include(<sigma/monitor/terminal.hpp>)
#include <sigma/monitor/terminal.hpp>
#endif
#if __has_include(<sigma/monitor/web.hpp>)
#include <sigma/monitor/web.hpp>
#endif

#include <cstdio>

int main() {
    bool fine = true;
#if __has_include(<sigma/monitor/terminal.hpp>)
    sigma::monitor::Terminal view;
    view.add(sigma::monitor::log);
    view.leave();
    fine = !view.full_screen();
#endif
#if __has_include(<sigma/monitor/web.hpp>)
    const sigma::monitor::Web web({.port = 0});
    std::printf("%s\n", web.address().c_str());
    fine = fine && web.address().starts_with("http://127.0.0.1:");
#endif
    return fine ? 0 : 1;
}
