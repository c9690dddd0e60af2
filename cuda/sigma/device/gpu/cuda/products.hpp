// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/device/gpu/backend.hpp>
#include <sigma/device/gpu/cuda/batches.hpp>
#include <sigma/device/gpu/cuda/cache.hpp>
#include <sigma/device/gpu/cuda/context.hpp>
#include <sigma/device/gpu/cuda/trials.hpp>
#include <sigma/storage/hash.hpp>

#include <cublasLt.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

namespace sigma::on_gpu::cuda {

/// Products by cuBLASLt. The caller must hold the lock of the device. The library's matrices are column-major and ours
/// are row-major, so it computes C^T = B^T · A^T: its first operand is our B, and its rows are our columns.
///
/// The fastest algorithm that the library proposes for a product is found by trials, once on each device, and kept with
/// the compiled kernels. On an H100 the first algorithm takes up to ten times as long as another (16 x 128 over 512,
/// A^T: 52 and 5 us). Algorithms round differently, so results are bit-identical only with the same cache.
class Products {
public:
    Products(Context& context, Precision precision, KernelCache cache)
        : context_(context), precision_(precision), cache_(std::move(cache)) {
        try {
            require(::cublasLtCreate(&library_), "start cuBLASLt");
            void* memory = nullptr;
            context_.examine(::cudaMalloc(&memory, sizeof(Constants)), "allocate memory for constants");
            constants_ = static_cast<Constants*>(memory);
            const Constants values;
            context_.examine(
                ::cudaMemcpyAsync(constants_, &values, sizeof values, cudaMemcpyHostToDevice, context_.stream()),
                "copy constants");
            context_.examine(::cudaStreamSynchronize(context_.stream()), "copy constants");
            for (const std::size_t wanted : {std::size_t{32} << 20, std::size_t{4} << 20, std::size_t{0}}) {
                workspace_bytes_ = wanted;
                if (wanted == 0 || ::cudaMalloc(&workspace_, wanted) == cudaSuccess) break;
                workspace_ = nullptr;
                (void)::cudaGetLastError();  // too little memory: with a smaller workspace products are slower
            }
        } catch (...) {
            end();
            throw;
        }
    }
    Products(const Products&) = delete;
    Products& operator=(const Products&) = delete;
    ~Products() { end(); }

    /// Computes a product. Returns false if cuBLASLt does not offer it; C may then have changed, unless it is added to.
    bool run(const Product& p) {
        if (p.rows == 0 || p.columns == 0 || p.count[0] == 0 || p.count[1] == 0) return true;
        const Batches batches = batches_of(p);
        Prepared* const ready = prepared(p, batches);
        if (!ready) return false;
        const auto bytes = static_cast<std::ptrdiff_t>(bytes_of(p.element));
        const auto& [first, second] = batches.loops;
        for (long long i = 0; i < first.count; ++i)
            for (long long j = 0; j < second.count; ++j) {
                const auto at = [&](const void* data, long long by_i, long long by_j) {
                    return static_cast<const std::byte*>(data) + (i * by_i + j * by_j) * bytes;
                };
                const ::cublasStatus_t status = call(p, *ready, at(p.a, first.a, second.a), at(p.b, first.b, second.b),
                                                     const_cast<std::byte*>(at(p.c, first.c, second.c)));
                // Nothing was issued then: the library may reject what its heuristics have proposed.
                const bool refused = status == CUBLAS_STATUS_NOT_SUPPORTED || status == CUBLAS_STATUS_INVALID_VALUE ||
                                     status == CUBLAS_STATUS_ARCH_MISMATCH;
                if (refused && i == 0 && j == 0) return ready->possible = false;
                require(status, "compute a product with cuBLASLt");
            }
        return true;
    }

    /// Returns whether `run` would probably compute the product.
    bool offers(const Product& p) {
        return p.rows == 0 || p.columns == 0 || p.count[0] == 0 || p.count[1] == 0 || prepared(p, batches_of(p));
    }

    /// Returns the number of kinds of products with relu that the library computes: trials have shown that its relu
    /// keeps NaN.
    int relus_kept() const { return relus_kept_; }

    /// Returns whether the calls are few and large enough to be worth their overhead.
    static bool pays(const Product& p) {
        const long long work = p.rows * p.columns * p.inner * p.count[0] * p.count[1];
        return work > 32 * 32 * 32 && batches_of(p).calls() <= 32;
    }

