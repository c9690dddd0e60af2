// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/trainer/run/control.hpp>

#include <atomic>
#include <chrono>
#include <functional>
#include <string>
#include <vector>

// A loop under a Control that counts instead of training. Its members belong to the training thread.
struct FakeTrainer {
    explicit FakeTrainer(std::string name)
        : control_(std::move(name), [this](sigma::detail::ControlEvent event) { hear(event); }) {}
    ~FakeTrainer() { control_.close(); }

    sigma::Control& control() { return control_; }
    const sigma::Remote& control() const { return control_; }
    void run(std::uint64_t iterations) {
        control_.run([&] { loop(iterations); });
    }
    void start(std::uint64_t iterations) {
        control_.start([this, iterations] { loop(iterations); });
    }

    std::atomic<std::uint64_t> iteration{0};
    std::function<void(FakeTrainer&)> each = [](FakeTrainer&) {};
    std::function<void(sigma::detail::ControlEvent)> heard = [](sigma::detail::ControlEvent) {};
    std::string events;

private:
    void loop(std::uint64_t iterations) {
        while (iteration < iterations && !control_.stopping()) {
            ++iteration;
            each(*this);
            if (control_.pending()) control_.handle();
        }
    }
    void hear(sigma::detail::ControlEvent event) {
        constexpr const char* words[] = {"pause ", "resume ", "reset ", "rewind "};
        events += words[static_cast<int>(event)];
        if (event == sigma::detail::ControlEvent::reset) iteration = 0;
        heard(event);
    }
    sigma::Control control_;
};

inline constexpr std::uint64_t forever = ~std::uint64_t{0};
