// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/error.hpp>
#include <sigma/plan/planner.hpp>

#include "support/reference.hpp"
#include "support/stored_elements.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <random>
#include <utility>

/// A slow executor of plans in double precision, with the memory, the vectors and the order of effects of the real one
/// (device/cpu/executor.hpp and fused.hpp). It checks the bounds of every access, starts from memory full of NaN, and
/// runs what threads may run at one time in any order.
namespace sigma::test {

class PlanInterpreter {
public:
    /// How the stages are run. Odd stages by shards of the records, even stages by kernels and pieces of kernels.
    enum class Order {
        plain,            ///< kernels one after the other, all records at once
        shards,           ///< each shard through all kernels of its stage; kernels in order
        shards_reversed,  ///< the same, last shard and last kernel first
        kernels,          ///< each kernel over all shards, last shard first; pieces of kernels in turn
        random            ///< any shard goes on by one kernel at any time; pieces of kernels shuffled
    };

    PlanInterpreter(const sigma::detail::Plan& plan, int lanes, long long records, long long capacity)
        : plan_(plan), lanes_(lanes), records_(records), capacity_(capacity) {
        arena_ = Values(at(plan.fixed_size + plan.batched_size * capacity), nan);
        for (int b : plan.iotas)
            for (int i = 0; i < plan.buffers[b].shape.last(); ++i) arena_[at(plan.buffers[b].offset + i)] = i;
        if (plan.reciprocal >= 0) arena_[at(plan.buffers[plan.reciprocal].offset)] = 1 / static_cast<double>(records);
        for (const sigma::detail::Buffer& b : plan.buffers)
            external_.push_back(in_arena(b) ? Values{} : Values(at(elements(b)), nan));
    }

    void bind(const Bindings& bindings) {
        uniform_ = bindings.uniform;
        for (int b = 0; b < plan_.buffers.size(); ++b) {
            const sigma::detail::Buffer& buffer = plan_.buffers[b];
            if (buffer.where == sigma::detail::Buffer::Where::input) import(b, bindings.inputs);
            if (buffer.where == sigma::detail::Buffer::Where::parameter) import(b, bindings.parameters);
            if (buffer.where == sigma::detail::Buffer::Where::state) import(b, bindings.states);
        }
    }

    void run(Order order, unsigned seed = 0, long long shard = 2) {
        random_.seed(seed);
        for (int stage = 0, first = 0; stage < plan_.stages; ++stage) {
            int end = first;
            while (end < plan_.kernels.size() && plan_.kernels[end].stage == stage) ++end;
            if (stage % 2 == 1) run_local(order, first, end, order == Order::plain ? records_ : shard);
            else run_shared(order, first, end);
            first = end;
        }
    }

    std::vector<Values> outputs() const { return exported(sigma::detail::Buffer::Where::output); }
    std::vector<Values> parameters() const { return exported(sigma::detail::Buffer::Where::parameter); }
    std::vector<Values> states() const { return exported(sigma::detail::Buffer::Where::state); }
    /// What a buffer holds now, without its padding.
    Values contents(int buffer) const { return dense(buffer); }

private:
    static constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    static constexpr int bundle = 4;
    using Opcode = sigma::detail::Instruction::Opcode;
    using Kind = sigma::detail::Kernel::Kind;
    using Vector = std::array<double, 16>;
    using Pointers = std::vector<long long>;  // positions in the arena, or in the memory bound to a buffer

    const sigma::detail::Plan& plan_;
    int lanes_;
    long long records_, capacity_;
    Values arena_{};
    std::vector<Values> external_{};
    std::function<double(std::uint64_t, long long, long long)> uniform_{};
    std::mt19937 random_{};

    static std::size_t at(long long i) { return static_cast<std::size_t>(i); }
    long long resolved(long long coded) const { return sigma::detail::resolve(coded, records_); }

    // ---- memory ----

