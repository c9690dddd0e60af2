// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/config.hpp>
#include <sigma/device/cpu/common_kernels.hpp>
#include <sigma/device/cpu/interpreter/interpreter.hpp>
#include <sigma/device/cpu/kernels.hpp>

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

namespace sigma::on_cpu {

/// The code of a kernel, and the memory that it refers to.
template <class T>
struct OwnedTileCode {
    TileCode<T> code{};
    std::vector<TileOperation<T>> operations{};
    std::vector<TileReduction> reductions{};
    std::vector<typename TileCode<T>::Sweep> sweeps{};
    std::unique_ptr<bool[]> along{};
    std::vector<T> constants{};
};

/// A translator from the micro-operations of a kernel to operations over tiles.
template <class T>
class TileBuilder {
public:
    TileBuilder(const sigma::detail::PlanView& plan, const sigma::detail::Kernel& kernel, const Kernels<T>& kernels,
                OwnedTileCode<T>& result)
        : plan_(plan), kernel_(kernel), k_(kernel.fused), kernels_(kernels), in_(plan.instructions_of(kernel)),
          arguments_(plan.arguments_of(kernel)), lanes_(kernels.lanes), result_(result) {}

    void build() {
        choose_walk();
        find_levels();
        for (int sweep = 0; sweep < k_.sweeps; ++sweep) {
            for (int i = 0; i < size(); ++i)
                if (sweep_of(i) == sweep && (at(i).opcode == Opcode::load || at(i).opcode == Opcode::evaluate))
                    make_value(i);
            for (int i = 0; i < size(); ++i)
                if (sweep_of(i) == sweep && at(i).opcode == Opcode::reduce) make_reduction(i);
            for (int i = 0; i < size(); ++i)
                if (sweep_of(i) == sweep && at(i).opcode == Opcode::store) make_store(i);
        }
        give_places();
        write();
    }

private:
    using Opcode = sigma::detail::Instruction::Opcode;
    using Code = TileCode<T>;
    using Walk = typename Code::Walk;

    /// A value that operations read.
    struct Value {
        enum class Where : std::uint8_t {
            along,   ///< an argument, read element by element
            number,  ///< an argument with one number per row
            constant,
            equal,  ///< a vector of equal numbers, computed once
            row,    ///< one number per row
            total,  ///< the total of columns
            tile,
        };
        Where where;
        int index;
        int maker = -1, sweep = -1;  ///< tiles: the operation and the sweep that compute it
        int last = -1;               ///< tiles: the last operation that reads it
        int place = -1;              ///< tiles: number of its tile
    };
    using Where = typename Value::Where;
    /// An operation that refers to values; it refers to places later.
    struct Draft {
        TileTask task;
        sigma::detail::Operation operation;
        int operand[4], result;
    };
    struct Known {  // a value that was already computed
        TileTask task;
        sigma::detail::Operation operation;
        int operand[4];
        int level, sweep, value;
    };

    const sigma::detail::PlanView& plan_;
    const sigma::detail::Kernel& kernel_;
    const sigma::detail::FusedKernel& k_;
    const Kernels<T>& kernels_;
    const std::span<const sigma::detail::Instruction> in_;
    const std::span<const sigma::detail::Argument> arguments_;
    const int lanes_;
    OwnedTileCode<T>& result_;
    sigma::detail::FusedKernel::Tail tail_{};
    std::ptrdiff_t vectors_ = -1;  ///< vectors of a row; unknown if it depends on the batch
    std::vector<int> root_, level_, value_;
    std::vector<Value> values_;
    std::vector<Draft> once_;
    std::vector<std::vector<Draft>> rows_, vectors_of_;   ///< operations of each sweep
    std::vector<std::vector<TileReduction>> reductions_;  ///< reductions that refer to values, not places
    std::vector<Known> known_;
    std::vector<int> along_values_, number_values_;  ///< values of each argument

