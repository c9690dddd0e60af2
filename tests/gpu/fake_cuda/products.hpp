// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "runtime.hpp"

#include <cublasLt.h>

#include <algorithm>

// Products of cuBLASLt in float and double on the streams of the fake runtime. Matrices are column-major.
namespace fake_cuda {

struct Operation {
    cudaDataType_t scale = CUDA_R_32F;
    std::map<int, std::uint64_t> attributes;
    std::uint64_t operator[](int attribute) const {
        const auto found = attributes.find(attribute);
        return found == attributes.end() ? 0 : found->second;
    }
};
struct Layout {
    cudaDataType type = CUDA_R_32F;
    std::int64_t rows = 0, columns = 0, row = 0;
    std::int32_t count = 1;
    std::int64_t step = 0;
};

inline const Operation& operation(cublasLtMatmulDesc_t x) { return *reinterpret_cast<const Operation*>(x); }
inline const Layout& layout(cublasLtMatrixLayout_t x) { return *reinterpret_cast<const Layout*>(x); }

inline bool fits(const Operation& o, const Layout& a, const Layout& b, const Layout& c) {
    const bool turned = o[CUBLASLT_MATMUL_DESC_TRANSB] == CUBLAS_OP_T;
    const bool turned_a = o[CUBLASLT_MATMUL_DESC_TRANSA] == CUBLAS_OP_T;
    for (const Layout* x : {&a, &b, &c})
        if (x->row < x->rows || x->count != c.count || x->type != o.scale) return false;
    return (turned_a ? a.columns : a.rows) == c.rows &&
           (turned_a ? a.rows : a.columns) == (turned ? b.columns : b.rows) &&
           (turned ? b.rows : b.columns) == c.columns;
}

template <class T>
void multiply(const Operation& o, T alpha, T beta, const T* a, const Layout& la, const T* b, const Layout& lb, T* c,
              const Layout& lc, bool hides_nan) {
    const bool turned = o[CUBLASLT_MATMUL_DESC_TRANSB] == CUBLAS_OP_T;
    const bool turned_a = o[CUBLASLT_MATMUL_DESC_TRANSA] == CUBLAS_OP_T;
    const std::uint64_t epilogue = o[CUBLASLT_MATMUL_DESC_EPILOGUE];
    const auto* const bias = (epilogue & CUBLASLT_EPILOGUE_BIAS)
                                 ? reinterpret_cast<const T*>(o[CUBLASLT_MATMUL_DESC_BIAS_POINTER])
                                 : nullptr;
    for (std::int64_t n = 0; n < lc.count; ++n)
        for (std::int64_t j = 0; j < lc.columns; ++j)
            for (std::int64_t i = 0; i < lc.rows; ++i) {
                double sum = 0;
                for (std::int64_t k = 0; k < (turned_a ? la.rows : la.columns); ++k)
                    sum += double(turned_a ? a[n * la.step + i * la.row + k] : a[n * la.step + k * la.row + i]) *
                           double(turned ? b[n * lb.step + k * lb.row + j] : b[n * lb.step + j * lb.row + k]);
                T& to = c[n * lc.step + j * lc.row + i];
                double value = double(alpha) * sum;
                if (beta != 0) value += double(beta) * double(to);
                if (bias) value += double(bias[i]);
                if ((epilogue & CUBLASLT_EPILOGUE_RELU) && (value < 0 || (value != value && hides_nan))) value = 0;
                to = static_cast<T>(value);
            }
}

template <class T>
cublasStatus_t enqueue_product(const Operation& o, const void* alpha, const void* a, const Layout& la, const void* b,
                               const Layout& lb, const void* beta, void* c, const Layout& lc, std::uint64_t algorithm,
                               cudaStream_t stream) {
    const bool later = o[CUBLASLT_MATMUL_DESC_POINTER_MODE] == CUBLASLT_POINTER_MODE_DEVICE;
    const auto* const x = static_cast<const T*>(alpha);
    const auto* const y = static_cast<const T*>(beta);
    const T first = later ? T(0) : *x, second = later ? T(0) : *y;
    const cudaError_t code = enqueue(stream, [=] {
        machine().clock += machine().products[algorithm];
        multiply<T>(o, later ? *x : first, later ? *y : second, static_cast<const T*>(a), la, static_cast<const T*>(b),
                    lb, static_cast<T*>(c), lc, machine().relu_hides_nan || machine().hide_nan.contains(algorithm));
    });
    return code == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}

}  // namespace fake_cuda

