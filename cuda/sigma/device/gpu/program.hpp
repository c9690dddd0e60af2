// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/device/gpu/backend.hpp>
#include <sigma/device/gpu/generate.hpp>
#include <sigma/device/gpu/kernel_set.hpp>
#include <sigma/device/gpu/library_product.hpp>
#include <sigma/device/profiler.hpp>
#include <sigma/plan/merged_maps.hpp>
#include <sigma/plan/print.hpp>
#include <sigma/plan/product_forms.hpp>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace sigma::on_gpu {

/// Returns the name of a kernel of a plan in errors: "kernel 3, dot".
inline std::string operation_text(const sigma::detail::Kernel& k, int number) {
    return sentence("kernel ", number, ", ", sigma::detail::operation_name(k));
}

/// A program of a GPU: the kernels of a plan as texts, compiled at the first `prepare`, and the arena. Kernels run in
/// the order of the plan. The device must outlive the program.
class Program final : public sigma::detail::DeviceProgram {
public:
    Program(Backend& backend, const sigma::detail::PlanView& plan, const sigma::detail::LayerNames& layers = {})
        : backend_(backend), layers_(layers), source_(plan.kernels.data()), merged_(merge_maps(plan)),
          plan_(merged_.view(plan)), device_(nullptr, &backend), kernels_(backend), external_(plan.buffers.size()),
          pointers_(plan_.arguments.size()), forms_(find_product_forms(plan_)) {
        for (int i = 0; i < kernel_count(); ++i) add(i);
        for (int i = 0; i < kernel_count(); ++i)
            for (const sigma::detail::Argument& a : plan_.arguments_of(kernel(i)))
                for (std::size_t s = 0; s < scalars_.size(); ++s)
                    if (a.written && a.buffer == scalars_[s].buffer) entry(i).outdates.push_back(static_cast<int>(s));
        negation_ = kernels_.add(sentence("struct @_words {\n    const ", type_text(plan_.element), "* from;\n    ",
                                          type_text(plan_.element),
                                          "* to;\n};\nSIGMA_KERNEL(@, 32, @_words) {\n"
                                          "    if (SIGMA_BLOCK == 0 && SIGMA_THREAD == 0) w.to[0] = -w.from[0];\n}\n"));
    }

    void bind(sigma::detail::Buffer::Where where, int number, void* data) override {
        for (std::size_t b = 0; b < plan_.buffers.size(); ++b)
            if (plan_.buffers[b].where == where && plan_.buffers[b].offset == number && external_[b] != data) {
                external_[b] = static_cast<char*>(data);
                changed();
            }
    }
    void bind_counters(const sigma::detail::StepCounters* counters) override {
        if (counters == counters_) return;
        counters_ = counters;
        changed();
    }
    void prepare(std::ptrdiff_t records) override {
        if (records > capacity_) grow(records);
        if (records == records_) return;
        records_ = records;
        dirty_ = true;
        if (plan_.reciprocal >= 0) upload_reciprocal();
        const auto [found, fresh] = ways_.try_emplace(records);
        way_ = &found->second;
        if (fresh) decide();
        launches_ = in_order<false>();
    }
    void run() override {
        if (dirty_) resolve_pointers(true);
        if (std::exchange(measured_, false)) return run_measured();
        launches_ = in_order<true>();
    }
    bool is_measured_next() override {
        measured_ = false;
        if (sigma::detail::profile_now() == 0) return false;
        auto* const profile =
            sigma::detail::part_of_profile(profile_number_, profile_, [&](const sigma::detail::Profiling& measures) {
                return measures.program(
                    {.plan = plan_, .identity = source_, .layers = layers_, .device = backend_.name()});
            });
        return measured_ = profile != nullptr && profile->due();
    }
    std::uint64_t version() const override { return version_; }
    std::size_t arena_bytes() const override { return arena_.bytes(); }
    std::size_t arena_bytes(std::ptrdiff_t records) const override {
        return static_cast<std::size_t>(negated_at(capacity_for(records)) +
                                        whole_lines(static_cast<long long>(scalars_.size())) + line) *
               element_bytes();
    }
    int launches() const override { return launches_; }

private:
    /// The way in which a kernel of the plan is computed for a number of records: by its kernels, by the library,
    /// merged with the next kernel by the library, skipped as a transposition that the library does, or by other
    /// kernels.
    enum class Way : std::uint8_t { kernels, other, library, merged, skipped };
    struct Part {
        int kernel = 0, threads = 1;
        long long items = 1, items_a_block = 1, most_blocks = 0;
    };
    struct Entry {
        std::vector<Part> parts, other;
        Sorting sorting;
        long long rows = 0, scratch = 0;  // see GeneratedKernel
        std::string operation;
        int negated = -1;           // products: place of the negated scalar
        std::vector<int> outdates;  // places of negated scalars that this kernel changes
    };
    struct Scalar {
        int buffer, offset, time;
        friend bool operator==(const Scalar&, const Scalar&) = default;
    };
    static constexpr int line = 64;  // elements: 256 bytes or more

