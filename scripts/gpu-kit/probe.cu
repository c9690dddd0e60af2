// SPDX-License-Identifier: BSL-1.0
// Measures what the design of the GPU backend depends on, in about a minute: nodes of graphs, barriers, copies,
// epilogues of cuBLASLt and NaN through its relu, its first algorithm compared with the best of 16. Compiles alone:
//   nvcc -O3 -std=c++17 -arch=sm_90 probe.cu -lcublasLt -o probe && ./probe
#include <cooperative_groups.h>
#include <cublasLt.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>
#include <vector>

#define OK(x)                                                                \
    do {                                                                     \
        auto e_ = (x);                                                       \
        if (int(e_) != 0) {                                                  \
            std::printf("FAILED %s = %d, line %d\n", #x, int(e_), __LINE__); \
            std::exit(1);                                                    \
        }                                                                    \
    } while (0)

static cudaStream_t stream, other;
static cublasLtHandle_t lt;
static void* workspace;
static const size_t workspace_bytes = 32u << 20;

static double us(const std::function<void()>& f, int times) {  // minimum of 5 samples
    cudaEvent_t a, b;
    OK(cudaEventCreate(&a));
    OK(cudaEventCreate(&b));
    f();
    f();
    OK(cudaStreamSynchronize(stream));
    double least = 1e30;
    for (int s = 0; s < 5; ++s) {
        OK(cudaEventRecord(a, stream));
        for (int i = 0; i < times; ++i) f();
        OK(cudaEventRecord(b, stream));
        OK(cudaEventSynchronize(b));
        float ms = 0;
        OK(cudaEventElapsedTime(&ms, a, b));
        least = std::min(least, 1e3 * ms / times);
    }
    cudaEventDestroy(a);
    cudaEventDestroy(b);
    return least;
}
static cudaGraphExec_t captured(const std::function<void()>& f) {
    cudaGraph_t g;
    cudaGraphExec_t e;
    OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    f();
    OK(cudaStreamEndCapture(stream, &g));
    OK(cudaGraphInstantiate(&e, g, 0));
    cudaGraphDestroy(g);
    return e;
}
static double graph_us(const std::function<void()>& f, int times = 20) {
    const cudaGraphExec_t e = captured(f);
    const double t = us([&] { OK(cudaGraphLaunch(e, stream)); }, times);
    cudaGraphExecDestroy(e);
    return t;
}

// ---- 1. kernels ----
__global__ void nothing(float*) {}
__global__ void one_pass(const float* x, float* y, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i] + 1;
}
__global__ void one_pass_pdl(const float* x, float* y, int n) {
    asm volatile("griddepcontrol.launch_dependents;");
    asm volatile("griddepcontrol.wait;" ::: "memory");
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i] + 1;
}
__global__ void grid_barriers(int n) {
    auto g = cooperative_groups::this_grid();
    for (int i = 0; i < n; ++i) g.sync();
}
__global__ void cluster_barriers(int n) {
    for (int i = 0; i < n; ++i)
        asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}
__global__ void chain1(const float* a, const float* b, const float* c, float* d, long long n) {
    for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (long long)gridDim.x * blockDim.x)
        d[i] = a[i] * b[i] + c[i] * expf(-a[i]);
}
__global__ void chain4(const float4* __restrict__ a, const float4* __restrict__ b, const float4* __restrict__ c,
                       float4* __restrict__ d, long long n) {
    for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += (long long)gridDim.x * blockDim.x) {
        const float4 x = a[i], y = b[i], z = c[i];
        d[i] = {x.x * y.x + z.x * expf(-x.x), x.y * y.y + z.y * expf(-x.y), x.z * y.z + z.z * expf(-x.z),
                x.w * y.w + z.w * expf(-x.w)};
    }
}