    static std::size_t index(int i) { return static_cast<std::size_t>(i); }
    int size() const { return k_.instructions; }
    const sigma::detail::Instruction& at(int i) const { return in_[index(i)]; }
    bool columns() const { return kernel_.kind == sigma::detail::Kernel::Kind::columns; }
    bool reduces() const {
        for (const sigma::detail::Instruction& n : in_)
            if (n.opcode == Opcode::reduce) return true;
        return false;
    }
    /// Returns the sweep of an instruction. Instructions that run once per kernel are in the first.
    int sweep_of(int i) const { return at(i).level == 0 ? 0 : at(i).sweep; }

    // ---- how to walk ----

    void choose_walk() {
        Code& c = result_.code;
        c.rank = k_.rank, c.outer = k_.outer, c.reduced = k_.reduced, c.sweeps = k_.sweeps;
        c.arguments = static_cast<short>(kernel_.arguments);
        const int length = k_.rank > 0 ? k_.extent[k_.rank - 1] : 1;
        if (length >= 0) vectors_ = (length + lanes_ - 1) / lanes_;
        // Rows of whole vectors of the plan may not be rows of whole vectors here.
        tail_ = k_.tail != sigma::detail::FusedKernel::Tail::none && plan_.lanes % lanes_ == 0 ? k_.tail
                : plan_.lanes % lanes_ == 0 ? sigma::detail::FusedKernel::Tail::none
                                            : sigma::detail::FusedKernel::Tail::masked;
        const bool nested = (columns() ? k_.reduced : k_.rank - k_.outer) > 1;
        c.blocks = columns() || nested || k_.outer == 0;
        c.tile = static_cast<int>(tile_bytes / sizeof(T)) / lanes_;
        const bool one_row = nested || k_.outer == 0 || vectors_ < 0 || vectors_ > c.tile;
        c.walk = columns()                      ? Walk::columns
                 : !reduces() && k_.sweeps == 1 ? Walk::map
                 : one_row                      ? Walk::row
                                                : Walk::rows;
        c.rows_loop = static_cast<short>(columns()             ? k_.outer + k_.reduced - 1
                                         : c.walk == Walk::row ? k_.rank - 2
                                                               : k_.outer - 1);
        if (k_.rank == 0 || (c.walk == Walk::row && !nested) || (columns() && k_.reduced == 0)) c.rows_loop = -1;
        c.numbers_step = c.walk == Walk::row ? 0 : 1;
        rows_.resize(index(k_.sweeps));
        vectors_of_.resize(index(k_.sweeps));
        reductions_.resize(index(k_.sweeps));
    }
    static constexpr std::size_t tile_bytes = 2048;

    // ---- how often each is needed ----

    static bool is_name(const sigma::detail::Instruction& n) {
        return n.opcode == Opcode::evaluate &&
               (n.operation == sigma::detail::Operation::copy || n.operation == sigma::detail::Operation::expand ||
                n.operation == sigma::detail::Operation::stop_gradient);
    }
    static bool is_number(const sigma::detail::Instruction& n) {
        return n.opcode == Opcode::evaluate && n.operation == sigma::detail::Operation::constant;
    }
    void find_levels() {
        root_.resize(in_.size());
        level_.resize(in_.size());
        value_.assign(in_.size(), -1);
        for (int i = 0; i < size(); ++i) {
            const sigma::detail::Instruction& n = at(i);
            root_[index(i)] = is_name(n) ? root(n.a) : i;
            int level = n.level;
            if (n.opcode == Opcode::reduce) level = columns() ? 2 : 1;
            if (n.opcode == Opcode::evaluate) {  // as often as its operands
                level = 0;
                for (int o : {n.a, n.b, n.c})
                    if (o >= 0) level = std::max(level, this->level(o));
            }
            level_[index(i)] = level;
        }
        for (int a = 0; a < kernel_.arguments; ++a) {
            along_values_.push_back(add_value(Where::along, a));
            number_values_.push_back(add_value(Where::number, a));
        }
    }
    int root(int i) const { return root_[index(i)]; }
    int level(int i) const { return level_[index(i)]; }
    int value(int i) const { return i < 0 ? -1 : value_[index(root(i))]; }