    Backend& backend_;
    sigma::detail::LayerNames layers_;
    const void* source_;  ///< identifies the source of the program in profiles
    sigma::detail::MergedPlan merged_;
    sigma::detail::PlanView plan_;
    sigma::detail::SharedOwner<sigma::detail::ComputeDevice> device_;  // without ownership
    KernelSet kernels_;
    std::vector<Entry> entries_;
    std::vector<char*> external_;
    std::vector<std::uint64_t> pointers_, words_;
    std::vector<sigma::detail::ProductForm> forms_;
    std::vector<Scalar> scalars_;  // scalars that are negated
    std::vector<char> fresh_;      // true if the negated scalar is current within this run
    std::map<std::ptrdiff_t, std::vector<Way>> ways_;
    std::vector<Way>* way_ = nullptr;
    sigma::detail::DeviceMemory arena_;
    const sigma::detail::StepCounters* counters_ = nullptr;
    std::ptrdiff_t capacity_ = 0, records_ = 0;
    std::uint64_t version_ = 0;
    int negation_ = 0, launches_ = 0;
    bool dirty_ = true;
    bool measured_ = false;  ///< the next run is measured
    unsigned profile_number_ = 0;
    std::shared_ptr<sigma::detail::ProgramProfile> profile_;

    std::size_t element_bytes() const { return bytes_of(plan_.element); }
    int kernel_count() const { return static_cast<int>(plan_.kernels.size()); }
    const sigma::detail::Kernel& kernel(int i) const { return plan_.kernels[static_cast<std::size_t>(i)]; }
    Entry& entry(int i) { return entries_[static_cast<std::size_t>(i)]; }
    const sigma::detail::ProductForm& form(int i) const { return forms_[static_cast<std::size_t>(i)]; }
    Way& way(int i) { return (*way_)[static_cast<std::size_t>(i)]; }
    void changed() {
        ++version_;
        dirty_ = true;
    }

    // ---- what there is to do ----

    void add(int number) {
        const sigma::detail::Kernel& k = kernel(number);
        const GeneratedKernel generated = generate(plan_, k);
        Entry e;
        const auto part = [&](const Generated& g) {
            return Part{kernels_.add(g.text), g.threads, g.items, g.items_a_block, g.most_blocks};
        };
        for (const Generated& g : generated.launches) e.parts.push_back(part(g));
        for (const Generated& g : generated.other) e.other.push_back(part(g));
        e.sorting = generated.sorting;
        e.rows = generated.rows;
        e.scratch = generated.scratch;
        e.operation = operation_text(k, merged_.numbers[static_cast<std::size_t>(number)]);
        if (k.kind == sigma::detail::Kernel::Kind::product && k.product.scaled && k.product.negative)
            e.negated = place_of_negated(plan_.arguments_of(k)[3]);
        entries_.push_back(std::move(e));
    }
    int place_of_negated(const sigma::detail::Argument& a) {
        const Scalar scalar{a.buffer, a.offset, a.time};
        const auto found = std::find(scalars_.begin(), scalars_.end(), scalar);
        if (found == scalars_.end()) scalars_.push_back(scalar);
        else return static_cast<int>(found - scalars_.begin());
        return static_cast<int>(scalars_.size()) - 1;
    }

    // ---- memory: fixed buffers, batched ones, scratch, negated scalars; each starts on a line ----