// ---- 2. products in Sigma's layout: rows in memory, C^T = B^T A^T ----
struct Gemm {
    const char* name;
    int rows, columns, inner;
    bool ta, tb;
};  // C[rows, columns], summed over inner; A or B is read transposed
struct Made {
    cublasLtMatmulDesc_t op;
    cublasLtMatrixLayout_t a, b, c;
    std::vector<cublasLtMatmulHeuristicResult_t> found;
};
static Made make(const Gemm& g, cublasComputeType_t compute, cublasLtEpilogue_t epilogue, const void* bias, void* aux,
                 int most, bool device_scalars = false) {
    Made m;
    OK(cublasLtMatmulDescCreate(&m.op, compute, CUDA_R_32F));
    const cublasOperation_t opa = g.tb ? CUBLAS_OP_T : CUBLAS_OP_N, opb = g.ta ? CUBLAS_OP_T : CUBLAS_OP_N;
    OK(cublasLtMatmulDescSetAttribute(m.op, CUBLASLT_MATMUL_DESC_TRANSA, &opa, sizeof opa));
    OK(cublasLtMatmulDescSetAttribute(m.op, CUBLASLT_MATMUL_DESC_TRANSB, &opb, sizeof opb));
    OK(cublasLtMatmulDescSetAttribute(m.op, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue, sizeof epilogue));
    const cublasLtPointerMode_t mode = device_scalars ? CUBLASLT_POINTER_MODE_DEVICE : CUBLASLT_POINTER_MODE_HOST;
    OK(cublasLtMatmulDescSetAttribute(m.op, CUBLASLT_MATMUL_DESC_POINTER_MODE, &mode, sizeof mode));
    if (bias) OK(cublasLtMatmulDescSetAttribute(m.op, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &bias, sizeof bias));
    if (aux) {
        OK(cublasLtMatmulDescSetAttribute(m.op, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, &aux, sizeof aux));
        const int64_t ld = (g.columns + 127) / 128 * 128;
        OK(cublasLtMatmulDescSetAttribute(m.op, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, &ld, sizeof ld));
    }
    const auto layout = [](cublasLtMatrixLayout_t& l, int r, int c, int ld) {
        OK(cublasLtMatrixLayoutCreate(&l, CUDA_R_32F, r, c, ld));
    };
    const int columns_row = (g.columns + 15) / 16 * 16;
    if (g.tb) layout(m.a, g.inner, g.columns, (g.inner + 15) / 16 * 16);
    else layout(m.a, g.columns, g.inner, columns_row);
    if (g.ta) layout(m.b, g.rows, g.inner, (g.rows + 15) / 16 * 16);
    else layout(m.b, g.inner, g.rows, (g.inner + 15) / 16 * 16);
    layout(m.c, g.columns, g.rows, columns_row);
    cublasLtMatmulPreference_t p;
    OK(cublasLtMatmulPreferenceCreate(&p));
    OK(cublasLtMatmulPreferenceSetAttribute(p, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &workspace_bytes,
                                            sizeof workspace_bytes));
    m.found.resize(most);
    int n = 0;
    if (cublasLtMatmulAlgoGetHeuristic(lt, m.op, m.a, m.b, m.c, m.c, p, most, m.found.data(), &n) !=
        CUBLAS_STATUS_SUCCESS)
        n = 0;
    m.found.resize(n);
    cublasLtMatmulPreferenceDestroy(p);
    return m;
}
static cublasStatus_t run(const Made& m, int which, const float* a, const float* b, float* c, float alpha = 1,
                          float beta = 0) {
    return cublasLtMatmul(lt, m.op, &alpha, b, m.a, a, m.b, &beta, c, m.c, c, m.c, &m.found[which].algo, workspace,
                          workspace_bytes, stream);
}