extern "C" {

cublasStatus_t cublasLtCreate(cublasLtHandle_t* handle) {
    *handle = reinterpret_cast<cublasLtHandle_t>(new int);
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle) {
    delete reinterpret_cast<int*>(handle);
    return CUBLAS_STATUS_SUCCESS;
}
size_t cublasLtGetVersion() { return 130000; }
const char* cublasLtGetStatusString(cublasStatus_t) { return "a status of the fake"; }

cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t* made, cublasComputeType_t, cudaDataType_t scale) {
    *made = reinterpret_cast<cublasLtMatmulDesc_t>(new fake_cuda::Operation{scale, {}});
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t gone) {
    delete reinterpret_cast<fake_cuda::Operation*>(gone);
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t of, cublasLtMatmulDescAttributes_t attribute,
                                              const void* value, size_t bytes) {
    const std::size_t expected = attribute == CUBLASLT_MATMUL_DESC_BIAS_POINTER ? 8 : 4;
    if (bytes != expected) return CUBLAS_STATUS_INVALID_VALUE;
    std::uint64_t all = 0;
    std::memcpy(&all, value, bytes);
    reinterpret_cast<fake_cuda::Operation*>(of)->attributes[attribute] = all;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t* made, cudaDataType type, uint64_t rows,
                                          uint64_t columns, int64_t row) {
    *made = reinterpret_cast<cublasLtMatrixLayout_t>(
        new fake_cuda::Layout{type, static_cast<std::int64_t>(rows), static_cast<std::int64_t>(columns), row});
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t gone) {
    delete reinterpret_cast<fake_cuda::Layout*>(gone);
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t of, cublasLtMatrixLayoutAttribute_t attribute,
                                                const void* value, size_t bytes) {
    auto& to = *reinterpret_cast<fake_cuda::Layout*>(of);
    if (attribute == CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT && bytes == sizeof to.count)
        std::memcpy(&to.count, value, bytes);
    else if (attribute == CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET && bytes == sizeof to.step)
        std::memcpy(&to.step, value, bytes);
    else return CUBLAS_STATUS_INVALID_VALUE;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t* made) {
    *made = reinterpret_cast<cublasLtMatmulPreference_t>(new int);
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t gone) {
    delete reinterpret_cast<int*>(gone);
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t,
                                                    cublasLtMatmulPreferenceAttributes_t attribute, const void*,
                                                    size_t bytes) {
    return bytes == (attribute == CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES ? 8u : 4u) ? CUBLAS_STATUS_SUCCESS
                                                                                      : CUBLAS_STATUS_INVALID_VALUE;
}
cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t, cublasLtMatmulDesc_t o, cublasLtMatrixLayout_t a,
                                              cublasLtMatrixLayout_t b, cublasLtMatrixLayout_t c,
                                              cublasLtMatrixLayout_t, cublasLtMatmulPreference_t, int wanted,
                                              cublasLtMatmulHeuristicResult_t* results, int* count) {
    const auto algorithms = static_cast<int>(fake_cuda::machine().products.size());
    *count = fake_cuda::fits(fake_cuda::operation(o), fake_cuda::layout(a), fake_cuda::layout(b), fake_cuda::layout(c))
                 ? std::min(wanted, algorithms)
                 : 0;
    for (int i = 0; i < *count; ++i) {
        results[i] = {};
        results[i].state = CUBLAS_STATUS_SUCCESS;
        results[i].algo.data[0] = static_cast<std::uint64_t>(i);
    }
    return *count ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_SUPPORTED;
}
cublasStatus_t cublasLtMatmul(cublasLtHandle_t, cublasLtMatmulDesc_t o, const void* alpha, const void* a,
                              cublasLtMatrixLayout_t la, const void* b, cublasLtMatrixLayout_t lb, const void* beta,
                              const void* c, cublasLtMatrixLayout_t lc, void* d, cublasLtMatrixLayout_t,
                              const cublasLtMatmulAlgo_t* algorithm, void*, size_t, cudaStream_t stream) {
    using namespace fake_cuda;
    if (c != d) return CUBLAS_STATUS_INVALID_VALUE;
    const auto enqueue_one = operation(o).scale == CUDA_R_32F ? enqueue_product<float> : enqueue_product<double>;
    return enqueue_one(operation(o), alpha, a, layout(la), b, layout(lb), beta, d, layout(lc), algorithm->data[0],
                       stream);
}

}  // extern "C"