    // ---- memory ----

    bool may_overlap(int x, int y) const {
        const sigma::detail::Buffer &a = plan_.buffers[index(arguments_[index(x)].buffer)],
                                    &b = plan_.buffers[index(arguments_[index(y)].buffer)];
        if (x == y || arguments_[index(x)].buffer == arguments_[index(y)].buffer) return true;
        if (a.where != b.where) return false;
        if (a.where != sigma::detail::Buffer::Where::fixed && a.where != sigma::detail::Buffer::Where::batched)
            return a.offset == b.offset;
        return a.offset < b.offset + sigma::detail::footprint(b.shape, b.pitch) &&
               b.offset < a.offset + sigma::detail::footprint(a.shape, a.pitch);
    }
    /// Returns whether a value that is read element by element is written at the same time.
    bool same_place(int x, int y) const {
        const sigma::detail::Argument &a = arguments_[index(x)], &b = arguments_[index(y)];
        const sigma::detail::Buffer &m = plan_.buffers[index(a.buffer)], &n = plan_.buffers[index(b.buffer)];
        if (m.where != n.where || m.offset != n.offset || a.offset != b.offset || a.time != b.time) return false;
        for (int i = 0; i < k_.rank; ++i)
            if (a.stride[i] != b.stride[i]) return false;
        return true;
    }
    bool is_written(int argument) const {
        for (const sigma::detail::Instruction& n : in_)
            if ((n.opcode == Opcode::store || n.opcode == Opcode::reduce) && n.argument >= 0 &&
                may_overlap(argument, n.argument))
                return true;
        return false;
    }
    bool stored_from(int i) const {
        for (const sigma::detail::Instruction& n : in_)
            if (n.opcode == Opcode::store && n.level == 2 && root(n.a) == i) return true;
        return false;
    }

    // ---- values and operations ----