    static bool in_arena(const sigma::detail::Buffer& b) {
        return b.where == sigma::detail::Buffer::Where::fixed || b.where == sigma::detail::Buffer::Where::batched;
    }
    /// Elements that a buffer holds with its padding, for the records of this run.
    long long elements(const sigma::detail::Buffer& b) const {
        const long long row = b.shape.rank == 0 ? 1 : resolved(b.pitch);
        const long long last = b.shape.rank == 0 ? 1 : resolved(b.shape.last());
        return Extents(b.shape, records_).count() / last * row;
    }
    long long begin(const sigma::detail::Buffer& b) const {
        if (b.where == sigma::detail::Buffer::Where::fixed) return b.offset;
        if (b.where == sigma::detail::Buffer::Where::batched) return plan_.fixed_size + b.offset * capacity_;
        return 0;
    }
    double& cell(int buffer, long long position) {
        const sigma::detail::Buffer& b = plan_.buffers[buffer];
        if (position < begin(b) || position >= begin(b) + elements(b))
            throw std::logic_error(
                sentence("buffer ", buffer, ": access to element ", position - begin(b), " of ", elements(b)));
        return (in_arena(b) ? arena_ : external_[at(buffer)])[at(position)];
    }
    double& cell(const sigma::detail::Kernel& k, int argument, long long position) {
        return cell(plan_.arguments[k.argument + argument].buffer, position);
    }
    void import(int buffer, const std::vector<Values>& list) {
        const sigma::detail::Buffer& b = plan_.buffers[buffer];
        each_stored(b, records_,
                    [&](std::size_t i, std::size_t to) { external_[at(buffer)][to] = list.at(at(b.offset))[i]; });
    }
    Values dense(int buffer) const {
        const sigma::detail::Buffer& b = plan_.buffers[buffer];
        const Values& memory = in_arena(b) ? arena_ : external_[at(buffer)];
        Values result(at(Extents(b.shape, records_).count()));
        each_stored(b, records_, [&](std::size_t i, std::size_t from) { result[i] = memory[at(begin(b)) + from]; });
        return result;
    }
    std::vector<Values> exported(sigma::detail::Buffer::Where where) const {
        std::vector<Values> result;
        for (int b = 0; b < plan_.buffers.size(); ++b)
            if (plan_.buffers[b].where == where) {
                if (result.size() <= at(plan_.buffers[b].offset)) result.resize(at(plan_.buffers[b].offset) + 1);
                result[at(plan_.buffers[b].offset)] = dense(b);
            }
        return result;
    }

    // ---- order ----

    struct Records {
        long long first, count;
    };
    Pointers pointers(const sigma::detail::Kernel& k, long long first_record, int position = 0) const {
        Pointers p;
        for (int i = 0; i < k.arguments; ++i) {
            const sigma::detail::Argument& a = plan_.arguments[k.argument + i];
            p.push_back(begin(plan_.buffers[a.buffer]) + resolved(a.offset) + first_record * a.record +
                        static_cast<long long>(position) * a.time);
        }
        return p;
    }
    /// A share of a kernel: of so many records and, where it is cut, `count` steps of a loop or rows of its result from
    /// `first` on.
    struct Share {
        Records records;
        int loop = -1;
        long long first = 0, count = -1;  // -1: all