    static long long whole(long long elements, long long unit) { return (elements + unit - 1) / unit * unit; }
    static long long whole_lines(long long elements) { return whole(elements, line); }
    /// Returns the number of records of the arena: rounded up so that each tensor is aligned to 16 bytes, which kernels
    /// read at once, and to a line if this adds at most an eighth.
    std::ptrdiff_t capacity_for(std::ptrdiff_t records) const {
        const auto least = static_cast<long long>(16 / element_bytes());
        return whole(records,
                     std::clamp(static_cast<long long>(std::bit_floor(static_cast<std::uint64_t>(records) / 8)), least,
                                static_cast<long long>(line)));
    }
    long long batched_at() const { return whole_lines(plan_.fixed_size); }
    long long scratch_at(long long capacity) const { return whole_lines(batched_at() + plan_.batched_size * capacity); }
    long long negated_at(long long capacity) const {
        return scratch_at(capacity) + whole_lines(std::max(kernels_at(capacity), sorts_at(capacity)));
    }
    /// Returns the elements of scratch memory that launches of kernels pass on.
    long long kernels_at(long long capacity) const {
        long long most = 0;
        for (const Entry& e : entries_)
            if (e.rows == 0 || is_cut(e, capacity)) most = std::max(most, sigma::detail::resolve(e.scratch, capacity));
        return most;
    }
    static bool is_cut(const Entry& e, long long records) {
        return sigma::detail::resolve(e.rows, records) >= GeneratedKernel::many_rows;
    }
    /// Returns the elements of scratch memory for sorts: pairs and working memory.
    long long sorts_at(long long capacity) const {
        long long most = 0;
        for (const Entry& e : entries_)
            if (const long long pairs = std::min(sigma::detail::resolve(e.sorting.pairs, capacity), e.sorting.most);
                pairs > 0 && backend_.sort_pays(pairs, e.sorting.least))
                most = std::max(most, pairs);
        if (most == 0) return 0;
        const auto unit = static_cast<long long>(element_bytes());
        return whole(pair_bytes(most) + static_cast<long long>(algorithms::sort_bytes(most)), unit) / unit;
    }
    static long long pair_bytes(long long pairs) { return whole(8 * pairs, 256); }
    char* arena(long long element) const {
        return arena_.as<char>() + element * static_cast<long long>(element_bytes());
    }