    int add_value(Where where, int number) {
        values_.push_back({where, number});
        return static_cast<int>(values_.size()) - 1;
    }
    int new_value(int level) {
        Code& c = result_.code;
        if (level == 0) return add_value(Where::equal, c.equal++);
        if (level == 1) return add_value(Where::row, c.numbers++);
        return add_value(Where::tile, c.tiles++);
    }
    /// Returns whether operations of this level read one number per row of a value.
    bool is_broadcast(int v, int level) const {
        switch (values_[index(v)].where) {
            case Where::along:
            case Where::tile:
            case Where::total: return false;
            case Where::number: return true;
            case Where::row: return level == 2;
            default: return level > 0;
        }
    }
    std::vector<Draft>& list(int level, int sweep) {
        return level == 0 ? once_ : level == 1 ? rows_[index(sweep)] : vectors_of_[index(sweep)];
    }
    void put(int level, int sweep, TileTask task, sigma::detail::Operation o, int result, int a, int b = -1, int c = -1,
             int d = -1) {
        std::vector<Draft>& to = list(level, sweep);
        Value& v = values_[index(result)];
        if (v.where == Where::tile) v.maker = static_cast<int>(to.size()), v.sweep = sweep;
        to.push_back({task, o, {a, b, c, d}, result});
    }
    /// Returns the value as a tile, along whole rows.
    int dense(int v, int level, int sweep) {
        if (!is_broadcast(v, level)) return v;
        const int fresh = new_value(level);
        put(level, sweep, level == 0 ? TileTask::number : TileTask::broadcast, sigma::detail::Operation::copy, fresh,
            v);
        return fresh;
    }
    void make_value(int i) {
        const sigma::detail::Instruction& n = at(i);
        if (root(i) != i || chosen_at_once(i)) return;
        value_[index(i)] = n.opcode == Opcode::load ? loaded(i) : is_number(n) ? constant(n.constant) : evaluated(i);
    }
    int loaded(int i) {
        const sigma::detail::Instruction& n = at(i);
        const int a = n.argument;
        const bool written = is_written(a);
        if (n.level == 0) {
            if (!written) return number_values_[index(a)];
            const int v = new_value(0);
            put(0, 0, TileTask::number, sigma::detail::Operation::copy, v, number_values_[index(a)]);
            return v;
        }
        if (n.level == 1) {
            const int v = new_value(1);
            put(1, n.sweep, TileTask::gather, sigma::detail::Operation::copy, v, along_values_[index(a)]);
            return v;
        }
        if (n.broadcast) return written ? dense(number_values_[index(a)], 2, n.sweep) : number_values_[index(a)];
        const int v = along_values_[index(a)];
        result_.along[index(a)] = true;
        if (!written || !stored_from(i)) return v;
        const int copy = new_value(2);  // another store may come first
        put(2, n.sweep, TileTask::evaluate, sigma::detail::Operation::copy, copy, v);
        return copy;
    }
    int constant(double number) {
        const T x = static_cast<T>(number);
        const int count = result_.code.constants;
        for (std::size_t v = 0; v < values_.size(); ++v)
            if (values_[v].where == Where::constant &&
                std::memcmp(&result_.constants[index(values_[v].index * lanes_)], &x, sizeof x) == 0)
                return static_cast<int>(v);
        for (int lane = 0; lane < lanes_; ++lane) result_.constants.push_back(x);
        ++result_.code.constants;
        return add_value(Where::constant, count);
    }
    /// Returns whether a comparison is only used to select, at the same places.
    bool chosen_at_once(int i) const {
        const sigma::detail::Instruction& n = at(i);
        if (n.opcode != Opcode::evaluate || n.operation < sigma::detail::Operation::less ||
            n.operation > sigma::detail::Operation::equal || level(i) != 2)
            return false;
        bool found = false;
        for (int u = 0; u < size(); ++u) {
            const sigma::detail::Instruction& x = at(u);
            if (is_name(x)) continue;
            const auto reads = [&](int o) { return o >= 0 && root(o) == i; };
            if (!reads(x.a) && !reads(x.b) && !reads(x.c)) continue;
            if (x.opcode != Opcode::evaluate || x.operation != sigma::detail::Operation::where || !reads(x.a) ||
                reads(x.b) || reads(x.c) || x.sweep != n.sweep)
                return false;
            found = true;
        }
        return found;
    }
    int evaluated(int i) {
        const sigma::detail::Instruction& n = at(i);
        Known now{TileTask::evaluate, n.operation, {value(n.a), value(n.b), value(n.c), -1}, level(i), n.sweep, -1};
        int operands = (n.a >= 0) + (n.b >= 0) + (n.c >= 0);
        if (n.operation == sigma::detail::Operation::where && chosen_at_once(root(n.a))) {
            const sigma::detail::Instruction& comparison = at(root(n.a));
            now.task = TileTask::choose;
            now.operation = comparison.operation;
            now.operand[3] = now.operand[2];
            now.operand[2] = now.operand[1];
            now.operand[0] = value(comparison.a);
            now.operand[1] = value(comparison.b);
            operands = 4;
        } else if (n.operation == sigma::detail::Operation::maximum && (is_number(at(n.a)) || is_number(at(n.b)))) {
            now.task = TileTask::greater;
            if (!is_number(at(n.a))) std::swap(now.operand[0], now.operand[1]);
        }
        for (const Known& k : known_)
            if (k.task == now.task && k.operation == now.operation &&
                std::equal(k.operand, k.operand + 4, now.operand) && k.level == now.level &&
                (k.level < 2 || k.sweep == now.sweep || result_.code.walk == Walk::rows))
                return k.value;
        const Known wanted = now;
        bool all_broadcast = true;
        for (int o = 0; o < operands; ++o) all_broadcast = all_broadcast && is_broadcast(now.operand[o], now.level);
        const bool tiles_only = now.task == TileTask::evaluate && needs_tiles(now.operation);
        for (int o = 0; o < operands; ++o)
            if (tiles_only || (o == 0 && (all_broadcast || now.task == TileTask::choose)))
                now.operand[o] = dense(now.operand[o], now.level, n.sweep);
        now.value = new_value(now.level);
        put(now.level, n.sweep, now.task, now.operation, now.value, now.operand[0], now.operand[1], now.operand[2],
            now.operand[3]);
        known_.push_back(wanted);
        return known_.back().value = now.value;
    }
    void make_reduction(int i) {
        const sigma::detail::Instruction& n = at(i);
        Code& c = result_.code;
        int a = value(n.a), b = value(n.b);
        if (b >= 0 && is_broadcast(a, 2) && is_broadcast(b, 2)) a = dense(a, 2, n.sweep);
        TileReduction r{n.operation, -1, -1, n.argument};
        const bool settles = c.blocks && n.operation == sigma::detail::Operation::sum;
        if (c.walk == Walk::columns) {
            if (n.argument >= 0) result_.along[index(n.argument)] = true;
            const int total = add_value(Where::total, c.totals++);
            r.total = static_cast<short>(total);
            if (settles) r.settled = static_cast<short>(add_value(Where::total, c.totals++));
            put(2, n.sweep, TileTask::reduce_columns, n.operation, total, a, b);
        } else {
            r.total = static_cast<short>(new_value(1));
            if (c.walk == Walk::row && settles) r.settled = static_cast<short>(new_value(1));
            put(2, n.sweep, c.walk == Walk::row ? TileTask::reduce_row : TileTask::reduce_rows, n.operation, r.total, a,
                b);
            if (c.walk == Walk::rows && n.argument >= 0)
                put(2, n.sweep, TileTask::scatter, sigma::detail::Operation::copy, along_values_[index(n.argument)],
                    r.total);
        }
        value_[index(i)] = r.total;
        if (c.walk != Walk::rows) reductions_[index(n.sweep)].push_back(r);
    }
    void make_store(int i) {
        const sigma::detail::Instruction& n = at(i);
        const int v = value(n.a), to = along_values_[index(n.argument)];
        if (n.level == 0) return put(0, 0, TileTask::scatter_equal, sigma::detail::Operation::copy, to, v);
        if (n.level == 1)
            return put(1, n.sweep, is_broadcast(v, 1) ? TileTask::scatter_equal : TileTask::scatter,
                       sigma::detail::Operation::copy, to, v);
        result_.along[index(n.argument)] = true;
        if (may_go_straight(v, n)) {
            values_[index(v)].where = Where::along;
            values_[index(v)].index = n.argument;
        } else {
            put(2, n.sweep, is_broadcast(v, 2) ? TileTask::broadcast : TileTask::evaluate,
                sigma::detail::Operation::copy, to, v);
        }
    }
    /// Returns whether the operation that computes a tile may write it directly to its destination. The destination
    /// must not contain values that are read later.
    bool may_go_straight(int v, const sigma::detail::Instruction& store) const {
        const Value& x = values_[index(v)];
        if (x.where != Where::tile || x.sweep != store.sweep) return false;
        for (const sigma::detail::Instruction& n : in_)
            if (&n != &store && (n.opcode == Opcode::store || n.opcode == Opcode::reduce) && n.argument >= 0 &&
                may_overlap(n.argument, store.argument))
                return false;
        const std::vector<Draft>& all = vectors_of_[index(store.sweep)];
        for (std::size_t j = index(x.maker); j < all.size(); ++j)
            for (int o : all[j].operand) {
                if (o < 0) continue;
                const Value& y = values_[index(o)];
                if ((y.where != Where::along && y.where != Where::number) || !may_overlap(y.index, store.argument))
                    continue;
                if (j != index(x.maker) || y.where != Where::along || !same_place(y.index, store.argument))
                    return false;
            }
        return true;
    }

