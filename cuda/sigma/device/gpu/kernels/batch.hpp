// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/device/compute_device.hpp>
#include <sigma/device/gpu/generated.hpp>

namespace sigma::on_gpu {

// Kernels of a device that complement those of a plan. All work with any number of blocks and threads (at most 256),
// and one text may contain all of them, each once.

/// The words of the kernel of gather_text: GatherRecords with a few sections per launch.
struct GatherWords {
    static constexpr std::size_t most_sections = 4;
    struct Section {
        const void* from;
        void* to;
        long long elements;
    };
    const std::uint32_t* positions;
    const sigma::detail::StepCounters* counters;
    long long records;
    Section section[most_sections];  ///< unused sections have no elements
};

/// Returns the name of the kernel: "sigma_gather_float".
inline std::string gather_name(sigma::detail::ElementType element) {
    return sentence("sigma_gather_", type_text(element));
}

/// Returns the kernel gather_name(element), which copies records by their positions, 16 bytes at a time if the length
/// of rows and the addresses permit it.
inline std::string gather_text(sigma::detail::ElementType element) {
    const std::string type = type_text(element), kernel = gather_name(element);
    std::string text = R"cuda(
#ifndef SIGMA_BATCH_GATHER
#define SIGMA_BATCH_GATHER
struct sigma_gather_section {
    const void* from;
    void* to;
    long long elements;
};
struct sigma_gather_words {
    const sigma_u32* positions;
    const sigma_counters* counters;
    long long records;
    sigma_gather_section a, b, c, d;
};
template <class V, class I>
SIGMA_DEVICE void sigma_gather_rows(const sigma_gather_words& w, const sigma_gather_section& s, I each) {
    const V* const from = (const V*)s.from;
    V* const to = (V*)s.to;
    const sigma_u32* const positions = w.positions + w.counters->first;
    const I count = (I)w.records * each, all = (I)(SIGMA_BLOCKS * SIGMA_THREADS);
    for (I at = (I)(SIGMA_BLOCK * SIGMA_THREADS + SIGMA_THREAD); at < count; at += all)
        to[at] = from[(sigma_u64)positions[at / each] * each + at % each];
}
template <class V>
SIGMA_DEVICE void sigma_gather_any(const sigma_gather_words& w, const sigma_gather_section& s, long long each) {
    if (w.records * each < (1ll << 31)) sigma_gather_rows<V>(w, s, (sigma_u32)each);  // divisions of 32 bits
    else sigma_gather_rows<V>(w, s, (sigma_u64)each);
}
template <class T> SIGMA_DEVICE void sigma_gather_records(const sigma_gather_words& w, const sigma_gather_section& s) {
    const long long pack = 16 / sizeof(T);
    const bool aligned = ((reinterpret_cast<sigma_u64>(s.from) | reinterpret_cast<sigma_u64>(s.to)) & 15) == 0;
    if (s.elements == 0) return;
    if (s.elements % pack == 0 && aligned) sigma_gather_any<sigma_pack<T>>(w, s, s.elements / pack);
    else sigma_gather_any<T>(w, s, s.elements);
}
#endif
)cuda";
    text.append("SIGMA_KERNEL(").append(kernel).append(", 256, sigma_gather_words) {\n");
    for (const char* section : {"a", "b", "c", "d"})
        text.append("    sigma_gather_records<").append(type).append(">(w, w.").append(section).append(");\n");
    return text.append("}\n");
}

/// The words of the kernel of accumulate_loss_text.
struct AccumulateLossWords {
    sigma::detail::LossAccumulator* to;
    sigma::detail::StepCounters* counters;
    const void* loss_of_step;
    long long records;
};

/// Returns the name of the kernel: "sigma_accumulate_loss_float".
inline std::string accumulate_loss_name(sigma::detail::ElementType element) {
    return sentence("sigma_accumulate_loss_", type_text(element));
}

/// Returns the kernel accumulate_loss_name(element): it adds loss · records in double, marks the first step with a loss
/// that is not finite, and advances the counters to the next step and its first record. One thread does all.
inline std::string accumulate_loss_text(sigma::detail::ElementType element) {
    const std::string type = type_text(element);
    std::string text = R"cuda(
#ifndef SIGMA_ACCUMULATE_LOSS
#define SIGMA_ACCUMULATE_LOSS
struct sigma_loss_accumulator {
    double total;
    sigma_u64 records, first_non_finite;
};
struct sigma_accumulate_loss_words {
    sigma_loss_accumulator* to;
    sigma_counters* counters;
    const void* loss;
    long long records;
};
template <class T> SIGMA_DEVICE void sigma_accumulate_loss(const sigma_accumulate_loss_words& w) {
    if (SIGMA_BLOCK != 0 || SIGMA_THREAD != 0) return;
    const T loss = *(const T*)w.loss;
    w.to->total += (double)loss * (double)w.records;
    w.to->records += (sigma_u64)w.records;
    if (!(loss - loss == (T)0) && w.to->first_non_finite == 0) w.to->first_non_finite = w.counters->step;
    w.counters->step += 1;
    w.counters->first += (sigma_u64)w.records;
}
#endif
)cuda";
    text.append("SIGMA_KERNEL(")
        .append(accumulate_loss_name(element))
        .append(", 256, sigma_accumulate_loss_words) { sigma_accumulate_loss<")
        .append(type)
        .append(">(w); }\n");
    return text;
}

}  // namespace sigma::on_gpu
