// SPDX-License-Identifier: BSL-1.0
#include <sigma/core/error.hpp>
#include <sigma/device/cpu/executor.hpp>
#include <sigma/function/function.hpp>

#include <catch2/catch.hpp>

#include <cstddef>
#include <vector>

using namespace sigma;

namespace {

constexpr auto layers = [](auto x, auto w, auto v) { return dot(tanh(dot(x, w)), v); };
using Chain =
    detail::Planned<sigma::detail::FunctionProgram<decltype(layers), Shape{batch, 3}, Shape{3, 40}, Shape{40, 2}>,
                    on_cpu::lanes<float>>;

std::vector<float> numbers(std::size_t count) {
    std::vector<float> all(count);
    for (std::size_t i = 0; i < count; ++i) all[i] = static_cast<float>(i % 7) / 7 - 0.4f;
    return all;
}

}  // namespace

TEST_CASE("Working memory that was refused is not taken for as much as was asked for") {
    const auto x = numbers(300), w = numbers(120), v = numbers(80);
    std::vector<float> expected(200), found(200);
    const auto bound_to = [&](on_cpu::Executor<float>& executor, std::vector<float>& y) {
        executor.bind_input(0, x.data());
        executor.bind_input(1, w.data());
        executor.bind_input(2, v.data());
        executor.bind_output(0, y.data());
    };
    on_cpu::Executor<float> plain(on_cpu::compiled_program<Chain, float>);
    bound_to(plain, expected);
    plain.prepare(100);
    plain.run();

    on_cpu::Executor<float> executor(on_cpu::compiled_program<Chain, float>);
    bound_to(executor, found);
    executor.prepare(2);
    executor.run();
    CHECK_THROWS_AS(executor.prepare(std::ptrdiff_t{1} << 57), MemoryError);
    executor.prepare(100);
    executor.run();
    CHECK(found == expected);
}