    /// Returns whether the result is so small that the library's tiles would leave most of the device idle, and k is
    /// short.
    static bool split_pays(const Product& p) {
        const long long results = p.rows * p.columns * p.count[0] * p.count[1];
        return results <= 1 << 14 && results * p.inner <= 1 << 22;
    }

private:
    struct Constants {  // factors in device memory, for products with a scalar in device memory
        double wide[3] = {0, 1, std::numeric_limits<double>::quiet_NaN()};
        float narrow[3] = {0, 1, std::numeric_limits<float>::quiet_NaN()};
    };

    /// The properties of a product that cuBLASLt's choice depends on.
    struct Key {
        enum Field { element, rows, columns, inner, a_row, b_row, c_row, flags, count, a, b, c, alignment, fields };
        std::array<long long, fields> value{};
        bool operator==(const Key&) const = default;
        long long operator[](Field field) const { return value[field]; }
    };
    struct Hash {
        std::size_t operator()(const Key& key) const { return storage::checksum(std::as_bytes(std::span(key.value))); }
    };

    template <class T, ::cublasStatus_t (*destroy)(T)>
    struct Destroy {
        void operator()(std::remove_pointer_t<T>* what) const { destroy(what); }
    };
    template <class T, ::cublasStatus_t (*destroy)(T)>
    using Owned = std::unique_ptr<std::remove_pointer_t<T>, Destroy<T, destroy>>;
    using Operation = Owned<::cublasLtMatmulDesc_t, ::cublasLtMatmulDescDestroy>;
    using Layout = Owned<::cublasLtMatrixLayout_t, ::cublasLtMatrixLayoutDestroy>;
    using Preference = Owned<::cublasLtMatmulPreference_t, ::cublasLtMatmulPreferenceDestroy>;

    struct Prepared {
        Operation operation;
        Layout a, b, c;
        ::cublasLtMatmulAlgo_t algorithm{};
        bool possible = false;
    };

    void require(::cublasStatus_t status, const char* tried) const {
        if (status != CUBLAS_STATUS_SUCCESS)
            throw KernelError(context_.name(), "product",
                              sentence("cannot ", tried, ": ", ::cublasLtGetStatusString(status)));
    }

    /// Returns log2 of the alignment in bytes of the address and all strides from it, at most 8.
    static long long alignment(const void* data, std::initializer_list<long long> steps,
                               sigma::detail::ElementType element) {
        auto bits = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(data)) | 256;
        for (const long long step : steps) bits |= static_cast<std::uint64_t>(step) * bytes_of(element);
        long long power = 0;
        while ((bits >> power & 1) == 0) ++power;
        return power;
    }

    /// Returns the key of a product, or nothing if rows overlap, which the library does not support.
    static std::optional<Key> key_of(const Product& p, const Batches& batches) {
        if (p.inner == 0 || batches.each.count > std::numeric_limits<std::int32_t>::max()) return {};
        // With a single row the distance between rows has no meaning and may have any value.
        const auto distance = [](long long row, long long elements, long long rows) {
            return rows == 1 ? std::max(row, elements) : row;
        };
        const long long a_elements = p.transposed ? p.rows : p.inner, a_rows = p.transposed ? p.inner : p.rows;
        const long long b_elements = p.transposed_b ? p.inner : p.columns,
                        b_rows = p.transposed_b ? p.columns : p.inner;
        const long long a_row = distance(p.a_row, a_elements, a_rows), b_row = distance(p.b_row, b_elements, b_rows),
                        c_row = distance(p.c_row, p.columns, p.rows);
        if (a_row < a_elements || b_row < b_elements || c_row < p.columns) return {};
        const auto step = [&](long long(Batches::Count::* of), int loop) {
            const Batches::Count& x = batches.loops[static_cast<std::size_t>(loop)];
            return x.count > 1 ? x.*of : 0;
        };
        using Count = Batches::Count;
        const long long alignments = alignment(p.a, {step(&Count::a, 0), step(&Count::a, 1)}, p.element) |
                                     alignment(p.b, {step(&Count::b, 0), step(&Count::b, 1)}, p.element) << 8 |
                                     alignment(p.c, {step(&Count::c, 0), step(&Count::c, 1)}, p.element) << 16 |
                                     alignment(p.bias, {}, p.element) << 24;
        const long long flags = (p.transposed ? 1 : 0) | (p.scalar ? 2 : 0) | static_cast<long long>(p.epilogue) << 2 |
                                (p.transposed_b ? 16 : 0);
        return Key{{static_cast<long long>(p.element), p.rows, p.columns, p.inner, a_row, b_row, c_row, flags,
                    batches.each.count, batches.each.a, batches.each.b, batches.each.c, alignments}};
    }