        long long rows(long long all) const { return count < 0 ? all : count; }
    };
    /// Kernels in the order in which one thread runs them, with the position along time.
    std::vector<std::pair<int, int>> steps(int first, int end) const {
        std::vector<std::pair<int, int>> list;
        for (int k = first; k < end;) {
            if (plan_.kernels[k].loop < 0) {
                list.emplace_back(k++, 0);
                continue;
            }
            const sigma::detail::PlannedLoop& loop = plan_.loops[plan_.kernels[k].loop];
            if (loop.first != k || loop.end > end) throw std::logic_error("a loop is not whole in its stage");
            for (int t = 0; t < loop.count; ++t)
                for (; k < loop.end || (k = loop.first, false); ++k)
                    list.emplace_back(k, loop.backwards ? loop.count - 1 - t : t);
            k = loop.end;
        }
        return list;
    }
    void run_local(Order order, int first, int end, long long size) {
        const long long shards = (records_ + size - 1) / size;
        const std::vector<std::pair<int, int>> list = steps(first, end);
        const auto run_one = [&](long long shard, std::size_t step) {
            const sigma::detail::Kernel& k = plan_.kernels[list[step].first];
            if (!k.local) throw std::logic_error("a kernel of an odd stage is not local");
            const Records records{shard * size, std::min(size, records_ - shard * size)};
            run_kernel(k, pointers(k, records.first, list[step].second), {records});
        };
        if (order == Order::random) {
            std::vector<std::size_t> next(at(shards), 0);
            std::vector<long long> open(at(shards));
            std::iota(open.begin(), open.end(), 0);
            while (!list.empty() && !open.empty()) {
                const std::size_t i = random_() % open.size();
                run_one(open[i], next[at(open[i])]);
                if (++next[at(open[i])] == list.size()) open.erase(open.begin() + static_cast<std::ptrdiff_t>(i));
            }
        } else if (order == Order::kernels) {
            for (std::size_t k = 0; k < list.size(); ++k)
                for (long long s = shards - 1; s >= 0; --s) run_one(s, k);
        } else {
            for (long long s = 0; s < shards; ++s)
                for (std::size_t k = 0; k < list.size(); ++k)
                    run_one(order == Order::shards_reversed ? shards - 1 - s : s, k);
        }
    }
    struct Piece {
        int kernel;
        int loop;                     ///< of a fused kernel; -1: rows of the result
        long long first, count = -1;  ///< -1: the kernel as a whole
    };
    void run_shared(Order order, int first, int end) {
        std::vector<Piece> pieces;
        for (int i = first; i < end; ++i) {
            if (plan_.kernels[i].local) throw std::logic_error("a kernel of an even stage is local");
            if (plan_.kernels[i].loop >= 0) {
                pieces.push_back({i, -1, 0});
                i = plan_.loops[plan_.kernels[i].loop].end - 1;
            } else if (order == Order::kernels || order == Order::random) cut(i, pieces);
            else pieces.push_back({i, -1, 0});
        }
        if (order == Order::shards_reversed || order == Order::kernels) std::reverse(pieces.begin(), pieces.end());
        if (order == Order::random) std::shuffle(pieces.begin(), pieces.end(), random_);
        for (const Piece& piece : pieces) run_piece(piece);
    }
    bool reduces(const sigma::detail::Kernel& k) const {
        for (int i = 0; i < k.fused.instructions; ++i)
            if (instruction(k, i).opcode == Opcode::reduce) return true;
        return false;
    }
    /// As Executor::cut_of does, into smaller pieces.
    void cut(int number, std::vector<Piece>& pieces) const {
        const sigma::detail::Kernel& k = plan_.kernels[number];
        const sigma::detail::FusedKernel& f = k.fused;
        int loop = -1;
        long long length = 0, size = 1;
        if (k.kind == Kind::product && !k.product.each) length = resolved(k.product.m), size = 3;
        else if (k.kind == Kind::transpose && k.transpose.count[0] == 1 && k.transpose.count[1] == 1)
            length = resolved(k.transpose.rows), size = 2;
        else if (k.kind == Kind::convolution && k.convolution.operation == sigma::detail::Operation::convolve_weights)
            length = k.convolution.weights_rows(), size = 2;
        else if (k.kind == Kind::lookup && k.lookup.operation == sigma::detail::Operation::scatter_add)
            length = k.lookup.rows, size = 3;
        else if (k.kind == Kind::columns && f.outer == 0 && f.rank - 1 == f.reduced) loop = f.rank - 1, size = lanes_;
        else if (k.kind == Kind::rows && f.rank > 0 && (f.outer > 0 || !reduces(k)))
            loop = 0, size = f.rank == 1 ? lanes_ : 2;
        else if (k.kind == Kind::block && k.block.rank > 0) loop = 0, size = 2;
        if (loop >= 0) length = resolved(k.loop_extents()[loop]);
        if (length == 0) return pieces.push_back({number, -1, 0});
        for (long long i = 0; i < length; i += size) pieces.push_back({number, loop, i, std::min(size, length - i)});
    }
    void run_piece(const Piece& piece) {
        const sigma::detail::Kernel& k = plan_.kernels[piece.kernel];
        if (k.loop >= 0) {
            for (const auto& [kernel, position] : steps(piece.kernel, plan_.loops[k.loop].end)) {
                const sigma::detail::Kernel& x = plan_.kernels[kernel];
                run_kernel(x, pointers(x, 0, position), {{0, records_}});
            }
            return;
        }
        Pointers p = pointers(k, 0);
        for (int a = 0; a < k.arguments && piece.loop >= 0; ++a) p[at(a)] += piece.first * stride(k, a, piece.loop);
        run_kernel(k, p, {{0, records_}, piece.loop, piece.first, piece.count});
    }

    // ---- kernels ----