    void grow(std::ptrdiff_t records) {
        arena_ = sigma::detail::DeviceMemory();  // freed first, to have memory for the larger one
        capacity_ = records_ = 0;
        arena_ = sigma::detail::DeviceMemory(device_, arena_bytes(records),
                                             sentence("the arena of ", static_cast<long long>(records), " records"));
        capacity_ = capacity_for(records);
        for (int b : plan_.iotas) {
            const sigma::detail::Buffer& buffer = plan_.buffers[static_cast<std::size_t>(b)];
            std::vector<double> numbers(static_cast<std::size_t>(buffer.shape.last()));
            for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<double>(i);
            upload(buffer.offset, numbers);
        }
        changed();
    }
    void upload_reciprocal() {
        const int at = plan_.buffers[static_cast<std::size_t>(plan_.reciprocal)].offset;
        if (plan_.element == sigma::detail::ElementType::float64) upload(at, {1.0 / static_cast<double>(records_)});
        else upload(at, {static_cast<double>(1.0f / static_cast<float>(records_))});
    }
    void upload(long long at, const std::vector<double>& numbers) {
        if (plan_.element == sigma::detail::ElementType::float64) {
            backend_.upload(arena(at), numbers.data(), numbers.size() * sizeof(double));
        } else {
            const std::vector<float> floats(numbers.begin(), numbers.end());
            backend_.upload(arena(at), floats.data(), floats.size() * sizeof(float));
        }
    }
    char* base(int b) const {
        const sigma::detail::Buffer& buffer = plan_.buffers[static_cast<std::size_t>(b)];
        if (buffer.where == sigma::detail::Buffer::Where::fixed) return arena(buffer.offset);
        if (buffer.where == sigma::detail::Buffer::Where::batched)
            return arena(batched_at() + static_cast<long long>(buffer.offset) * capacity_);
        return external_[static_cast<std::size_t>(b)];
    }
    /// Computes the addresses of all arguments. If `complete` is set, throws DeviceError for unbound buffers; otherwise
    /// they are null.
    void resolve_pointers(bool complete) {
        if (complete && records_ == 0) throw DeviceError("program of a device: call `prepare` before `run`");
        for (std::size_t i = 0; i < pointers_.size(); ++i) {
            const sigma::detail::Argument& a = plan_.arguments[i];
            char* const p = base(a.buffer);
            if (!p && complete)
                throw DeviceError(sentence("program of a device: no memory is bound to ", where_text(a.buffer)));
            pointers_[i] = reinterpret_cast<std::uint64_t>(p) +
                           static_cast<std::uint64_t>(sigma::detail::resolve(a.offset, records_)) * element_bytes();
        }
        dirty_ = !complete;
    }
    std::string where_text(int b) const {
        const sigma::detail::Buffer& buffer = plan_.buffers[static_cast<std::size_t>(b)];
        const char* const where = buffer.where == sigma::detail::Buffer::Where::input       ? "input "
                                  : buffer.where == sigma::detail::Buffer::Where::output    ? "output "
                                  : buffer.where == sigma::detail::Buffer::Where::parameter ? "parameter "
                                                                                            : "state ";
        return sentence(where, buffer.offset);
    }
    // ---- products: by the library or by a kernel, decided once for each number of records ----
    void decide() {
        resolve_pointers(false);
        way_->assign(plan_.kernels.size(), Way::kernels);
        for (int i = 0; i < kernel_count(); ++i) {
            const sigma::detail::Kernel& k = kernel(i);
            if (sorts(entry(i)) || is_cut(entry(i), records_)) way(i) = Way::other;
            if (k.kind != sigma::detail::Kernel::Kind::product) continue;
            const Product p = product_of(plan_, k, words_of(i, 0), records_);
            const bool epilogue = form(i).epilogue != sigma::detail::ProductEpilogue::none;
            const bool pays = backend_.product_pays(p), bare = !epilogue && form(i).transposition < 0;
            if ((!pays || (bare && k.loop >= 0)) && backend_.split_pays(p)) way(i) = Way::other;
            else if (pays) way(i) = epilogue ? Way::merged : Way::library;
        }
        for (const sigma::detail::ProductForm& f : forms_)
            if (f.transposition >= 0) way(f.transposition) = Way::skipped;
        for (int i = 0; i < kernel_count(); ++i)  // unless one of our kernels reads its result
            if (form(i).transposition >= 0 && by_kernels(i)) way(form(i).transposition) = Way::kernels;
        for (int i = 0; i < kernel_count(); ++i) {
            if (by_kernels(i))
                for (const Part& part : parts(i)) kernels_.want(part.kernel);
            else if (entry(i).negated >= 0) kernels_.want(negation_);
        }
        kernels_.compile();
    }
    bool sorts(const Entry& e) const {
        const long long pairs = sigma::detail::resolve(e.sorting.pairs, records_);
        const long long largest = sigma::detail::resolve(e.sorting.largest, records_);
        return pairs > 0 && pairs <= e.sorting.most && largest <= std::numeric_limits<std::int32_t>::max() &&
               backend_.sort_pays(pairs, e.sorting.least);
    }
    bool by_kernels(int i) { return way(i) == Way::kernels || way(i) == Way::other; }
    const std::vector<Part>& parts(int i) { return way(i) == Way::other ? entry(i).other : entry(i).parts; }
    std::uint64_t address(int k, int argument, std::ptrdiff_t position) const {
        const auto a = static_cast<std::size_t>(kernel(k).argument + argument);
        const long long elements = static_cast<long long>(plan_.arguments[a].time) * position;
        return pointers_[a] + static_cast<std::uint64_t>(elements * static_cast<long long>(element_bytes()));
    }
    std::span<const std::uint64_t> words_of(int k, std::ptrdiff_t position) {
        words_.clear();
        for (int i = 0; i < kernel(k).arguments; ++i) words_.push_back(address(k, i, position));
        words_.push_back(static_cast<std::uint64_t>(records_));
        words_.push_back(reinterpret_cast<std::uint64_t>(counters_));
        words_.push_back(reinterpret_cast<std::uint64_t>(arena(scratch_at(capacity_))));
        return words_;
    }
    int transposition_skipped_for(int product) {
        const int t = form(product).transposition;
        return t >= 0 && way(t) == Way::skipped ? t : -1;
    }
    /// Computes a product by the library. Returns false if the library does not offer it after all.
    bool library_product(int number, std::ptrdiff_t position) {
        Product p = product_of(plan_, kernel(number), words_of(number, position), records_);
        if (entry(number).negated >= 0) p.scalar = arena(negated_at(capacity_) + entry(number).negated);
        if (const int t = transposition_skipped_for(number); t >= 0)
            read_transposed(p, plan_, t, reinterpret_cast<const void*>(address(t, 0, position)), records_);
        if (way(number) == Way::merged) {
            const sigma::detail::ProductForm& f = form(number);
            Product q = p;
            q.epilogue = f.epilogue;
            q.c = reinterpret_cast<void*>(address(number + 1, f.store, position));
            q.c_row = sigma::detail::resolve(f.row, records_);
            if (f.bias >= 0) q.bias = reinterpret_cast<void*>(address(number + 1, f.bias, position));
            if (backend_.product(q)) return true;
            way(number) = Way::library;
        }
        return backend_.product(p);
    }

    // ---- in order ----