    template <class T>
    void set(const Operation& operation, ::cublasLtMatmulDescAttributes_t attribute, const T& value) const {
        require(::cublasLtMatmulDescSetAttribute(operation.get(), attribute, &value, sizeof value),
                "describe a product");
    }
    Layout layout(sigma::detail::ElementType element, long long rows, long long columns, long long row, long long count,
                  long long step) const {
        ::cublasLtMatrixLayout_t made = nullptr;
        require(::cublasLtMatrixLayoutCreate(
                    &made, element == sigma::detail::ElementType::float32 ? CUDA_R_32F : CUDA_R_64F,
                    static_cast<std::uint64_t>(rows), static_cast<std::uint64_t>(columns), row),
                "describe a matrix");
        Layout all(made);
        const auto batch_count = static_cast<std::int32_t>(count);
        const std::int64_t offset = step;
        require(::cublasLtMatrixLayoutSetAttribute(made, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &batch_count,
                                                   sizeof batch_count),
                "describe a matrix");
        require(::cublasLtMatrixLayoutSetAttribute(made, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &offset,
                                                   sizeof offset),
                "describe a matrix");
        return all;
    }

    static ::cublasLtEpilogue_t epilogue(sigma::detail::ProductEpilogue epilogue) {
        switch (epilogue) {
            case sigma::detail::ProductEpilogue::bias: return CUBLASLT_EPILOGUE_BIAS;
            case sigma::detail::ProductEpilogue::relu: return CUBLASLT_EPILOGUE_RELU;
            case sigma::detail::ProductEpilogue::bias_relu: return CUBLASLT_EPILOGUE_RELU_BIAS;
            case sigma::detail::ProductEpilogue::none: break;
        }
        return CUBLASLT_EPILOGUE_DEFAULT;
    }
    static bool has_relu(const Product& p) {
        return p.epilogue == sigma::detail::ProductEpilogue::relu ||
               p.epilogue == sigma::detail::ProductEpilogue::bias_relu;
    }
    static bool has_bias(const Product& p) {
        return p.epilogue == sigma::detail::ProductEpilogue::bias ||
               p.epilogue == sigma::detail::ProductEpilogue::bias_relu;
    }

