// SPDX-License-Identifier: BSL-1.0
#include "generated_kernels.hpp"

#include <sigma/device/cpu/blocks.hpp>
#include <sigma/device/gpu/cuda/batches.hpp>
#include <sigma/device/gpu/generate/blocks.hpp>
#include <sigma/tape/custom_operation.hpp>

#include <catch2/catch.hpp>

#include <cmath>
#include <cstdint>
#include <vector>

using namespace sigma;
using generated_kernels::devices;
using generated_kernels::Kernels;
using generated_kernels::OneKernel;

namespace {

constexpr detail::Operation operations[] = {
#define SIGMA_OPERATION(name, kind) detail::Operation::name,
    SIGMA_BLOCK_OPERATIONS(SIGMA_OPERATION)
#undef SIGMA_OPERATION
};

/// a·exp(-b), with a function of its own beside the two that the library calls.
struct Damped {
    static constexpr Text name = "damped";
    SIGMA_SOURCE(
        template <class V> static V factor(V b) { return std::exp(-b); } template <class V>
        static void forward(BlockView<V> y, BlockView<V> a, BlockView<V> b) {
            for (long long i = 0; i < y.columns; ++i) y[i] = a[i] * factor(b[i]);
        } template <int of, class V>
        static void gradient(BlockView<V> g, BlockView<V>, BlockView<V> b, BlockView<V> y, BlockView<V> d) {
            for (long long i = 0; i < g.columns; ++i) g[i] = of == 0 ? d[i] * factor(b[i]) : -(d[i] * y[i]);
        })
};
/// The transposed matrix plus its greatest element.
struct Turned {
    static constexpr Text name = "turned";
    static constexpr int axes = 2;
    static constexpr Shape shape(const Shape& x) { return Shape(x[1], x[0]); }
    SIGMA_SOURCE(template <class V> static void forward(BlockView<V> y, BlockView<V> x) {
        V greatest = x(0, 0);
        for (long long i = 0; i < x.rows; ++i)
            for (long long j = 0; j < x.columns; ++j)
                if (x(i, j) > greatest) greatest = x(i, j);
        for (long long i = 0; i < x.rows; ++i)
            for (long long j = 0; j < x.columns; ++j) y(j, i) = x(i, j) + greatest;
    })
};
struct OnCpuOnly {
    static constexpr Text name = "on_cpu_only";
    template <class V>
    static void forward(BlockView<V> y, BlockView<V> x) {
        for (long long i = 0; i < y.columns; ++i) y[i] = x[i];
    }
};
/// A kernel without arguments, for two blocks of each record.
OneKernel empty_kernel(detail::Operation o) {
    OneKernel one;
    one.kernel = detail::Kernel(detail::BlockKernel{});
    detail::BlockKernel& b = one.kernel.block;
    b.operation = o;
    b.rank = 2;
    b.extent[0] = -1;
    b.extent[1] = 2;
    return one;
}
void add_argument(OneKernel& to, detail::BlockKernel::Block block, int size) {
    to.kernel.block.blocks[to.arguments.size()] = block;
    to.argument({2 * size, size});
}

/// A kernel of a part of a custom operation: rows of 9, or matrices of 3 rows and columns.
template <class F>
OneKernel custom_kernel(std::uint64_t part) {
    (void)&detail::CustomParts<F>::entered;
    constexpr bool matrices = detail::CustomParts<F>::axes == 2;
    OneKernel one = empty_kernel(matrices ? detail::Operation::custom_matrices : detail::Operation::custom_rows);
    one.kernel.block.part = detail::CustomParts<F>::number + part;
    const auto argument = [&](detail::BlockKernel::Block block, int size) { add_argument(one, block, size); };
    if (matrices) {
        argument({3, 3, 6, 2}, 20);
    } else {
        argument({1, 9, 0, 2}, 20);
        argument({1, 9, 0, 1}, 9);
        if (part > 0) argument({1, 18, 0, 1}, 18);
    }
    if (matrices) argument({3, 3, 3, 1}, 9);
    else argument({1, 9, 0, 1}, 9);
    return one;
}

/// Blocks of a row of 9, or of a matrix of 3 rows and columns with its factors. Rows of operands have strides of 2.
OneKernel kernel_of(detail::Operation o, bool option) {
    OneKernel one = empty_kernel(o);
    one.kernel.block.option = option;
    const auto argument = [&](detail::BlockKernel::Block block, int size) { add_argument(one, block, size); };
    const detail::BlockKernel::Block matrix{3, 3, 6, 2}, factors{3, 4, 4, 1}, row{1, 9, 0, 2};
    if (block_rank(o) == 1) {
        argument(row, 20);
        if (o != detail::Operation::argsort) argument(row, 20);
        argument({1, 9, 0, 1}, 9);
    } else {
        argument(matrix, 20);
        if (o == detail::Operation::solve) argument(matrix, 20);
        if (o != detail::Operation::lu) argument(factors, 12);
        if (o == detail::Operation::lu) argument(factors, 12);
        else if (o == detail::Operation::determinant || o == detail::Operation::log_determinant)
            argument({1, 1, 0, 0}, 1);
        else argument({3, 3, 3, 1}, 9);
    }
    return one;
}

bool sorts(detail::Operation o) { return o == detail::Operation::argsort || o == detail::Operation::scatter_add_along; }

template <class T>
void examine(double tolerance) {
    constexpr long long records = 70;
    constexpr std::size_t blocks = 2 * records;
    Kernels kernels;
    std::vector<OneKernel> ones;
    for (const detail::Operation o : operations)
        for (const bool option : {false, true}) { ones.push_back(kernel_of(o, option)); }
    for (const std::uint64_t part : {0, 1, 2}) ones.push_back(custom_kernel<Damped>(part));
    ones.push_back(custom_kernel<Turned>(0));
    for (OneKernel& one : ones) kernels.add(on_gpu::generate_blocks(one.view(detail::element_type<T>), one.kernel));
    for (std::size_t i = 0; i < ones.size(); ++i) {
        const detail::BlockKernel& k = ones[i].kernel.block;
        std::vector<std::vector<T>> values;
        std::vector<T*> pointers;
        on_cpu::Strides strides[4]{};
        for (const detail::Argument& a : ones[i].arguments) {
            std::vector<T>& v = values.emplace_back(blocks * static_cast<std::size_t>(a.stride[1]), T(-7));
            for (std::size_t x = 0; x < v.size() && values.size() < ones[i].arguments.size(); ++x)
                v[x] = static_cast<T>(std::sin(static_cast<double>(x * x)) + 2);
            for (int loop : {0, 1}) strides[values.size() - 1][loop] = a.stride[loop];
        }
        if (k.blocks[values.size() - 2].columns == 4)  // pivots
            for (std::size_t x = 3; x < values[values.size() - 2].size(); x += 4)
                values[values.size() - 2][x] = static_cast<T>(x / 4 % 3 == 0 ? 2 : x / 4 % 3);
        std::vector<std::vector<T>> wanted = values;
        for (std::vector<T>& v : wanted) pointers.push_back(v.data());
        const std::ptrdiff_t extent[detail::max_rank]{records, 2};
        on_cpu::run_blocks(k, static_cast<int>(values.size()), pointers.data(), strides, extent);
        for (const auto& device : devices()) {
            INFO(name(k.operation) << ", " << device->name() << ", " << device->threads(1024) << " threads");
            for (const bool sorted : {false, true}) {
                if (sorted && (!sorts(k.operation) || !device->sort_pays(1, 0))) continue;
                INFO("sorted " << sorted);
                std::vector<std::vector<T>> found = values;
                std::vector<generated_kernels::Array<T>> arguments(found.begin(), found.end());
                kernels.run<T>(*device, i, arguments, records, nullptr, sorted);
                for (std::size_t x = 0; x < found.back().size(); ++x) {
                    const double expected = static_cast<double>(wanted.back()[x]),
                                 got = static_cast<double>(found.back()[x]);
                    if (!(std::abs(got - expected) <= (sorted ? 0 : tolerance) * (1 + std::abs(expected)))) {
                        CAPTURE(x, expected, got);
                        CHECK(false);
                        break;
                    }
                }
            }
        }
    }
}

}  // namespace

