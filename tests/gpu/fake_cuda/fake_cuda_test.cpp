// SPDX-License-Identifier: BSL-1.0
// Tests of the CUDA backend with the runtime and cuBLASLt of fake_cuda, so that its logic runs without a GPU. NVRTC is
// real. This is a separate program, because it links neither cudart nor cublasLt.
#include "../cuda_step_launches.hpp"
#include "algorithms.hpp"
#include "products.hpp"

#include <support/scratch.hpp>

#include "../cuda_backend_test.cpp"
#include "../cuda_product_test.cpp"
#ifdef SIGMA_NCCL
#include "nccl_test.hpp"
#endif

namespace {

const bool ready = [] {
    fake_cuda::machine().kernels["add_index"] = {2, [](const std::uint64_t* words, unsigned, unsigned) {
                                                     auto* const to = std::bit_cast<float*>(words[0]);
                                                     for (std::uint64_t i = 0; i < words[1]; ++i)
                                                         to[i] += static_cast<float>(i);
                                                 }};
    fake_cuda::machine().kernels["fault"] = {
        1, [](const std::uint64_t*, unsigned, unsigned) { fake_cuda::machine().broken = cudaErrorIllegalAddress; }};
    return true;
}();

}  // namespace

TEST_CASE("a CUDA kernel that fails is named, as far as can be known", "[fake_cuda_test]") {
    for (const bool examine : {true, false}) {
        GpuOptions options;
        options.check_each_kernel = examine;
        const auto device = cuda_device(options);
        const auto module =
            device->compile("struct fault_words { float* p0; };\nSIGMA_KERNEL(fault, 32, fault_words) {}\n");
        const std::uint64_t words[] = {0};
        auto* const data = uploaded<float>(*device, {1, 2, 3});
        const auto work = [&] {
            device->clear(data, 4);
            device->launch({module->function("fault"), 1, 32, words, std::string("kernel 3, move").c_str()});
            device->clear(data, 4);
        };
        const auto fails = [&](const std::function<void()>& how) {
            try {
                how();
                FAIL("expected an error");
            } catch (const KernelError& e) {
                if (examine) CHECK(e.operation == "kernel 3, move");
                else
                    CHECK_THAT(e.what(), Catch::Contains("this or one of the 2 operations before, from 'clearing' on"));
                CHECK_THAT(e.what(), Catch::Contains("cudaErrorIllegalAddress"));
            }
            fake_cuda::machine().broken = cudaSuccess;
            device->synchronize();
        };
        const auto replay = device->capture(work);
        fails([&] { work(), device->synchronize(); });
        fails([&] { replay->run(), device->synchronize(); });
        device->release(data);
    }
}

TEST_CASE("devices that are too old, or newer than the compiler, are told apart", "[fake_cuda_test]") {
    auto& machine = fake_cuda::machine();
    machine.major = 6;
    CHECK_THROWS_AS(on_gpu::cuda::open_cuda(), ArchitectureError);
    machine.major = 99;
    machine.kernels["sigma_trial"] = {1, [](const std::uint64_t*, unsigned, unsigned) {}};
    CHECK(on_gpu::cuda::open_cuda()->name() == "Fake H100");
    machine.next_load = cudaErrorUnsupportedPtxVersion;
    CHECK_THROWS_AS(on_gpu::cuda::open_cuda(), ArchitectureError);
    machine.next_load = cudaSuccess;
    machine.major = 9;
    GpuOptions third;
    third.device = 2;
    CHECK_THROWS_WITH(on_gpu::cuda::open_cuda(third),
                      Catch::Contains("gpu(2): there is no such device; there are devices 0 to 0"));
    machine.devices = 0;
    CHECK_THROWS_WITH(on_gpu::cuda::open_cuda(),
                      "gpu(0): there is no CUDA device (no CUDA-capable device is detected)");
    machine.devices = 1;
    machine.driver = 0;
    CHECK_THROWS_WITH(on_gpu::cuda::open_cuda(), "gpu(0): there is no CUDA device (there is no driver)");
    machine.driver = 12040;
    CHECK_THROWS_WITH(on_gpu::cuda::open_cuda(),
                      Catch::Contains("(the driver is for CUDA 12.4, the CUDA runtime is 13.0)"));
    machine.driver = 13000;
}

TEST_CASE("a device short of memory opens with less for products", "[fake_cuda_test]") {
    auto& machine = fake_cuda::machine();
    const std::size_t before = machine.memory;
    for (const std::size_t memory : {std::size_t{8} << 20, std::size_t{1} << 20}) {
        machine.memory = memory;
        const auto device = on_gpu::cuda::open_cuda();
        CHECK(machine.used() <= memory);
    }
    machine.memory = before;
}

