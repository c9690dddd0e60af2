// SPDX-License-Identifier: BSL-1.0
#include <sigma/device/gpu/cuda/batches.hpp>
#include <sigma/device/gpu/cuda/open.hpp>

#include <catch2/catch.hpp>
#include <support/scratch.hpp>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <unistd.h>

using namespace sigma;
using on_gpu::cuda::choose_target;
using on_gpu::cuda::Compiler;
using on_gpu::cuda::KernelCache;
using on_gpu::cuda::Target;
namespace files = std::filesystem;

namespace {

std::vector<files::path> content(const Scratch& folder) {
    std::vector<files::path> all;
    for (const auto& each : files::directory_iterator(folder.path)) all.push_back(each.path());
    return all;
}

std::string text_of(const std::string& kernel) {
    return sentence("struct ", kernel, "_words { float* p0; long long records; };\nSIGMA_KERNEL(", kernel, ", 256, ",
                    kernel,
                    "_words) {\n    SIGMA_SHARED float x[4];\n    float sum = 0;\n    for (long long i = SIGMA_THREAD; "
                    "i < w.records; "
                    "i += SIGMA_THREADS) sum = sum + expf(w.p0[i]);\n    sum = sigma_block_reduce<sigma_add>(sum);\n"
                    "    if (SIGMA_THREAD == 0) x[0] = sum;\n    SIGMA_SYNC();\n    w.p0[SIGMA_THREAD] = x[0];\n}\n");
}
std::string kernels_read(const files::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace

TEST_CASE("NVRTC compiles the language of kernels for all architectures that it knows", "[cuda_compiler_test]") {
    const auto supported = on_gpu::cuda::supported_architectures();
    REQUIRE_FALSE(supported.empty());
    for (const int each : {supported.front(), 90}) {
        Compiler machine("a device", {each, true}, KernelCache(""));
        CHECK(machine.compile(text_of("sum_all")).substr(1, 3) == "ELF");
    }
    Compiler translated("a device", {supported.back(), false}, KernelCache(""));
    CHECK_THAT(translated.compile(text_of("sum_all")), Catch::Contains(".visible .entry sum_all("));
}

TEST_CASE("a device gets code for its own architecture, or PTX, or a refusal", "[cuda_compiler_test]") {
    const int supported[] = {60, 75, 80, 86, 90, 100};
    const auto option = [&](int capability) { return choose_target(capability, supported)->option(); };
    CHECK(option(90) == "--gpu-architecture=sm_90");
    CHECK(option(75) == "--gpu-architecture=sm_75");
    CHECK(option(89) == "--gpu-architecture=compute_86");
    CHECK(option(130) == "--gpu-architecture=compute_100");
    CHECK_FALSE(choose_target(61, supported));
    CHECK_FALSE(choose_target(90, {}));
    CHECK_THROWS_WITH(on_gpu::cuda::target_for("GeForce", 61, supported),
                      "device 'GeForce': expected compute capability 7.5 or newer, found 6.1");
    CHECK_THROWS_AS(on_gpu::cuda::target_for("GeForce", 61, {}), ArchitectureError);
}

TEST_CASE("text that NVRTC does not take is an error with its first complaint", "[cuda_compiler_test]") {
    Compiler compiler("a device", {90, true}, KernelCache(""));
    try {
        compiler.compile("\nint f() { int unused; return nothing; }\n");
        FAIL("expected an error");
    } catch (const KernelError& e) {
        CHECK(e.operation == "compilation of kernels");
        CHECK_THAT(e.what(), Catch::Contains("NVRTC cannot compile it: NVRTC_ERROR_COMPILATION: kernels(2): error: "
                                             "identifier \"nothing\" is undefined"));
        CHECK(std::string(e.what()).find('\n') == std::string::npos);
    }
    Compiler unknown("a device", {12, true}, KernelCache(""));
    CHECK_THROWS_AS(unknown.compile(text_of("sum_all")), KernelError);
}

TEST_CASE("kernels are compiled once, and found again by the next program", "[cuda_compiler_test]") {
    const Scratch folder;
    const std::string directory = (folder.path / "deeper").string();
    Compiler first("a device", {90, true}, KernelCache(directory));
    const std::string code = first.compile(text_of("sum_all"));
    CHECK(first.compile(text_of("sum_all")) == code);
    CHECK(first.compilations() == 1);
    Compiler second("a device", {90, true}, KernelCache(directory));
    CHECK(second.compile(text_of("sum_all")) == code);
    CHECK(second.compilations() == 0);
    (void)second.compile(text_of("sum_other"));
    CHECK(second.compilations() == 1);
    Compiler older("a device", {80, true}, KernelCache(directory));
    CHECK(older.compile(text_of("sum_all")) != code);
    CHECK(older.compilations() == 1);
    CHECK(std::distance(files::directory_iterator(directory), {}) == 3);
}

TEST_CASE("damaged entries of the cache of kernels are compiled anew", "[cuda_compiler_test]") {
    const Scratch folder;
    Compiler compiler("a device", {90, true}, KernelCache(folder.path.string()));
    const std::string code = compiler.compile(text_of("sum_all"));
    REQUIRE(content(folder).size() == 1);
    const files::path path = content(folder)[0];
    const std::string whole = kernels_read(path);
    std::string changed = whole, title = whole;
    changed[whole.size() / 2] ^= 1;
    title[0] ^= 1;
    int compilations = 1;
    for (const std::string& bad :
         {changed, title, whole.substr(0, whole.size() - 1), whole.substr(0, 20), std::string(), whole + "x"}) {
        std::ofstream(path, std::ios::binary) << bad;
        CHECK(compiler.compile(text_of("sum_all")) == code);
        CHECK(compiler.compilations() == ++compilations);
        CHECK(kernels_read(path) == whole);
    }
}

TEST_CASE("a cache of kernels that cannot be written is no error", "[cuda_compiler_test]") {
    const Scratch folder;
    std::ofstream(folder.path / "file") << "in the way";
    for (const std::string& directory :
         {(folder.path / "file").string(), (folder.path / "file" / "below").string(), std::string()}) {
        Compiler compiler("a device", {90, true}, KernelCache(directory));
        CHECK_FALSE(compiler.compile(text_of("sum_all")).empty());
        CHECK_FALSE(compiler.compile(text_of("sum_all")).empty());
        CHECK(compiler.compilations() == 2);
    }
}

TEST_CASE("the cache of kernels stays within its size, and what is used stays in it", "[cuda_compiler_test]") {
    const Scratch folder;
    const KernelCache cache(folder.path.string(), 3500);
    const auto age = [&](const std::string& key, int minutes) {
        files::last_write_time(folder.path / (key + ".kernels"),
                               files::file_time_type::clock::now() - std::chrono::minutes(minutes));
    };
    const std::string content(1000, 'x');
    cache.keep("a", content), cache.keep("b", content), cache.keep("c", content);
    age("a", 30), age("b", 20), age("c", 10);
    CHECK(cache.find("a") == content);  // marked as used
    std::ofstream(folder.path / "somebody's") << "not ours";
    cache.keep("d", content);
    CHECK(cache.find("a"));
    CHECK_FALSE(cache.find("b"));
    CHECK(cache.find("c"));
    CHECK(cache.find("d"));
    CHECK(files::exists(folder.path / "somebody's"));
}

TEST_CASE("the environment says where kernels are kept", "[cuda_compiler_test]") {
    const auto with = [](const char* value) {
        const char* before = std::getenv("SIGMA_CUDA_CACHE");
        const std::string kept = before ? before : "";
        ::setenv("SIGMA_CUDA_CACHE", value, 1);
        const std::string directory = KernelCache::default_directory();
        if (before) ::setenv("SIGMA_CUDA_CACHE", kept.c_str(), 1);
        else ::unsetenv("SIGMA_CUDA_CACHE");
        return directory;
    };
    CHECK(with("/somewhere/else") == "/somewhere/else");
    CHECK(with("off").empty());
    CHECK(with("").ends_with("/kernels"));
}

TEST_CASE("two counts of products become one where they can", "[cuda_compiler_test]") {
    using on_gpu::cuda::batches_of;
    on_gpu::Product p;
    const auto set = [&](int n, long long count, long long a, long long b, long long c) {
        p.count[n] = count, p.a_stride[n] = a, p.b_stride[n] = b, p.c_stride[n] = c;
    };
    CHECK(batches_of(p).calls() == 1);
    set(0, 5, 40, 80, 120), set(1, 4, 10, 20, 30);
    CHECK(batches_of(p).each.count == 20);
    CHECK(batches_of(p).each.a == 10);
    set(0, 4, 10, 20, 30), set(1, 5, 40, 80, 120);
    CHECK(batches_of(p).each.count == 20);
    set(0, 5, 40, 0, 120), set(1, 4, 10, 20, 30);
    CHECK(batches_of(p).each.count == 5);
    CHECK(batches_of(p).calls() == 4);
    set(0, 5, 40, 80, 999), set(1, 4, 10, 20, 30);
    CHECK(batches_of(p).each.count == 5);
    set(0, 5, 40, 0, 0), set(1, 4, 10, 20, 30);
    CHECK(batches_of(p).each.count == 4);
    CHECK(batches_of(p).calls() == 5);
    set(1, 4, 10, 20, 0);
    CHECK(batches_of(p).each.count == 1);
    CHECK(batches_of(p).calls() == 20);
}