TEST_CASE("GPU text: operations of whole blocks as on the processor") {
    examine<float>(1e-4);
    examine<double>(1e-12);
}

TEST_CASE("NVRTC compiles the operations of whole blocks") {
    on_gpu::cuda::Compiler compiler("a device", {90, true}, on_gpu::cuda::KernelCache(""));
    for (const detail::Operation o : operations)
        for (const detail::ElementType element : {detail::ElementType::float32, detail::ElementType::float64}) {
            INFO(name(o));
            OneKernel one = kernel_of(o, true);
            const on_gpu::GeneratedKernel generated = on_gpu::generate_blocks(one.view(element), one.kernel);
            Kernels kernels;
            kernels.add(generated);
            CHECK(generated.other.empty() == !sorts(o));
            CHECK(compiler.compile(kernels.text()).substr(1, 3) == "ELF");
        }
}

TEST_CASE("NVRTC compiles the source of custom operations") {
    on_gpu::cuda::Compiler compiler("a device", {90, true}, on_gpu::cuda::KernelCache(""));
    for (const detail::ElementType element : {detail::ElementType::float32, detail::ElementType::float64}) {
        std::vector<OneKernel> ones;
        for (const std::uint64_t part : {0, 1, 2}) ones.push_back(custom_kernel<Damped>(part));
        ones.push_back(custom_kernel<Turned>(0));
        Kernels kernels;
        for (OneKernel& one : ones) kernels.add(on_gpu::generate_blocks(one.view(element), one.kernel));
        CHECK(compiler.compile(kernels.text()).substr(1, 3) == "ELF");
    }
}

TEST_CASE("A GPU needs the source of a custom operation") {
    OneKernel one = custom_kernel<OnCpuOnly>(0);
    try {
        (void)on_gpu::generate_blocks(one.view(detail::ElementType::float32), one.kernel);
        FAIL("nothing was thrown");
    } catch (const ArgumentError& error) {
        CHECK_THAT(error.what(), Catch::Contains("'on_cpu_only' has no source for a GPU"));
    }
}