TEST_CASE("a library whose relu makes zeros of NaN is asked for products without it", "[fake_cuda_test]") {
    CHECK(fake_cuda::machine().relu_hides_nan);  // the other tests use the likely behavior of the library
    for (const bool hides : {true, false}) {
        fake_cuda::machine().relu_hides_nan = hides;
        const auto device = cuda_device();
        Product p;
        p.rows = p.columns = p.inner = p.a_row = p.b_row = p.c_row = 2;
        const std::vector<float> values{1, 2, -3, 4};
        p.a = uploaded(*device, values), p.b = uploaded(*device, values), p.c = uploaded(*device, values);
        p.epilogue = sigma::detail::ProductEpilogue::relu;
        CHECK(device->product(p) == !hides);
        CHECK(device->product(p) == !hides);
        if (!hides) CHECK(downloaded(*device, static_cast<const float*>(p.c), 4) == std::vector<float>{0, 10, 0, 10});
        p.epilogue = sigma::detail::ProductEpilogue::none;
        CHECK(device->product(p));
        CHECK(downloaded(*device, static_cast<const float*>(p.c), 4) == std::vector<float>{-5, 10, -15, 10});
        p.epilogue = sigma::detail::ProductEpilogue::bias_relu,
        p.bias = p.b;  // needs a trial, which a capture does not allow
        const auto replay = device->capture([&] { CHECK_FALSE(device->product(p)); });
        for (const void* each : {p.a, p.b, static_cast<const void*>(p.c)}) device->release(const_cast<void*>(each));
    }
    fake_cuda::machine().relu_hides_nan = true;
}

TEST_CASE("of the library's algorithms the fastest is taken, and kept for the next program", "[fake_cuda_test]") {
    auto& machine = fake_cuda::machine();
    const std::string before = std::getenv("SIGMA_CUDA_CACHE") ? std::getenv("SIGMA_CUDA_CACHE") : "";
    const Scratch folder;
    ::setenv("SIGMA_CUDA_CACHE", folder.path.c_str(), 1);
    machine.relu_hides_nan = false;
    machine.hide_nan = {2};
    machine.products = {9, 2.1, 2};  // the second is within a tenth of the third, and earlier
    struct Row {
        sigma::detail::ProductEpilogue epilogue;
        std::vector<double> products;
        double each, trials;  // microseconds of a product, and most microseconds of trials before it
    };
    const double tried = 60 * (9 + 2.1 + 2);
    for (const Row& row :
         {Row{sigma::detail::ProductEpilogue::none, {9, 2.1, 2}, 2.1, tried},
          Row{sigma::detail::ProductEpilogue::none, {9, 2.1, 2}, 2.1, 0},       // found in the cache
          Row{sigma::detail::ProductEpilogue::relu, {9, 5, 2}, 5, tried},       // the fastest loses NaN
          Row{sigma::detail::ProductEpilogue::relu, {9, 5, 2}, 5, 6},           // one trial of its relu
          Row{sigma::detail::ProductEpilogue::none, {300, 200}, 200, 2000}}) {  // long work is not replayed
        machine.products = row.products;
        const auto device = cuda_device();
        Product p;
        p.rows = p.columns = p.inner = p.a_row = p.b_row = p.c_row = 2;
        p.accumulate = row.epilogue == sigma::detail::ProductEpilogue::none;
        p.epilogue = row.epilogue;
        const std::vector<float> values{1, 2, -3, 4};
        p.a = uploaded(*device, values), p.b = uploaded(*device, values), p.c = uploaded(*device, values);
        const double began = machine.clock;
        CHECK(device->product(p));
        device->synchronize();
        const double first = machine.clock - began;
        CHECK(first <= row.each + row.trials + 1e-9);
        CHECK((row.trials < 10 || first > 10 * row.each || row.each > 100));
        CHECK(downloaded(*device, static_cast<const float*>(p.c), 4) ==
              (p.accumulate ? std::vector<float>{-4, 12, -18, 14} : std::vector<float>{0, 10, 0, 10}));
        CHECK(device->product(p));
        device->synchronize();
        CHECK(machine.clock - began - first == Approx(row.each));
        for (const void* each : {p.a, p.b, static_cast<const void*>(p.c)}) device->release(const_cast<void*>(each));
    }
    machine.products = {1};
    machine.hide_nan.clear();
    machine.relu_hides_nan = true;
    if (before.empty()) ::unsetenv("SIGMA_CUDA_CACHE");
    else ::setenv("SIGMA_CUDA_CACHE", before.c_str(), 1);
}

TEST_CASE("a device for which nothing was compiled to sort is not asked to", "[fake_cuda_test]") {
    for (const bool sorts : {false, true}) {
        fake_cuda::machine().sorts = sorts;
        CHECK(cuda_device()->sort_pays(1, 1) == sorts);
    }
}

TEST_CASE("a graph has a node for each launch of a training step", "[fake_cuda_test]") {
    fake_cuda::machine().any_kernel = true;
    for (const bool hides : {true, false}) {
        fake_cuda::machine().relu_hides_nan = hides;
        CHECK(step_launches::check_all_launches(true) == (hides ? 0 : 6));
    }
    fake_cuda::machine().relu_hides_nan = true;
    fake_cuda::machine().any_kernel = false;
}

TEST_CASE("nothing of CUDA is left or misused", "[fake_cuda_test]") {
    CHECK(ready);
    {
        const auto device = cuda_device();
        const auto module = device->compile(add_index_text);
        const auto replay = device->capture([] {});
    }
    CHECK(fake_cuda::machine().allocated.empty());
    CHECK(fake_cuda::machine().pinned.empty());
    CHECK(fake_cuda::machine().streams.empty());
    CHECK(fake_cuda::machine().misuse.empty());
}