    const sigma::detail::Instruction& instruction(const sigma::detail::Kernel& k, int i) const {
        return plan_.instructions[k.fused.instruction + i];
    }
    long long stride(const sigma::detail::Kernel& k, int argument, int loop) const {
        return resolved(plan_.arguments[k.argument + argument].stride[loop]);
    }
    /// Where matrix `i` of an argument begins, of which `inner` follow each other evenly.
    long long matrix(const sigma::detail::Kernel& k, int argument, long long i, long long inner) const {
        return i / inner * stride(k, argument, 1) + i % inner * stride(k, argument, 2);
    }
    static Index extents(const int* coded, const Share& share) {
        Index e{};
        for (int i = 0; i < sigma::detail::max_rank; ++i)
            e[at(i)] = sigma::detail::resolve(coded[i], share.records.count);
        if (share.loop >= 0) e[at(share.loop)] = share.count;
        return e;
    }
    void run_kernel(const sigma::detail::Kernel& k, const Pointers& p, const Share& share) {
        switch (k.kind) {
            case Kind::rows:
            case Kind::columns: return Fused(*this, k, extents(k.fused.extent, share)).run(p);
            case Kind::product: return product(k, p, share);
            case Kind::transpose: return transpose(k, p, share);
            case Kind::move:
                clear(k, p, sigma::detail::resolve(k.move.clear, share.records.count));
                return move(k, p, extents(k.move.extent, share), 0, p[0], p[1]);
            case Kind::convolution: return convolution(k, p, share);
            case Kind::pooling: return pooling(k.pooling, k, p, share.records.count);
            case Kind::lookup: return lookup(k, p, share);
            case Kind::block: return blocks(k, p, extents(k.block.extent, share), 0);
            case Kind::argmax: return argmax(k, extents(k.argmax.extent, share), 0, p[0], p[1]);
            case Kind::fill_uniform: {
                const sigma::detail::FillUniformKernel& u = k.fill_uniform;
                const long long first = k.local ? share.records.first * -u.rows : 0;
                for (long long r = 0; r < sigma::detail::resolve(u.rows, share.records.count); ++r)
                    for (long long c = 0; c < sigma::detail::resolve(u.columns, share.records.count); ++c)
                        cell(k, 0, p[0] + r * sigma::detail::resolve(u.row, share.records.count) + c) =
                            uniform_(u.stream, first + r, c);
                return;
            }
        }
    }
    void transpose(const sigma::detail::Kernel& k, const Pointers& p, const Share& share) {
        const sigma::detail::TransposeKernel& t = k.transpose;
        const auto size = [&](int coded) { return sigma::detail::resolve(coded, share.records.count); };
        const long long inner = size(t.count[1]), end = share.first + share.rows(size(t.rows));
        for (long long i = 0; i < size(t.count[0]) * inner; ++i)
            for (long long r = share.first; r < end; ++r)
                for (long long c = 0; c < size(t.columns); ++c)
                    cell(k, 1, p[1] + matrix(k, 1, i, inner) + c * stride(k, 1, 0) + r) =
                        cell(k, 0, p[0] + matrix(k, 0, i, inner) + r * stride(k, 0, 0) + c);
    }
    void clear(const sigma::detail::Kernel& k, const Pointers& p, long long count) {
        if (count == 0) return;
        const sigma::detail::Argument& to = plan_.arguments[k.argument + 1];
        const sigma::detail::Buffer& b = plan_.buffers[to.buffer];
        const long long first = p[1] - resolved(to.offset);
        if (first < begin(b) || first + count > begin(b) + elements(b))
            throw std::logic_error("clears more than its buffer");
        std::fill_n((in_arena(b) ? arena_ : external_[at(to.buffer)]).begin() + first, count, 0.0);
    }
    void product(const sigma::detail::Kernel& k, const Pointers& p, const Share& share) {
        const sigma::detail::ProductKernel& q = k.product;
        const auto size = [&](int coded) { return sigma::detail::resolve(coded, share.records.count); };
        double alpha = q.scaled ? cell(k, 3, p[3]) : q.alpha;
        if (q.negative) alpha = -alpha;
        const long long n = size(q.n), depth = size(q.k), end = share.first + share.rows(size(q.m));
        const long long width = q.padded ? (n + lanes_ - 1) / lanes_ * lanes_ : n, inner = size(q.count[1]);
        const long long a_row = q.transposed ? 1 : stride(k, 0, 0), a_column = q.transposed ? stride(k, 0, 0) : 1;
        for (long long i = 0; i < size(q.count[0]) * inner; ++i) {
            const long long a = p[0] + matrix(k, 0, i, inner), b = p[1] + matrix(k, 1, i, inner),
                            c = p[2] + matrix(k, 2, i, inner);
            for (long long row = share.first; row < end; ++row)
                for (long long column = 0; column < width; ++column) {
                    double total = 0;
                    for (long long l = 0; l < depth; ++l)
                        total +=
                            cell(k, 0, a + row * a_row + l * a_column) * cell(k, 1, b + l * stride(k, 1, 0) + column);
                    double& to = cell(k, 2, c + row * stride(k, 2, 0) + column);
                    to = column >= n ? nan : (q.accumulate ? to : 0) + alpha * total;
                }
        }
    }
    /// An argument that is images (or windows of such), rows of pixels.
    struct Image {
        int argument, height, width, pixel;
    };
    /// A cell of one.
    double& pixel(const sigma::detail::Kernel& k, const Pointers& p, const Image& x, const Index& i) {
        return cell(k, x.argument, p[at(x.argument)] + ((i[0] * x.height + i[1]) * x.width + i[2]) * x.pixel + i[3]);
    }
    void clear_image(const sigma::detail::Kernel& k, const Pointers& p, const Image& x, long long images) {
        for (long long i = 0; i < images * x.height * x.width * x.pixel; ++i)
            cell(k, x.argument, p[at(x.argument)] + i) = 0;
    }
    void convolution(const sigma::detail::Kernel& k, const Pointers& p, const Share& share) {
        const sigma::detail::ConvolutionKernel& q = k.convolution;
        const sigma::detail::Convolution& g = q.geometry;
        const bool input = q.operation == sigma::detail::Operation::convolve_input,
                   weights = q.operation == sigma::detail::Operation::convolve_weights;
        const Image x{input ? 2 : 0, q.height, q.width, q.pixel};
        const Image y{input ? 0 : weights ? 1 : 2, q.result_height, q.result_width, q.y_pixel};
        const int w = weights ? 2 : 1;
        const bool turned = input && !(g.groups > 1 && g.groups == q.channels);
        const long long kernel_width = q.kernel_width, channels = q.channels / g.groups;
        const long long images = sigma::detail::resolve(q.images, share.records.count);
        const long long end = share.first + share.rows(q.kernel_height * kernel_width * channels);
        if (input) clear_image(k, p, x, images);
        for (long long r = share.first; r < end; ++r)
            for (long long o = 0; o < q.outputs; ++o) {
                const long long a = r / channels / kernel_width, b = r / channels % kernel_width, c = r % channels;
                const long long row = turned ? (a * q.outputs + o) * kernel_width + b : r;
                const long long v = p[at(w)] + row * q.weights_row + (turned ? c : o);
                const long long channel = o / (q.outputs / g.groups) * channels + c;
                if (weights) cell(k, w, v) = 0;
                for (long long n = 0; n < images; ++n)
                    for (long long i = 0; i < q.result_height; ++i)
                        for (long long j = 0; j < q.result_width; ++j) {
                            double& of_y = pixel(k, p, y, {n, i, j, o});
                            if (q.operation == sigma::detail::Operation::convolve && r == 0) of_y = 0;
                            const long long h = i * g.stride[0] + a * g.dilation[0] - q.before[0],
                                            v_of_x = j * g.stride[1] + b * g.dilation[1] - q.before[1];
                            if (h < 0 || h >= q.height || v_of_x < 0 || v_of_x >= q.width) continue;
                            double& of_x = pixel(k, p, x, {n, h, v_of_x, channel});
                            double& to = input ? of_x : weights ? cell(k, w, v) : of_y;
                            to += input ? of_y * cell(k, w, v) : weights ? of_x * of_y : of_x * cell(k, w, v);
                        }
            }
    }
    void pooling(const sigma::detail::PoolingKernel& q, const sigma::detail::Kernel& k, const Pointers& p,
                 long long records) {
        const sigma::detail::Pooling& g = q.geometry;
        const bool unpools = q.operation == sigma::detail::Operation::unpool;
        const auto of_x = [&](int a) { return Image{a, q.height, q.width, q.pixel[a]}; };
        const auto of_y = [&](int a) { return Image{a, q.windows_high, q.windows_wide, q.pixel[a]}; };
        const long long images = sigma::detail::resolve(q.images, records);
        if (unpools) clear_image(k, p, of_x(3), images);
        for (long long n = 0; n < images; ++n)
            for (long long i = 0; i < q.windows_high; ++i)
                for (long long j = 0; j < q.windows_wide; ++j)
                    for (long long c = 0; c < q.channels; ++c) {
                        Index best{-1};
                        for (long long a = i * g.stride[0] - g.before[0], b0 = j * g.stride[1] - g.before[1], b = b0;
                             a < i * g.stride[0] - g.before[0] + g.window[0];) {
                            const bool inside = a >= 0 && b >= 0 && a < q.height && b < q.width;
                            const double v = inside ? pixel(k, p, of_x(0), {n, a, b, c}) : 0;
                            const double old = best[0] < 0 ? 0 : pixel(k, p, of_x(0), best);
                            if (inside && (best[0] < 0 || v > old || (std::isnan(v) && !std::isnan(old))))
                                best = {n, a, b, c};
                            if (++b == b0 + g.window[1]) ++a, b = b0;
                        }
                        const Index here{n, i, j, c};
                        if (q.operation == sigma::detail::Operation::pool_max)
                            pixel(k, p, of_y(1), here) = pixel(k, p, of_x(0), best);
                        else if (unpools) pixel(k, p, of_x(3), best) += pixel(k, p, of_y(2), here);
                        else pixel(k, p, of_y(3), here) = pixel(k, p, of_x(2), best);
                    }
    }
    void lookup(const sigma::detail::Kernel& k, const Pointers& p, const Share& share) {
        const sigma::detail::LookupKernel& q = k.lookup;
        const auto size = [&](int coded) { return sigma::detail::resolve(coded, share.records.count); };
        const bool gathers = q.operation == sigma::detail::Operation::gather;
        const long long end = share.first + share.rows(q.rows), each = size(q.ids_each);
        for (long long r = share.first; r < end && !gathers; ++r)
            for (long long j = 0; j < size(q.width); ++j) cell(k, 2, p[2] + r * size(q.table_row) + j) = 0;
        for (long long i = 0; i < size(q.ids); ++i) {
            const double id = cell(k, 1, p[1] + i / each * size(q.ids_row) + i % each);
            const bool exists = id >= 0 && id < q.rows;
            const long long row = exists ? static_cast<long long>(id) : -1;
            for (long long j = 0; j < size(q.width); ++j) {
                if (gathers)
                    cell(k, 2, p[2] + i * size(q.values_row) + j) =
                        exists ? cell(k, 0, p[0] + row * size(q.table_row) + j) : nan;
                else if (row >= share.first && row < end)
                    cell(k, 2, p[2] + row * size(q.table_row) + j) += cell(k, 0, p[0] + i * size(q.values_row) + j);
            }
        }
    }
    /// Each block on memory of its own, row by row.
    void blocks(const sigma::detail::Kernel& k, Pointers p, const Index& e, int loop) {
        const sigma::detail::BlockKernel& b = k.block;
        if (loop < b.rank) {
            for (long long i = 0; i < e[at(loop)]; ++i) {
                blocks(k, p, e, loop + 1);
                for (int a = 0; a < k.arguments; ++a) p[at(a)] += stride(k, a, loop);
            }
            return;
        }
        Values memory[4];
        debugging::scalar::Block<double> dense[4]{};
        const auto each_cell = [&](int a, auto f) {
            const sigma::detail::BlockKernel::Block& x = b.blocks[a];
            for (long long r = 0; r < x.rows; ++r)
                for (long long c = 0; c < x.columns; ++c)
                    f(memory[a][at(r * x.columns + c)], p[at(a)] + r * x.row + c * x.column);
        };
        const int result = k.arguments - 1;
        for (int a = 0; a < k.arguments; ++a) {
            const sigma::detail::BlockKernel::Block& x = b.blocks[a];
            memory[a].assign(at(x.rows * x.columns), nan);
            if (a < result) each_cell(a, [&](double& to, long long from) { to = cell(k, a, from); });
            dense[a == result ? 3 : a] = {memory[a].data(), x.rows, x.columns, x.columns, x.columns == 1 ? 0 : 1};
        }
        if (is_custom(b.operation)) debugging::custom_value(b.part, dense[3], dense[0], dense[1], dense[2]);
        else debugging::block_value(b.operation, b.option, dense[3], dense[0], dense[1], dense[2]);
        each_cell(result, [&](double from, long long to) { cell(k, result, to) = from; });
    }
    void move(const sigma::detail::Kernel& k, const Pointers& p, const Index& e, int loop, long long from,
              long long to) {
        if (loop == k.move.rank) {
            cell(k, 1, to) = cell(k, 0, from);
            return;
        }
        for (long long i = 0; i < e[at(loop)]; ++i)
            move(k, p, e, loop + 1, from + i * stride(k, 0, loop), to + i * stride(k, 1, loop));
    }
    void argmax(const sigma::detail::Kernel& k, const Index& e, int loop, long long from, long long to) {
        if (loop < k.argmax.rank - 1) {
            for (long long i = 0; i < e[at(loop)]; ++i)
                argmax(k, e, loop + 1, from + i * stride(k, 0, loop), to + i * stride(k, 1, loop));
            return;
        }
        long long best = 0;
        for (long long i = 1; i < e[at(loop)]; ++i) {
            const double x = cell(k, 0, from + i * stride(k, 0, loop)),
                         greatest = cell(k, 0, from + best * stride(k, 0, loop));
            if (x > greatest || (std::isnan(x) && !std::isnan(greatest))) best = i;
        }
        cell(k, 1, to) = static_cast<double>(best);
    }