    Prepared prepare(const Product& p, const Key& key) const {
        const bool narrow = p.element == sigma::detail::ElementType::float32;
        const ::cublasComputeType_t compute = !narrow                         ? CUBLAS_COMPUTE_64F
                                              : precision_ == Precision::tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32
                                              : precision_ == Precision::bf16 ? CUBLAS_COMPUTE_32F_FAST_16BF
                                                                              : CUBLAS_COMPUTE_32F;
        Prepared made;
        ::cublasLtMatmulDesc_t operation = nullptr;
        require(::cublasLtMatmulDescCreate(&operation, compute, narrow ? CUDA_R_32F : CUDA_R_64F),
                "describe a product");
        made.operation.reset(operation);
        set(made.operation, CUBLASLT_MATMUL_DESC_TRANSA, p.transposed_b ? CUBLAS_OP_T : CUBLAS_OP_N);
        set(made.operation, CUBLASLT_MATMUL_DESC_TRANSB, p.transposed ? CUBLAS_OP_T : CUBLAS_OP_N);
        set(made.operation, CUBLASLT_MATMUL_DESC_EPILOGUE, epilogue(p.epilogue));
        set(made.operation, CUBLASLT_MATMUL_DESC_POINTER_MODE,
            p.scalar ? CUBLASLT_POINTER_MODE_DEVICE : CUBLASLT_POINTER_MODE_HOST);
        if (has_bias(p)) set(made.operation, CUBLASLT_MATMUL_DESC_BIAS_POINTER, p.bias);
        const auto matrix = [&](long long rows, long long columns, Key::Field row, Key::Field step) {
            return layout(p.element, rows, columns, key[row], key[Key::count], key[step]);
        };
        made.a = p.transposed_b ? matrix(p.inner, p.columns, Key::b_row, Key::b)
                                : matrix(p.columns, p.inner, Key::b_row, Key::b);
        made.b =
            p.transposed ? matrix(p.rows, p.inner, Key::a_row, Key::a) : matrix(p.inner, p.rows, Key::a_row, Key::a);
        made.c = matrix(p.columns, p.rows, Key::c_row, Key::c);

        ::cublasLtMatmulPreference_t preference = nullptr;
        require(::cublasLtMatmulPreferenceCreate(&preference), "choose a product");
        const Preference owned(preference);
        const auto prefer = [&](::cublasLtMatmulPreferenceAttributes_t attribute, auto value) {
            require(::cublasLtMatmulPreferenceSetAttribute(preference, attribute, &value, sizeof value),
                    "choose a product");
        };
        prefer(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, static_cast<std::uint64_t>(workspace_bytes_));
        const auto aligned = [&](int byte) { return std::uint32_t{1} << (key[Key::alignment] >> (8 * byte) & 15); };
        prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, aligned(1));
        prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, aligned(0));
        prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, aligned(2));
        prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, aligned(2));

        std::array<::cublasLtMatmulHeuristicResult_t, 16> results{};
        int count = 0;
        const ::cublasStatus_t status = ::cublasLtMatmulAlgoGetHeuristic(
            library_, operation, made.a.get(), made.b.get(), made.c.get(), made.c.get(), preference,
            static_cast<int>(results.size()), results.data(), &count);
        std::vector<::cublasLtMatmulAlgo_t> algorithms;
        for (int i = 0; status == CUBLAS_STATUS_SUCCESS && i < count; ++i)
            if (const auto& each = results[static_cast<std::size_t>(i)]; each.state == CUBLAS_STATUS_SUCCESS)
                algorithms.push_back(each.algo);
        if (const int chosen = choose(p, key, made, algorithms); chosen >= 0) {
            made.algorithm = algorithms[static_cast<std::size_t>(chosen)];
            made.possible = true;
        }
        return made;
    }

    /// Returns the number of the fastest algorithm with a relu, if any, that keeps NaN; -1 if there is none.
    int choose(const Product& p, const Key& key, Prepared& made,
               const std::vector<::cublasLtMatmulAlgo_t>& algorithms) const {
        const auto serves = [&](int number) {
            made.algorithm = algorithms[static_cast<std::size_t>(number)];
            return !has_relu(p) || keeps_nan(p, made);
        };
        const auto count = static_cast<int>(algorithms.size());
        if (count == 0) return -1;
        if (context_.capturing()) return 0;  // a capture allows no trials, not even of a relu, see prepared
        if (count == 1) return serves(0) ? 0 : -1;
        const std::string name = kept_under(key, count);
        if (const auto found = cache_.find(name)) {
            int number = -2;
            std::from_chars(found->data(), found->data() + found->size(), number);
            if (number == -1 || (number >= 0 && number < count && serves(number))) return number;
        }
        std::vector<double> times = trials(p, key, made, algorithms);
        int number = -1;
        if (times.empty()) return serves(0) ? 0 : -1;
        while ((number = Trials::best(times)) >= 0 && !serves(number))
            times[static_cast<std::size_t>(number)] = std::numeric_limits<double>::infinity();
        cache_.keep(name, sentence(number));
        return number;
    }
    std::string kept_under(const Key& key, int algorithms) const {
        std::string all = sentence("cuBLASLt ", ::cublasLtGetVersion(), '\n', context_.name(), '\n',
                                   static_cast<int>(precision_), ' ', workspace_bytes_, ' ', algorithms);
        for (const long long value : key.value) all += sentence(' ', value);
        return storage::fingerprint(std::string_view(all));
    }
    /// Returns the time of each algorithm, measured with a separate result because the product may add to C. Returns
    /// nothing if there is not enough memory.
    std::vector<double> trials(const Product& p, const Key& key, Prepared& made,
                               const std::vector<::cublasLtMatmulAlgo_t>& algorithms) const {
        const long long elements =
            (key[Key::count] - 1) * key[Key::c] + (key[Key::rows] - 1) * key[Key::c_row] + key[Key::columns];
        void* scratch = nullptr;
        if (::cudaMalloc(&scratch, static_cast<std::size_t>(elements) * bytes_of(p.element)) != cudaSuccess) {
            (void)::cudaGetLastError();
            return {};
        }
        const std::unique_ptr<void, ::cudaError_t (*)(void*)> owned(scratch, &::cudaFree);
        Trials timer(context_);
        std::vector<double> times;
        for (const ::cublasLtMatmulAlgo_t& each : algorithms) {
            made.algorithm = each;
            times.push_back(
                timer.microseconds([&] { return call(p, made, p.a, p.b, scratch) == CUBLAS_STATUS_SUCCESS; }));
        }
        return times;
    }

    /// Returns the prepared product; null if the library does not offer it.
    Prepared* prepared(const Product& p, const Batches& batches) {
        const std::optional<Key> key = key_of(p, batches);
        if (!key) return nullptr;
        auto found = prepared_.find(*key);
        if (found == prepared_.end()) {
            if (has_relu(p) && context_.capturing()) return nullptr;
            Prepared made = prepare(p, *key);
            relus_kept_ += has_relu(p) && made.possible;
            found = prepared_.emplace(*key, std::move(made)).first;
        }
        return found->second.possible ? &found->second : nullptr;
    }

    /// Returns whether the library's relu keeps NaN. This is not documented, and a NaN that becomes 0 would hide
    /// errors. Tries the same algorithm on the result, which the product overwrites afterwards.
    bool keeps_nan(const Product& p, const Prepared& ready) const {
        if (p.accumulate) return false;
        const bool narrow = p.element == sigma::detail::ElementType::float32;
        Product trial = p;
        trial.alpha = std::numeric_limits<double>::quiet_NaN();
        if (p.scalar) trial.scalar = constant(p, 2);
        if (call(trial, ready, p.a, p.b, p.c) != CUBLAS_STATUS_SUCCESS) return false;
        float less = 0;
        double wide = 0;
        context_.examine(::cudaMemcpyAsync(narrow ? static_cast<void*>(&less) : &wide, p.c, bytes_of(p.element),
                                           cudaMemcpyDeviceToHost, context_.stream()),
                         "copy from the device");
        context_.examine(::cudaStreamSynchronize(context_.stream()), "finish its work");
        return narrow ? std::isnan(less) : std::isnan(wide);
    }
    const void* constant(const Product& p, int which) const {
        return p.element == sigma::detail::ElementType::float32 ? static_cast<const void*>(&constants_->narrow[which])
                                                                : &constants_->wide[which];
    }

    ::cublasStatus_t call(const Product& p, const Prepared& ready, const void* a, const void* b, void* c) const {
        if (has_bias(p)) set(ready.operation, CUBLASLT_MATMUL_DESC_BIAS_POINTER, p.bias);
        const bool narrow = p.element == sigma::detail::ElementType::float32;
        const double wide[2] = {p.alpha, p.accumulate ? 1.0 : 0.0};
        const float less[2] = {static_cast<float>(wide[0]), static_cast<float>(wide[1])};
        const void* alpha = narrow ? static_cast<const void*>(&less[0]) : &wide[0];
        const void* beta = narrow ? static_cast<const void*>(&less[1]) : &wide[1];
        if (p.scalar) {
            alpha = p.scalar;
            beta = constant(p, p.accumulate ? 1 : 0);
        }
        return ::cublasLtMatmul(library_, ready.operation.get(), alpha, b, ready.a.get(), a, ready.b.get(), beta, c,
                                ready.c.get(), c, ready.c.get(), &ready.algorithm, workspace_, workspace_bytes_,
                                context_.stream());
    }

    void end() noexcept {
        const auto turn = context_.enter_quietly();
        // After the end of main, the runtime may be unloaded already, and the library with it.
        if (::cudaStreamSynchronize(context_.stream()) == cudaErrorCudartUnloading) return;
        prepared_.clear();
        if (workspace_) ::cudaFree(workspace_);
        if (constants_) ::cudaFree(constants_);
        if (library_) ::cublasLtDestroy(library_);
    }

    Context& context_;
    Precision precision_;
    KernelCache cache_;
    ::cublasLtHandle_t library_ = nullptr;
    Constants* constants_ = nullptr;  // in device memory
    void* workspace_ = nullptr;
    std::size_t workspace_bytes_ = 0;
    int relus_kept_ = 0;
    std::unordered_map<Key, Prepared, Hash> prepared_;
};

}  // namespace sigma::on_gpu::cuda