int main() {
    OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    OK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    OK(cublasLtCreate(&lt));
    OK(cudaMalloc(&workspace, workspace_bytes));
    cudaDeviceProp p;
    OK(cudaGetDeviceProperties(&p, 0));
    int driver = 0, runtime = 0;
    cudaDriverGetVersion(&driver);
    cudaRuntimeGetVersion(&runtime);
    std::printf("%s, %d SMs, L2 %d MB, driver %d, runtime %d, cublasLt %zu\n", p.name, p.multiProcessorCount,
                p.l2CacheSize >> 20, driver, runtime, cublasLtGetVersion());
    const long long n = 25'000'000;
    float* x[4];
    for (float*& each : x) {
        OK(cudaMalloc(&each, n * 4));
        std::vector<float> v(n);
        for (long long i = 0; i < n; ++i) v[i] = float(i * 7919 % 997) / 997 - 0.5f;
        OK(cudaMemcpy(each, v.data(), n * 4, cudaMemcpyHostToDevice));
    }
    void* aux;
    OK(cudaMalloc(&aux, 64 << 20));
    OK(cudaMemset(aux, 0, 64 << 20));

    std::printf("\n-- nodes of a graph, us each (100 in a line)\n");
    std::printf("empty %.3f\n", graph_us([] {
                                    for (int i = 0; i < 100; ++i) nothing<<<1, 32, 0, stream>>>(nullptr);
                                }) / 100);
    for (const int blocks : {1, 13, 50, 132})
        std::printf("x+1, %3d blocks of 256: %.3f\n", blocks, graph_us([&] {
                                                                  for (int i = 0; i < 100; ++i)
                                                                      one_pass<<<blocks, 256, 0, stream>>>(
                                                                          x[i & 1], x[1 - (i & 1)], blocks * 256);
                                                              }) / 100);
    std::printf("the same, 13 blocks, programmatic launch: %.3f\n",
                graph_us([&] {
                    for (int i = 0; i < 100; ++i) {
                        cudaLaunchAttribute at[1];
                        at[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
                        at[0].val.programmaticStreamSerializationAllowed = 1;
                        cudaLaunchConfig_t c{};
                        c.gridDim = 13;
                        c.blockDim = 256;
                        c.stream = stream;
                        c.attrs = at;
                        c.numAttrs = 1;
                        OK(cudaLaunchKernelEx(&c, one_pass_pdl, (const float*)x[i & 1], x[1 - (i & 1)], 13 * 256));
                    }
                }) / 100);
    cudaEvent_t fork, join;
    OK(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
    OK(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));
    std::printf("two branches of 1 between joins, a pair: %.3f\n",
                graph_us([&] {
                    for (int i = 0; i < 50; ++i) {
                        OK(cudaEventRecord(fork, stream));
                        OK(cudaStreamWaitEvent(other, fork, 0));
                        one_pass<<<13, 256, 0, stream>>>(x[0], x[1], 13 * 256);
                        one_pass<<<13, 256, 0, other>>>(x[2], x[3], 13 * 256);
                        OK(cudaEventRecord(join, other));
                        OK(cudaStreamWaitEvent(stream, join, 0));
                    }
                }) / 50);
    std::printf("one fork of 2 x 20 nodes: %.3f\n", graph_us([&] {
                    OK(cudaEventRecord(fork, stream));
                    OK(cudaStreamWaitEvent(other, fork, 0));
                    for (int i = 0; i < 20; ++i) {
                        one_pass<<<13, 256, 0, stream>>>(x[0], x[1], 13 * 256);
                        one_pass<<<13, 256, 0, other>>>(x[2], x[3], 13 * 256);
                    }
                    OK(cudaEventRecord(join, other));
                    OK(cudaStreamWaitEvent(stream, join, 0));
                }));
    const cudaGraphExec_t twenty = captured([&] {
        for (int i = 0; i < 20; ++i) one_pass<<<13, 256, 0, stream>>>(x[i & 1], x[1 - (i & 1)], 13 * 256);
    });
    const double one = us([&] { OK(cudaGraphLaunch(twenty, stream)); }, 100),
                 inside = graph_us([&] {
                              for (int i = 0; i < 200; ++i)
                                  one_pass<<<13, 256, 0, stream>>>(x[i & 1], x[1 - (i & 1)], 13 * 256);
                          }) /
                          10;
    std::printf(
        "graph of 20 nodes, launched again and again: %.2f; as a tenth of one graph of 200: %.2f; so between graphs "
        "%.2f\n",
        one, inside, one - inside);
    void* pinned;
    OK(cudaHostAlloc(&pinned, 128 << 20, 0));
    std::printf("the same with 384 bytes uploaded before each: %.2f\n",
                us(
                    [&] {
                        OK(cudaMemcpyAsync(x[3], pinned, 384, cudaMemcpyHostToDevice, stream));
                        OK(cudaGraphLaunch(twenty, stream));
                    },
                    100));
    {
        const auto t0 = std::chrono::steady_clock::now();
        for (int i = 0; i < 200; ++i) OK(cudaGraphLaunch(twenty, stream));
        const auto t1 = std::chrono::steady_clock::now();
        cudaStreamSynchronize(stream);
        std::printf("the host's time to launch it: %.2f\n", std::chrono::duration<double>(t1 - t0).count() * 1e6 / 200);
    }

    std::printf("\n-- barriers, us each\n");
    for (const int blocks : {16, 66, 132}) {
        int rounds = 1000;
        void* args[] = {&rounds};
        std::printf(
            "grid of %3d blocks of 256: %.3f\n", blocks,
            us([&] { OK(cudaLaunchCooperativeKernel((void*)grid_barriers, dim3(blocks), dim3(256), args, 0, stream)); },
               3) /
                rounds);
    }
    for (const int blocks : {8, 16}) {
        OK(cudaFuncSetAttribute(cluster_barriers, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
        cudaLaunchAttribute at[1];
        at[0].id = cudaLaunchAttributeClusterDimension;
        at[0].val.clusterDim = {(unsigned)blocks, 1, 1};
        cudaLaunchConfig_t c{};
        c.gridDim = blocks;
        c.blockDim = 256;
        c.stream = stream;
        c.attrs = at;
        c.numAttrs = 1;
        std::printf("cluster of %2d blocks of 256: %.3f\n", blocks,
                    us([&] { OK(cudaLaunchKernelEx(&c, cluster_barriers, 1000)); }, 3) / 1000);
    }

    std::printf("\n-- d = a*b + c*exp(-a), 1e7 elements: GB/s\n");
    const double copy =
        2.0 * 4 * n / us([&] { OK(cudaMemcpyAsync(x[1], x[0], n * 4, cudaMemcpyDeviceToDevice, stream)); }, 20) / 1e3;
    std::printf("copy %.0f\n", copy);
    for (const int blocks : {1056, 2112, 4224, 8448})
        std::printf(
            "%4d blocks: one at a time %.0f, four at a time %.0f\n", blocks,
            160e6 / us([&] { chain1<<<blocks, 256, 0, stream>>>(x[0], x[1], x[2], x[3], 10'000'000); }, 20) / 1e3,
            160e6 /
                us(
                    [&] {
                        chain4<<<blocks, 256, 0, stream>>>((float4*)x[0], (float4*)x[1], (float4*)x[2], (float4*)x[3],
                                                           2'500'000);
                    },
                    20) /
                1e3);

    std::printf("\n-- copies of 80 MB, ms\n");
    std::vector<char> pageable(80 << 20, 1);
    const auto host_ms = [&](const std::function<void()>& f) {
        f();
        const auto t0 = std::chrono::steady_clock::now();
        for (int i = 0; i < 3; ++i) f();
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - t0).count() * 1e3 / 3;
    };
    std::printf("down to pageable %.1f, to pinned %.1f, host to host %.1f, on the device %.2f\n", host_ms([&] {
                    cudaMemcpyAsync(pageable.data(), x[0], 80 << 20, cudaMemcpyDeviceToHost, stream);
                    cudaStreamSynchronize(stream);
                }),
                host_ms([&] {
                    cudaMemcpyAsync(pinned, x[0], 80 << 20, cudaMemcpyDeviceToHost, stream);
                    cudaStreamSynchronize(stream);
                }),
                host_ms([&] { std::memcpy(pinned, pageable.data(), 80 << 20); }), host_ms([&] {
                    cudaMemcpyAsync(x[1], x[0], 80 << 20, cudaMemcpyDeviceToDevice, stream);
                    cudaStreamSynchronize(stream);
                }));

    std::printf("\n-- epilogues that float has (how many algorithms), and NaN through relu\n");
    const struct {
        const char* name;
        cublasLtEpilogue_t e;
        bool bias, aux;
    } epilogues[] = {{"none", CUBLASLT_EPILOGUE_DEFAULT, 0, 0},
                     {"bias", CUBLASLT_EPILOGUE_BIAS, 1, 0},
                     {"relu", CUBLASLT_EPILOGUE_RELU, 0, 0},
                     {"relu+bias", CUBLASLT_EPILOGUE_RELU_BIAS, 1, 0},
                     {"relu+aux+bias", CUBLASLT_EPILOGUE_RELU_AUX_BIAS, 1, 1},
                     {"drelu", CUBLASLT_EPILOGUE_DRELU, 0, 1},
                     {"drelu+bgrad", CUBLASLT_EPILOGUE_DRELU_BGRAD, 1, 1},
                     {"bgrad A", CUBLASLT_EPILOGUE_BGRADA, 1, 0},
                     {"bgrad B", CUBLASLT_EPILOGUE_BGRADB, 1, 0}};
    const Gemm two[] = {{"100x128 over 784", 100, 128, 784, false, false},
                        {"1024x4096 over 784", 1024, 4096, 784, false, false}};
    for (const Gemm& g : two)
        for (const cublasComputeType_t compute : {CUBLAS_COMPUTE_32F, CUBLAS_COMPUTE_32F_FAST_TF32})
            for (const auto& e : epilogues) {
                const Made m = make(g, compute, e.e, e.bias ? x[3] : nullptr, e.aux ? aux : nullptr, 8);
                std::printf("%s %s %s: %zu", g.name, compute == CUBLAS_COMPUTE_32F ? "float" : "tf32", e.name,
                            m.found.size());
                if (!m.found.empty() && (e.e == CUBLASLT_EPILOGUE_RELU || e.e == CUBLASLT_EPILOGUE_RELU_BIAS)) {
                    int kept = 0;
                    for (size_t i = 0; i < m.found.size(); ++i) {
                        float first = 0;
                        if (run(m, i, x[0], x[1], x[2], std::numeric_limits<float>::quiet_NaN()) !=
                            CUBLAS_STATUS_SUCCESS)
                            continue;
                        cudaMemcpyAsync(&first, x[2], 4, cudaMemcpyDeviceToHost, stream);
                        cudaStreamSynchronize(stream);
                        kept += std::isnan(first);
                    }
                    std::printf(", NaN kept by %d", kept);
                }
                std::printf("\n");
            }

    std::printf(
        "\n-- products of the steps: us of the first algorithm, of the best of 16, nodes of the best, TFLOP/s of the "
        "best\n");
    const Gemm all[] = {
        {"mlp100 forward 1", 100, 128, 784, false, false}, {"mlp100 forward 2", 100, 64, 128, false, false},
        {"mlp100 forward 3", 100, 10, 64, false, false},   {"mlp100 back 3", 100, 64, 10, false, true},
        {"mlp100 back 2", 100, 128, 64, false, true},      {"mlp100 weights 1", 784, 128, 100, true, false},
        {"mlp100 weights 2", 128, 64, 100, true, false},   {"mlp100 weights 3", 64, 10, 100, true, false},
        {"lstm forward", 16, 512, 128, false, false},      {"lstm back", 16, 128, 512, false, false},
        {"wide forward", 1024, 4096, 4096, false, false},  {"wide back", 1024, 4096, 4096, false, true},
        {"wide weights", 4096, 4096, 1024, true, false}};
    for (const cublasComputeType_t compute :
         {CUBLAS_COMPUTE_32F, CUBLAS_COMPUTE_32F_FAST_TF32, CUBLAS_COMPUTE_32F_FAST_16BF})
        for (const Gemm& g : all) {
            const bool small = 2e-6 * g.rows * g.columns * g.inner < 100;
            if (compute != CUBLAS_COMPUTE_32F && small) continue;
            const Made m = make(g, compute, CUBLASLT_EPILOGUE_DEFAULT, nullptr, nullptr, 16);
            double first = 0, best = 1e30;
            size_t which = 0;
            for (size_t i = 0; i < m.found.size(); ++i) {
                if (run(m, i, x[0], x[1], x[2]) != CUBLAS_STATUS_SUCCESS) continue;
                const int copies = small ? 50 : 2;
                const double t = graph_us(
                                     [&] {
                                         for (int k = 0; k < copies; ++k) run(m, i, x[0], x[1], x[2]);
                                     },
                                     5) /
                                 copies;
                if (i == 0) first = t;
                if (t < best) best = t, which = i;
            }
            size_t nodes = 0;
            if (!m.found.empty()) {
                cudaGraph_t gr;
                OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
                run(m, which, x[0], x[1], x[2]);
                OK(cudaStreamEndCapture(stream, &gr));
                cudaGraphGetNodes(gr, nullptr, &nodes);
                cudaGraphDestroy(gr);
            }
            std::printf("%-18s %s: %.2f %.2f (number %zu of %zu) %zu %.1f\n", g.name,
                        compute == CUBLAS_COMPUTE_32F             ? "float"
                        : compute == CUBLAS_COMPUTE_32F_FAST_TF32 ? "tf32"
                                                                  : "bf16",
                        first, best, which, m.found.size(), nodes, 2e-6 * g.rows * g.columns * g.inner / best);
        }
    return 0;
}