    /// Issues all kernels with marks of time between them, waits, and adds the times to the profile.
    void run_measured() {
        const auto began = std::chrono::steady_clock::now();
        std::vector<int> kernels;
        std::vector<double> seconds(plan_.kernels.size(), 0.0);
        backend_.synchronize();
        const bool measures = backend_.mark_time() >= 0;
        launches_ = in_order<true>([&](int kernel) {
            if (measures) backend_.mark_time(), kernels.push_back(kernel);
        });
        for (std::size_t i = 0; i < kernels.size(); ++i)
            seconds[static_cast<std::size_t>(kernels[i])] +=
                backend_.seconds_between(static_cast<int>(i), static_cast<int>(i) + 1);
        backend_.forget_times();
        if (!measures) return;
        const double whole = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
        profile_->add_on_device(plan_, records_, seconds, whole, launches_);
    }
    template <bool really>
    int in_order() {
        return in_order<really>([](int) {});
    }
    /// Issues all kernels, and calls `after(i)` when kernel i is issued. Returns the number of launches.
    template <bool really, class After>
    int in_order(After after) {
        fresh_.assign(scalars_.size(), 0);
        int n = 0;
        for (int i = 0; i < kernel_count();) {
            if (kernel(i).loop < 0) {
                n += issue<really>(i, 0);
                after(i);
                i += 1 + (way(i) == Way::merged);
                continue;
            }
            const sigma::detail::PlannedLoop& loop = plan_.loops[static_cast<std::size_t>(kernel(i).loop)];
            for (int t = 0; t < loop.count; ++t)
                for (int j = loop.first; j < loop.end; j += 1 + (way(j) == Way::merged)) {
                    n += issue<really>(j, loop.backwards ? loop.count - 1 - t : t);
                    after(j);
                }
            i = loop.end;
        }
        return n;
    }
    /// Issues a kernel and returns its number of launches.
    template <bool really>
    int issue(int number, std::ptrdiff_t position) {
        if (way(number) == Way::skipped) return 0;
        Entry& e = entry(number);
        int n = 0;
        bool done = false;
        if (!by_kernels(number)) {
            n += negate<really>(number, position) + 1;
            done = !really || library_product(number, position);
            if (!done) {
                way(number) = Way::kernels, --n;
                if (const int t = transposition_skipped_for(number);
                    t >= 0) {  // the transposition was skipped, so it is done now
                    way(t) = Way::kernels;
                    n += issue_parts<really>(t, position);
                }
            }
        }
        if (!done) n += issue_parts<really>(number, position);
        for (int s : e.outdates) fresh_[static_cast<std::size_t>(s)] = 0;
        if (way(number) == Way::merged)
            for (int s : entry(number + 1).outdates) fresh_[static_cast<std::size_t>(s)] = 0;
        return n;
    }
    template <bool really>
    int issue_parts(int number, std::ptrdiff_t position) {
        const Entry& e = entry(number);
        const std::vector<Part>& all = parts(number);
        const bool sorted = way(number) == Way::other && e.sorting.pairs != 0;
        if constexpr (really) {
            const auto words = words_of(number, position);
            for (const Part& part : all) {
                if (sorted && &part != &all.front()) sort(e.sorting);
                const long long items = sigma::detail::resolve(part.items, records_);
                long long blocks = (items + part.items_a_block - 1) / part.items_a_block;
                if (part.most_blocks > 0) blocks = std::min(blocks, part.most_blocks);
                blocks = std::max<long long>(1, std::min(blocks, backend_.most_blocks()));
                backend_.launch({kernels_.function(part.kernel), blocks, backend_.threads(part.threads), words,
                                 e.operation.c_str()});
            }
        }
        return static_cast<int>(sorted ? 2 * all.size() - 1 : all.size());
    }
    void sort(const Sorting& sorting) {
        const long long count = sigma::detail::resolve(sorting.pairs, records_);
        char* const scratch = arena(scratch_at(capacity_));
        auto* const keys = reinterpret_cast<std::uint32_t*>(scratch);
        backend_.sort({keys, reinterpret_cast<std::int32_t*>(keys + count), count, scratch + pair_bytes(count),
                       algorithms::sort_bytes(count)});
    }
    /// Negates a scalar, because libraries accept a scalar without a sign.
    template <bool really>
    int negate(int number, std::ptrdiff_t position) {
        const int place = entry(number).negated;
        if (place < 0 || fresh_[static_cast<std::size_t>(place)]) return 0;
        if constexpr (really) {
            const std::uint64_t words[] = {address(number, 3, position),
                                           reinterpret_cast<std::uint64_t>(arena(negated_at(capacity_) + place))};
            backend_.launch(
                {kernels_.function(negation_), 1, backend_.threads(32), words, "negative scalar of a product"});
        }
        fresh_[static_cast<std::size_t>(place)] = plan_.arguments_of(kernel(number))[3].time == 0;
        return 1;
    }
};

}  // namespace sigma::on_gpu