    // ---- places ----

    bool is_tile(int v) const { return v >= 0 && values_[index(v)].where == Where::tile; }
    /// Assigns places to values. Tiles are reused when their values are no longer needed.
    void give_places() {
        int time = 0, count = 0;
        for (const auto& sweep : vectors_of_)
            for (const Draft& d : sweep) {
                for (int o : d.operand)
                    if (is_tile(o)) values_[index(o)].last = time;
                ++time;
            }
        time = 0;
        std::vector<int> free;
        for (const auto& sweep : vectors_of_)
            for (const Draft& d : sweep) {
                for (int o : d.operand)
                    if (is_tile(o) && values_[index(o)].last == time) {
                        free.push_back(values_[index(o)].place);
                        values_[index(o)].last = -2;  // marks it as released
                    }
                if (is_tile(d.result)) {
                    Value& v = values_[index(d.result)];
                    if (free.empty()) free.push_back(count++);
                    v.place = free.back();
                    if (v.last >= 0) free.pop_back();
                }
                ++time;
            }
        Code& c = result_.code;
        c.tiles = static_cast<short>(count);
        if (count == 0 && c.walk == Walk::map) c.tile = 1 << 20;
        while (c.walk != Walk::rows &&
               (count + c.totals) * c.tile * lanes_ * static_cast<int>(sizeof(T)) > most_bytes && c.tile > 4)
            c.tile /= 2;
    }
    static constexpr int most_bytes = 128 * 1024;