    /// One run of a fused kernel: sigma::on_cpu::Fused, with loops where that has templates.
    class Fused {
    public:
        Fused(PlanInterpreter& owner, const sigma::detail::Kernel& of, const Index& extents)
            : o(owner), kernel(of), k(of.fused), e(extents), columns(of.kind == Kind::columns) {
            for (int u = 0; u < bundle; ++u) {
                results[u].resize(at(k.instructions));
                totals[u].resize(at(k.instructions));
                for (Vector& v : results[u]) v.fill(nan);
                for (Vector& v : totals[u]) v.fill(nan);
            }
        }
        void run(const Pointers& p) {
            perform(0, 0, 0, p, 0, whole());
            if (k.rank > 0) nest(0, p);
        }

    private:
        PlanInterpreter& o;
        const sigma::detail::Kernel& kernel;
        const sigma::detail::FusedKernel& k;
        const Index e;
        bool columns;
        std::vector<Vector> results[bundle], totals[bundle];

        struct Lane {
            int memory;   ///< lanes that are read and written
            int reduced;  ///< lanes that enter a reduction
        };
        Lane whole() const { return {o.lanes_, o.lanes_}; }
        const sigma::detail::Instruction& in(int i) const { return o.instruction(kernel, i); }
        void advance(Pointers& q, int loop) const {
            for (int a = 0; a < kernel.arguments; ++a) q[at(a)] += o.stride(kernel, a, loop);
        }
        Vector& reg(int j, int u) { return results[j >= 0 && in(j).level == 2 ? u : 0][at(j < 0 ? 0 : j)]; }