    short place(int v) const {
        if (v < 0) return -1;
        const Code& c = result_.code;
        const Value& x = values_[index(v)];
        int first = 0;
        switch (x.where) {
            case Where::tile:
                return static_cast<short>(c.arguments + c.constants + c.equal + c.numbers + c.totals + x.place);
            case Where::total: first += c.numbers; [[fallthrough]];
            case Where::row: first += c.equal; [[fallthrough]];
            case Where::equal: first += c.constants; [[fallthrough]];
            case Where::constant: first += c.arguments; [[fallthrough]];
            default: return static_cast<short>(first + x.index);
        }
    }
    /// Returns whether the rows of a value are known to be consecutive. It is unknown if it depends on the batch.
    bool rows_follow(int v, bool broadcast) const {
        const Code& c = result_.code;
        const Value& x = values_[index(v)];
        if (x.where == Where::row) return c.numbers_step == 0;
        if (x.where != Where::along && x.where != Where::number) return true;
        if (c.rows_loop < 0) return false;
        const std::ptrdiff_t stride = arguments_[index(x.index)].stride[c.rows_loop];
        return stride == (broadcast ? 0 : vectors_ * lanes_);
    }
    TileOperation<T> finished(const Draft& d, int level, bool rows) const {
        TileRequest q{d.task, d.operation, 0, false};
        TileOperation<T> n;
        const bool is_map = d.task == TileTask::evaluate || d.task == TileTask::greater || d.task == TileTask::choose;
        const bool reduces = d.task >= TileTask::reduce_rows;
        bool memory = false, flat = is_map && level == 2 && rows && vectors_ >= 0 && vectors_ <= result_.code.tile;
        const auto look = [&](int v, bool broadcast) {
            memory = memory || (values_[index(v)].where == Where::along && !broadcast);
            flat = flat && rows_follow(v, broadcast);
        };
        for (int o = 0; o < 4; ++o) {
            const int v = d.operand[o];
            n.operand[o] = place(v);
            if (v < 0) continue;
            const bool broadcast = (is_map || reduces) && is_broadcast(v, level);
            q.broadcast |= unsigned{broadcast} << o;
            look(v, broadcast || d.task == TileTask::broadcast);
        }
        if (!reduces) look(d.result, false);
        n.result = place(d.result);
        q.product = reduces && d.operand[1] >= 0;
        n.masked = level == 2 && memory && tail_ == sigma::detail::FusedKernel::Tail::masked;
        n.inside = !reduces && values_[index(d.result)].where != Where::along;
        n.flat = flat && !(n.masked && k_.extent[k_.rank - 1] % lanes_ != 0);
        n.run = kernels_.tile_function(q);
        return n;
    }
    void write() {
        Code& c = result_.code;
        if (k_.rank > 0) c.length = k_.extent[k_.rank - 1];
        std::size_t all = once_.size();
        for (int s = 0; s < k_.sweeps; ++s) all += rows_[index(s)].size() + vectors_of_[index(s)].size();
        result_.operations.reserve(all);
        std::size_t reductions = 0;
        for (const auto& sweep : reductions_) reductions += sweep.size();
        result_.reductions.reserve(reductions);
        const auto add = [&](const std::vector<Draft>& drafts, int level, bool rows) {
            typename Code::Operations o;
            o.first = result_.operations.data() + result_.operations.size();
            for (const Draft& d : drafts) result_.operations.push_back(finished(d, level, rows));
            o.last = result_.operations.data() + result_.operations.size();
            return o;
        };
        c.once = add(once_, 0, false);
        for (int s = 0; s < k_.sweeps; ++s) {
            typename Code::Sweep sweep;
            sweep.rows = add(rows_[index(s)], 1, false);
            sweep.vectors = add(vectors_of_[index(s)], 2, !(columns() && s > 0));
            sweep.reductions = result_.reductions.data() + result_.reductions.size();
            for (TileReduction r : reductions_[index(s)]) {
                r.total = place(r.total);
                r.settled = place(r.settled);
                result_.reductions.push_back(r);
            }
            sweep.reductions_end = result_.reductions.data() + result_.reductions.size();
            result_.sweeps.push_back(sweep);
        }
        c.sweep = result_.sweeps.data();
        c.along = result_.along.get();
        c.constant_values = result_.constants.data();
    }
};

template <class T>
struct Interpreter<T>::Code : OwnedTileCode<T> {
    sigma::detail::FusedFunction<T> common = nullptr;  ///< used instead of tiles
};

/// Makes an interpreter. It is a separate function, because tables of kernels refer to it, and these are compiled for
/// each set of instructions.
template <class T>
Interpreter<T>* Interpreter<T>::make(const sigma::detail::PlanView& plan, const Kernels<T>& kernels) {
    return new Interpreter(plan, kernels);
}
template <class T>
Interpreter<T>::Interpreter(const sigma::detail::PlanView& plan, const Kernels<T>& kernels)
    : kernels_(kernels), codes_(new Code[plan.kernels.size()], [](Code* all) { delete[] all; }) {
    for (std::size_t i = 0; i < plan.kernels.size(); ++i) {
        const sigma::detail::Kernel& k = plan.kernels[i];
        if (!k.is_fused()) continue;
        Code& code = codes_.get()[i];
        if (kernels.common && (code.common = find_common(*kernels.common, plan, k))) continue;
        code.along.reset(new bool[static_cast<std::size_t>(k.arguments)]());
        TileBuilder<T>(plan, k, kernels, code).build();
    }
}
template <class T>
Interpreter<T>::~Interpreter() = default;

template <class T>
void Interpreter<T>::run(int kernel, T* const* pointers, const Strides* strides, const std::ptrdiff_t* extents) const {
    const Code& code = codes_.get()[kernel];
    if (code.common) code.common(pointers, strides, extents);
    else kernels_.run_tiles(code.code, pointers, strides, extents);
}
template <class T>
sigma::detail::FusedFunction<T> Interpreter<T>::compiled(int kernel) const {
    return codes_.get()[kernel].common;
}

SIGMA_INSTANTIATE(class Interpreter);

}  // namespace sigma::on_cpu