        void perform(int level, int sweep, int u, const Pointers& q, long long c, Lane lane) {
            for (int i = 0; i < k.instructions; ++i)
                if (in(i).level == level && (level == 0 || in(i).sweep == sweep)) step(i, u, q, c, lane);
        }
        void step(int i, int u, const Pointers& q, long long c, Lane lane) {
            const sigma::detail::Instruction& n = in(i);
            const long long start = n.argument >= 0 ? q[at(n.argument)] : 0, vector = start + c + u * o.lanes_;
            const bool single = n.level < 2 || n.broadcast;
            Vector& r = results[u][at(i)];
            switch (n.opcode) {
                case Opcode::load:
                    if (single) r.fill(o.cell(kernel, n.argument, start));
                    for (int l = 0; l < o.lanes_ && !single; ++l)
                        r[at(l)] = l < lane.memory ? o.cell(kernel, n.argument, vector + l) : 0;
                    return;
                case Opcode::store:
                    if (n.level < 2) o.cell(kernel, n.argument, start) = reg(n.a, u)[0];
                    for (int l = 0; l < lane.memory && n.level == 2; ++l)
                        o.cell(kernel, n.argument, vector + l) = reg(n.a, u)[at(l)];
                    return;
                case Opcode::reduce:
                    for (int l = 0; l < lane.reduced; ++l) {
                        double& total = totals[u][at(i)][at(l)];
                        const double v = reg(n.a, u)[at(l)];
                        total =
                            n.b < 0 ? combined_value(n.operation, total, v) : std::fma(v, reg(n.b, u)[at(l)], total);
                    }
                    return;
                case Opcode::evaluate: {
                    if (n.operation == sigma::detail::Operation::constant) return r.fill(n.constant);
                    const Vector a = reg(n.a, u), b = reg(n.b, u), d = reg(n.c, u);
                    for (int l = 0; l < o.lanes_; ++l)
                        r[at(l)] = scalar_value(n.operation, a[at(l)], b[at(l)], d[at(l)]);
                    return;
                }
            }
        }

        void open(int sweep) {
            for (int i = 0; i < k.instructions; ++i)
                for (int u = 0; u < bundle && in(i).opcode == Opcode::reduce && in(i).sweep == sweep; ++u)
                    totals[u][at(i)].fill(neutral_value(in(i).operation));
        }
        void close(int sweep, const Pointers& q) {
            for (int i = 0; i < k.instructions; ++i) {
                if (in(i).opcode != Opcode::reduce || in(i).sweep != sweep) continue;
                double total = neutral_value(in(i).operation);
                for (int l = 0; l < o.lanes_; ++l)
                    total = combined_value(in(i).operation, total, totals[0][at(i)][at(l)]);
                results[0][at(i)].fill(total);
                if (in(i).argument >= 0) o.cell(kernel, in(i).argument, q[at(in(i).argument)]) = total;
            }
        }
        void close_columns(int u, const Pointers& q, long long c, Lane lane) {
            for (int i = 0; i < k.instructions; ++i) {
                if (in(i).opcode != Opcode::reduce || in(i).sweep != 0) continue;
                results[u][at(i)] = totals[u][at(i)];
                for (int l = 0; l < lane.memory && in(i).argument >= 0; ++l)
                    o.cell(kernel, in(i).argument, q[at(in(i).argument)] + c + u * o.lanes_ + l) =
                        totals[u][at(i)][at(l)];
            }
        }

        template <class F>
        void along_vectors(long long n, long long c, F f) const {
            for (; c + o.lanes_ <= n; c += o.lanes_) f(c, whole());
            const int rest = static_cast<int>(n - c);
            if (rest == 0) return;
            if (k.tail == sigma::detail::FusedKernel::Tail::none)
                throw std::logic_error("a row has a tail, but the plan says that it has none");
            f(c, k.tail == sigma::detail::FusedKernel::Tail::padded ? Lane{o.lanes_, rest} : Lane{rest, rest});
        }
        void along_row(int loop, int sweep, Pointers q) {
            if (loop + 1 == k.rank)
                return along_vectors(e[at(loop)], 0, [&](long long c, Lane lane) { perform(2, sweep, 0, q, c, lane); });
            for (long long i = 0; i < e[at(loop)]; ++i) {
                along_row(loop + 1, sweep, q);
                advance(q, loop);
            }
        }
        void row(const Pointers& q) {
            for (int sweep = 0; sweep < k.sweeps; ++sweep) {
                perform(1, sweep, 0, q, 0, whole());
                open(sweep);
                along_row(k.outer, sweep, q);
                close(sweep, q);
            }
        }
        void down(int loop, int width, Pointers q, long long c, Lane lane) {
            if (loop == k.outer + k.reduced) {
                for (int u = 0; u < width; ++u) perform(2, 0, u, q, c, lane);
                return;
            }
            for (long long i = 0; i < e[at(loop)]; ++i) {
                down(loop + 1, width, q, c, lane);
                advance(q, loop);
            }
        }
        void column(int width, const Pointers& q, long long c, Lane lane) {
            open(0);
            down(k.outer, width, q, c, lane);
            for (int u = 0; u < width; ++u) close_columns(u, q, c, lane);
            for (int u = 0; u < width; ++u) perform(2, 1, u, q, c, lane);
        }
        void along_columns(int loop, Pointers q) {
            if (loop + 1 == k.rank) {
                long long c = 0;
                for (; c + bundle * o.lanes_ <= e[at(loop)]; c += bundle * o.lanes_) column(bundle, q, c, whole());
                return along_vectors(e[at(loop)], c,
                                     [&](long long at_column, Lane lane) { column(1, q, at_column, lane); });
            }
            for (long long i = 0; i < e[at(loop)]; ++i) {
                along_columns(loop + 1, q);
                advance(q, loop);
            }
        }
        void nest(int loop, Pointers q) {
            if (loop == k.outer) return columns ? along_columns(k.outer + k.reduced, q) : row(q);
            for (long long i = 0; i < e[at(loop)]; ++i) {
                nest(loop + 1, q);
                advance(q, loop);
            }
        }
    };
};

}  // namespace sigma::test
