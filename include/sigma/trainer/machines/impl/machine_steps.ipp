// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/device/cpu/device.hpp>
#include <sigma/device/made_program.hpp>
#include <sigma/device/session.hpp>
#include <sigma/execution/evaluator.hpp>
#include <sigma/network/model_store.hpp>
#include <sigma/plan/batch_parts.hpp>
#include <sigma/trainer/machines/machine_steps.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <deque>
#include <utility>

namespace sigma {

SIGMA_IMPL int MachineSet::parts() const {
    const int least = std::max(4, static_cast<int>(std::bit_ceil(static_cast<unsigned>(count()))));
    const int wanted = options.parts == 0 ? least : options.parts;
    if (wanted < count())
        throw ArgumentError("parts of a batch", sentence(count(), " or more, one for each process"), sentence(wanted));
    return wanted;
}

namespace detail {

/// A part of a batch in this process: its records and their computation.
template <class T>
struct MachineSteps<T>::Part {
    std::ptrdiff_t first = 0, count = 0;  ///< records of the part within the batch
    /// Whether the part has no records. It then computes the values common to all parts with a record of another part,
    /// and adds nothing to sums.
    bool empty = false;
    DeviceMemory counters{}, summed{};
    std::vector<DeviceMemory> values{}, rows{};
    std::vector<T> here{};  ///< copy of `summed`, if that is not in host memory
};

template <class T>
struct MachineSteps<T>::Work final : RecordSharing<T> {
    /// An order of rank 0.
    struct Order {
        /// keep: a part of the records that will be evaluated or predicted.
        enum class Kind : std::uint64_t { step, keep, evaluate, predict, end } kind = Kind::step;
        std::uint64_t number = 0, epoch = 0, batch = 0, seed = 0, batch_seed = 0, shuffling = 1, changes = 0;
        std::uint64_t records = 0;  ///< number of the records that are kept
    };
    /// The tensors that have changed.
    struct Change {
        std::uint64_t states, first, end;
    };
    struct Source final : BufferSource {
        Work& of;
        bool states;
        Source(Work& work, bool of_states) : of(work), states(of_states) {}
        void download(int first, int end) override { of.download(states, first, end); }
        void upload(int first, int end) override { of.upload(states, first, end); }
    };
    /// Values that are complete when all kernels before a mark have run.
    struct Bucket {
        std::size_t first, count;
    };
    struct Stage {
        Owned<MadeProgram<T>> made;
        Owned<DeviceProgram> program;
        std::vector<int> marks;
        std::vector<Bucket> buckets;
        bool reads_sums = false;
    };
    /// The records of a data set that this process evaluates: those of some of its batches.
    struct Kept {
        std::uint64_t number;
        std::size_t records;
        std::vector<std::vector<T>> arrays;
    };
    static constexpr std::size_t apart = 64 / sizeof(T), most_kept = 4;  ///< data sets

    SharedOwner<MachineGroup> group;
    SharedOwner<ComputeDevice> device;
    const bool on_host;
    ModelStore<T>& model;
    StepCore<T>& core;
    const BatchLoader<T>& whole;
    const PartedProgram parted;
    const BatchParts parts;
    BatchLoader<T> batches;
    std::vector<std::size_t> widths, place_of;  ///< place of each summed value
    std::vector<Stage> stages{};
    Owned<MadeProgram<T>> made_update;
    Owned<DeviceProgram> update;
    DeviceMemory scalars, reciprocals, sums_there{}, memory_there[2]{};
    std::vector<T> sums{};
    std::vector<Part> own;
    std::vector<T*> added{};  ///< values to sum of each part
    std::vector<T> scalars_here;
    std::vector<int> written[2];
    Source parameters{*this, false}, states{*this, true};
    std::vector<Change> changes{};
    PartSums<T> adder;
    const Cpu processor;
    MadeProgram<T> evaluation, prediction;
    ProgramRuns<T> evaluations{}, predictions{};
    std::deque<Kept> kept{};
    std::vector<std::vector<T>> predicted{};  ///< predictions of each cost for all records
    std::vector<T*> predicted_rows{};

    Work(const MachineSet& machines, const StepInParts& programs, const BatchLoader<T>& of, ModelStore<T>& trained,
         StepCore<T>& step)
        : group(machines.group),
          device(machines.device.compute_device() ? machines.device.compute_device() : trained.host()),
          on_host(device->shares_host_memory()), model(trained), core(step), whole(of),
          parted(split_into_parts(programs.gradients, inputs_of(trained))), parts{machines.parts(), machines.count()},
          batches(trained.network(), own_part(of.batches())), widths(batches.buffers().widths()),
          place_of(parted.values.size()), made_update(make_owned<MadeProgram<T>>(programs.update, trained.lanes())),
          update(device->make_program(made_update->compiled())),
          scalars(device, apart * sizeof(T) * static_cast<std::size_t>(step.scalar_count()) + 1, "hyper-parameters"),
          reciprocals(device, 2 * apart * sizeof(T), "the size of a batch"),
          own(static_cast<std::size_t>(parts.begin(rank() + 1) - parts.begin(rank()))),
          scalars_here(apart * static_cast<std::size_t>(step.scalar_count())), adder(*group, parts),
          processor(machines.device.processor()), evaluation(programs.evaluation, trained.lanes()),
          prediction(programs.prediction, trained.lanes()) {
        for (const bool of_states : {false, true}) {
            written[of_states] = written_tensors(made_update->compiled().plan(),
                                                 of_states ? Buffer::Where::state : Buffer::Where::parameter);
            if (!on_host)
                memory_there[of_states] = DeviceMemory(device, memory(of_states).size() * sizeof(T) + 1,
                                                       of_states ? "states of the optimizer" : "parameters");
        }
        make_stages();
        make_parts();
        bind_update(programs.losses);
        model.dual_buffer().attach(parameters);
        core.dual_buffer().attach(states);
        if (rank() == 0 && group->count() > 1 && on_host) model.share(this);
    }
    ~Work() {
        model.share(nullptr);
        model.dual_buffer().detach();
        core.dual_buffer().detach();
    }

    int rank() const { return group->rank(); }
    static int inputs_of(const ModelStore<T>& m) { return m.network().inputs.size() + m.network().costs.size(); }
    Minibatches own_part(Minibatches of) const {
        of.first_part = static_cast<std::size_t>(parts.begin(rank()));
        of.end_part = static_cast<std::size_t>(parts.begin(rank() + 1));
        of.parts = static_cast<std::size_t>(parts.parts);
        return of;
    }
    DualBuffer<T>& memory(bool of_states) const { return of_states ? core.dual_buffer() : model.dual_buffer(); }
    T* tensor(bool of_states, int i) const {
        return on_host ? memory(of_states).place(i)
                       : memory_there[of_states].template as<T>() + memory(of_states).offset(i);
    }
    void bind_tensors(DeviceProgram& program) const {
        for (const bool of_states : {false, true})
            for (int i = 0; i < memory(of_states).count(); ++i)
                program.bind(of_states ? Buffer::Where::state : Buffer::Where::parameter, i, tensor(of_states, i));
    }
    const PartedValue& value(int v) const { return parted.values[static_cast<std::size_t>(v)]; }
    /// Returns the place of a sum in the memory of the device.
    T* sum_of(int v) { return sums_place() + place_of[static_cast<std::size_t>(v)]; }
    T* sums_place() { return on_host ? sums.data() : sums_there.template as<T>(); }

    // ---- made once ----

    /// Returns the number of the kernel before which all kernels that write an output have run.
    static int mark_of(const PlanView& plan, int output) {
        int mark = 0;
        for (int k = 0; k < static_cast<int>(plan.kernels.size()); ++k) {
            const Kernel& kernel = plan.kernels[static_cast<std::size_t>(k)];
            for (const Argument& a : plan.arguments_of(kernel)) {
                const Buffer& b = plan.buffers[static_cast<std::size_t>(a.buffer)];
                if (a.written && b.where == Buffer::Where::output && b.offset == output)
                    mark = kernel.loop < 0 ? k + 1 : plan.loops[static_cast<std::size_t>(kernel.loop)].end;
            }
        }
        return mark;
    }
    void make_stages() {
        // A sum takes 2·(n-1) messages of each process, so sums grow with the number of processes.
        const std::size_t bytes = std::max(std::size_t{1} << 20, static_cast<std::size_t>(group->count()) << 17),
                          elements = bytes / sizeof(T);
        std::size_t place = 0;
        for (const PartedProgram::Stage& from : parted.stages) {
            Stage stage{make_owned<MadeProgram<T>>(from.program, model.lanes()), {}, {}, {}};
            const PlanView plan = stage.made->compiled().plan();
            for (const Node& n : from.program.tape)
                if (n.operation == Operation::input && static_cast<int>(n.attribute) >= parted.input_of(0))
                    stage.reads_sums |= value(static_cast<int>(n.attribute) - parted.input_of(0)).summed;
            std::vector<std::pair<int, int>> order;  // mark, value
            for (std::size_t o = 0; o < from.outputs.size(); ++o)
                if (value(from.outputs[o]).summed)
                    order.emplace_back(mark_of(plan, static_cast<int>(o)), from.outputs[o]);
            std::ranges::sort(order);
            std::size_t first = place;
            for (std::size_t i = 0; i < order.size(); ++i) {
                place_of[static_cast<std::size_t>(order[i].second)] = place;
                const auto count = static_cast<std::size_t>(value(order[i].second).shape.count());
                place += (count + apart - 1) / apart * apart;
                if (place - first < elements && i + 1 < order.size()) continue;
                stage.marks.push_back(order[i].first);
                stage.buckets.push_back({first, place - first});
                first = place;
            }
            stage.program = device->make_program({stage.made->compiled(), &from.program});
            stage.program->set_threads(processor);
            bind_tensors(*stage.program);
            stage.program->bind(Buffer::Where::input, parted.reciprocal(), reciprocals.data());
            stage.program->bind(Buffer::Where::input, parted.share(), reciprocals.template as<T>() + apart);
            stages.push_back(std::move(stage));
        }
        sums.resize(place);
        if (!on_host) sums_there = DeviceMemory(device, place * sizeof(T) + 1, "gradients");
    }
    void make_parts() {
        const auto all = static_cast<std::size_t>(parts.parts);
        const std::size_t most = (batches.batches().size + all - 1) / all;
        for (Part& part : own) {
            part.counters = DeviceMemory(device, sizeof(StepCounters), "counters");
            part.summed = DeviceMemory(device, sums.size() * sizeof(T) + 1, "gradients of a part");
            if (!on_host) {
                part.here.resize(sums.size());
                for (const std::size_t width : widths)
                    part.rows.emplace_back(device, most * width * sizeof(T), "records of a part");
            }
            part.values.resize(parted.values.size());
            for (std::size_t v = 0; v < parted.values.size(); ++v) {
                const PartedValue& x = parted.values[v];
                if (x.summed) continue;
                const std::size_t count = static_cast<std::size_t>(x.shape.count()) * (x.shape.batched() ? most : 1);
                part.values[v] = DeviceMemory(device, count * sizeof(T), "values of a part");
            }
            added.push_back(on_host ? part.summed.template as<T>() : part.here.data());
        }
    }
    void bind_update(int losses) {
        bind_tensors(*update);
        update->set_threads(processor);
        int number = 0;
        for (; number < core.scalar_count(); ++number)
            update->bind(Buffer::Where::input, number,
                         scalars.template as<T>() + apart * static_cast<std::size_t>(number));
        for (std::size_t o = static_cast<std::size_t>(losses); o < parted.outputs.size(); ++o)
            update->bind(Buffer::Where::input, number++, result(parted.outputs[o]));
        update->prepare(1);
    }
    /// Returns a value that is equal in all parts.
    T* result(int v) {
        return value(v).summed ? sum_of(v) : own[0].values[static_cast<std::size_t>(v)].template as<T>();
    }
    double number(int v) {
        if (value(v).summed) return static_cast<double>(sums[place_of[static_cast<std::size_t>(v)]]);
        T x{};
        device->download(&x, result(v), sizeof x);
        return static_cast<double>(x);
    }

    // ---- parameters and states ----

    void download(bool of_states, int first, int end) {
        if (on_host) return;
        device->download(memory(of_states).place(first), tensor(of_states, first), bytes(of_states, first, end));
    }
    void upload(bool of_states, int first, int end) {
        changes.push_back({of_states, static_cast<std::uint64_t>(first), static_cast<std::uint64_t>(end)});
    }
    std::size_t bytes(bool of_states, int first, int end) const {
        const DualBuffer<T>& m = memory(of_states);
        return (m.offset(end - 1) + m.size(end - 1) - m.offset(first)) * sizeof(T);
    }
    /// Sends the changes of rank 0 to all processes.
    void share_changes(std::uint64_t count) {
        changes.resize(count);
        if (count == 0) return;
        group->broadcast(changes.data(), changes.size() * sizeof(Change));
        for (const Change& c : changes) {
            const int first = static_cast<int>(c.first), end = static_cast<int>(c.end);
            T* const place = memory(c.states != 0).place(first);
            group->broadcast(place, bytes(c.states != 0, first, end));
            if (!on_host) device->upload(tensor(c.states != 0, first), place, bytes(c.states != 0, first, end));
        }
        changes.clear();
    }

    // ---- records that are evaluated ----

    static constexpr std::size_t of_batch = EvaluatedRecords<T>::most;
    /// Returns the first batch of a rank, or the number of batches for a rank equal to the number of processes.
    std::size_t first_of(int of_rank, std::size_t records) const {
        const std::size_t batches_of_all = (records + of_batch - 1) / of_batch;
        return batches_of_all * static_cast<std::size_t>(of_rank) / static_cast<std::size_t>(group->count());
    }
    std::size_t record_of(std::size_t batch, std::size_t records) const { return std::min(batch * of_batch, records); }
    /// Sends an order about records to all processes, which have the current parameters.
    void order(typename Order::Kind kind, const EvaluatedRecords<T>& of) {
        for (const bool of_states : {false, true}) memory(of_states).upload();
        Order order{kind};
        order.number = of.number();
        order.records = of.size();
        order.changes = changes.size();
        send_or_receive(order);
        share_changes(order.changes);
    }
    /// Sends the other processes their records, some batches at a time.
    void make_kept(EvaluatedRecords<T>& of) {
        if (std::ranges::find(kept, of.number(), &Kept::number) != kept.end()) return;
        order(Order::Kind::keep, of);
        keep(of.number(), of.size(), &of);
    }
    void keep(std::uint64_t number, std::size_t records, const EvaluatedRecords<T>* from) {
        constexpr std::size_t at_a_time = 16;  // batches
        const auto ranks = static_cast<std::size_t>(group->count());
        std::size_t rounds = 0;
        const auto place = [&](std::size_t r, std::size_t round) {  // the first record of a round
            const std::size_t begin = first_of(static_cast<int>(r), records),
                              end = first_of(static_cast<int>(r) + 1, records);
            return record_of(std::min(begin + round * at_a_time, end), records);
        };
        for (std::size_t r = 0; r < ranks; ++r)
            rounds = std::max(rounds, (first_of(static_cast<int>(r) + 1, records) -
                                       first_of(static_cast<int>(r), records) + at_a_time - 1) /
                                          at_a_time);
        Kept mine{number, records, std::vector<std::vector<T>>(widths.size())};
        std::vector<T> sent;
        for (std::size_t a = 0; a < widths.size(); ++a)
            for (std::size_t round = 0; round < rounds; ++round) {
                std::vector<std::size_t> to(ranks + 1, 0), got(ranks + 1, 0);
                for (std::size_t r = 0; r < ranks; ++r) {
                    const std::size_t count = r == 0 ? 0 : place(r, round + 1) - place(r, round);
                    to[r + 1] = to[r] + (from ? count * widths[a] * sizeof(T) : 0);
                    if (static_cast<int>(r) == rank())
                        std::fill(got.begin() + 1, got.end(), count * widths[a] * sizeof(T));
                }
                sent.resize(to.back() / sizeof(T));
                for (std::size_t r = 1; from && r < ranks; ++r)
                    from->copy(a, place(r, round), place(r, round + 1) - place(r, round),
                               sent.data() + to[r] / sizeof(T));
                std::vector<T>& all = mine.arrays[a];
                const std::size_t before = all.size();
                all.resize(before + got.back() / sizeof(T));
                group->exchange(sent.data(), to, all.data() + before, got);
            }
        if (kept.size() == most_kept) kept.pop_front();
        kept.push_back(std::move(mine));
    }
    /// Calls f(batch, inputs, targets, records) for each batch of this process.
    template <class F>
    void each_batch(const Kept& of, EvaluatedRecords<T>* from, F f) {
        const std::size_t begin = first_of(rank(), of.records), end = first_of(rank() + 1, of.records);
        const auto inputs = static_cast<std::size_t>(model.network().inputs.size());
        std::vector<const T*> rows(widths.size());
        for (std::size_t b = begin; b < end; ++b) {
            const std::size_t at = record_of(b, of.records), count = record_of(b + 1, of.records) - at;
            for (std::size_t a = 0; a < rows.size() && !from; ++a)
                rows[a] = of.arrays[a].data() + (at - record_of(begin, of.records)) * widths[a];
            if (from) {
                from->gather(at);
                std::ranges::copy(from->inputs(), rows.begin());
                std::ranges::copy(from->targets(), rows.begin() + static_cast<std::ptrdiff_t>(inputs));
            }
            f(b, Rows<T>(rows.data(), inputs), Rows<T>(rows.data() + inputs, rows.size() - inputs), count);
        }
    }
    static constexpr std::size_t numbers_of_cost = 4;
    /// Gathers the scores of all batches: error and accuracy in total, then the members of CostScore for each cost.
    std::vector<double> judge(const Kept& of, EvaluatedRecords<T>* from) {
        const auto costs = static_cast<std::size_t>(model.network().costs.size()), each = 2 + numbers_of_cost * costs;
        std::vector<double> all(first_of(group->count(), of.records) * each);
        std::vector<CostScore> scores(costs);
        each_batch(of, from, [&](std::size_t b, Rows<T> inputs, Rows<T> targets, std::size_t count) {
            double* const to = &all[b * each];
            evaluations.evaluate(model, evaluation.compiled(), processor, inputs, targets,
                                 static_cast<std::ptrdiff_t>(count), false, {to[0], to[1], scores});
            for (std::size_t c = 0; c < costs; ++c) {
                double* const of_cost = to + 2 + numbers_of_cost * c;
                of_cost[0] = scores[c].error, of_cost[1] = scores[c].accuracy;
                of_cost[2] = scores[c].answers, of_cost[3] = scores[c].counted;
            }
        });
        std::vector<std::size_t> places;
        for (int r = 0; r <= group->count(); ++r) places.push_back(first_of(r, of.records) * each * sizeof(double));
        group->gather(all.data(), places);
        return all;
    }
    void predict(const Kept& of, EvaluatedRecords<T>* from) {
        const auto& costs = model.network().costs;
        predicted.resize(static_cast<std::size_t>(costs.size()));
        std::vector<T*> to(predicted.size());
        predicted_rows.clear();
        const auto width = [&](std::size_t c) {
            return static_cast<std::size_t>(costs[static_cast<int>(c)].prediction.count());
        };
        for (std::size_t c = 0; c < to.size(); ++c) {
            predicted[c].resize(of.records * width(c));
            predicted_rows.push_back(predicted[c].data());
        }
        each_batch(of, from, [&](std::size_t b, Rows<T> inputs, Rows<T>, std::size_t count) {
            for (std::size_t c = 0; c < to.size(); ++c) to[c] = predicted_rows[c] + record_of(b, of.records) * width(c);
            predictions.predict(model, prediction.compiled(), processor, nullptr, inputs, to,
                                static_cast<std::ptrdiff_t>(count));
        });
        for (std::size_t c = 0; c < to.size(); ++c) {
            std::vector<std::size_t> places;
            for (int r = 0; r <= group->count(); ++r)
                places.push_back(record_of(first_of(r, of.records), of.records) * width(c) * sizeof(T));
            group->gather(predicted[c].data(), places);
        }
    }
    const Kept& kept_as(std::uint64_t number) const { return *std::ranges::find(kept, number, &Kept::number); }

    void evaluate(EvaluatedRecords<T>& of, ScoreView to) override {
        make_kept(of);
        order(Order::Kind::evaluate, of);
        const std::vector<double> all = judge(kept_as(of.number()), &of);
        const std::size_t each = 2 + numbers_of_cost * to.costs.size();
        std::vector<CostScore> scores(to.costs.size());
        to.begin(model.network());
        for (std::size_t b = 0; b * of_batch < of.size(); ++b) {
            double error = all[b * each], accuracy = all[b * each + 1];
            for (std::size_t c = 0; c < scores.size(); ++c) {
                const double* const of_cost = &all[b * each + 2 + numbers_of_cost * c];
                scores[c] = {of_cost[0], of_cost[1], of_cost[2], of_cost[3]};
            }
            to.add(model.network(),
                   static_cast<double>(record_of(b + 1, of.size()) - record_of(b, of.size())) /
                       static_cast<double>(of.size()),
                   {error, accuracy, scores});
        }
        to.end(model.network(), [&](int h) { return model.hyperparameter(h); });
    }
    std::span<T* const> predict(EvaluatedRecords<T>& of) override {
        make_kept(of);
        order(Order::Kind::predict, of);
        predict(kept_as(of.number()), &of);
        return predicted_rows;
    }

    // ---- steps ----

    /// Sends an order to the other processes, or receives it.
    Order send_or_receive(Order order) {
        std::vector<std::byte> all(sizeof order + scalars_here.size() / apart * sizeof(T));
        std::memcpy(all.data(), &order, sizeof order);
        for (std::size_t i = 0; i < scalars_here.size() / apart; ++i)
            std::memcpy(all.data() + sizeof order + i * sizeof(T), &scalars_here[apart * i], sizeof(T));
        group->broadcast(all.data(), all.size());
        std::memcpy(&order, all.data(), sizeof order);
        for (std::size_t i = 0; i < scalars_here.size() / apart; ++i)
            std::memcpy(&scalars_here[apart * i], all.data() + sizeof order + i * sizeof(T), sizeof(T));
        return order;
    }
    std::ptrdiff_t take(const Order& order) {
        share_changes(order.changes);
        Minibatches& of = batches.batches();
        const bool shuffling = order.shuffling != 0;
        if (of.seed != order.batch_seed || of.shuffling != shuffling) {
            batches.halt();
            of.seed = order.batch_seed;
            of.shuffling = shuffling;
        }
        batches.gather(order.epoch, order.batch);
        const auto count = static_cast<std::ptrdiff_t>(of.records_in(order.batch));
        set_parts(order, count);
        T each[apart + 1]{T(1) / static_cast<T>(count)};
        each[apart] = T(1) / static_cast<T>(std::min<std::ptrdiff_t>(count, parts.parts));
        device->upload(reciprocals.data(), each, sizeof each);
        if (!scalars_here.empty()) device->upload(scalars.data(), scalars_here.data(), scalars_here.size() * sizeof(T));
        for (Stage& stage : stages) run(stage);
        wait_for_sums();
        update->run();
        for (const bool of_states : {false, true})
            for (const int i : written[of_states])
                if (!on_host) memory(of_states).mark_written_by_all(i);
        return count;
    }
    void set_parts(const Order& order, std::ptrdiff_t records) {
        const std::ptrdiff_t all = parts.parts, begin = parts.begin(rank());
        const std::ptrdiff_t before =
            records < all ? 0 : records * begin / all;  // records of processes before this one
        for (std::size_t i = 0; i < own.size(); ++i) {
            Part& part = own[i];
            const std::ptrdiff_t number = begin + static_cast<std::ptrdiff_t>(i);
            part.first = records * number / all;
            part.count = records * (number + 1) / all - part.first;
            part.empty = part.count == 0;
            if (part.empty) part.first = 0, part.count = 1;
            const StepCounters now{order.seed, order.number, 0, static_cast<std::uint64_t>(part.first)};
            device->upload(part.counters.data(), &now, sizeof now);
            part.first -= before;
            if (on_host) continue;
            for (std::size_t s = 0; s < widths.size(); ++s)
                device->upload(part.rows[s].data(), row(s, part),
                               static_cast<std::size_t>(part.count) * widths[s] * sizeof(T));
        }
    }
    T* row(std::size_t section, const Part& part) const {
        return const_cast<T*>(batches.buffers().rows()[section]) +
               part.first * static_cast<std::ptrdiff_t>(widths[section]);
    }
    void run(Stage& stage) {
        if (stage.reads_sums) wait_for_sums();
        for (Part& part : own) {
            bind(stage, part);
            stage.program->prepare(part.count);
            if (&part != &own.back() || part.empty || !on_host) stage.program->run();
            else stage.program->run(stage.marks, [&](std::size_t b) { begin(stage.buckets[b]); });
            if (part.empty) clear(stage, part);
        }
        if (on_host && !own.back().empty) return;
        for (const Bucket& b : stage.buckets) {
            for (Part& part : own)
                if (!on_host)
                    device->download(part.here.data() + b.first, part.summed.template as<T>() + b.first,
                                     b.count * sizeof(T));
            begin(b);
        }
    }
    void clear(const Stage& stage, const Part& part) {
        for (const Bucket& b : stage.buckets)
            device->clear(part.summed.template as<T>() + b.first, b.count * sizeof(T));
    }
    void begin(const Bucket& b) { adder.begin(added, sums.data(), b.first, b.count); }
    void wait_for_sums() {
        adder.wait();
        if (!on_host) device->upload(sums_there.data(), sums.data(), sums.size() * sizeof(T));
    }
    void bind(Stage& stage, Part& part) {
        DeviceProgram& p = *stage.program;
        p.bind_counters(part.counters.template as<StepCounters>());
        for (std::size_t s = 0; s < widths.size(); ++s)
            p.bind(Buffer::Where::input, static_cast<int>(s), on_host ? row(s, part) : part.rows[s].template as<T>());
        const PartedProgram::Stage& from = parted.stages[static_cast<std::size_t>(&stage - stages.data())];
        for (int v = 0; v < static_cast<int>(parted.values.size()); ++v)
            if (value(v).crosses)
                p.bind(Buffer::Where::input, parted.input_of(v),
                       value(v).summed ? sum_of(v) : part.values[static_cast<std::size_t>(v)].template as<T>());
        for (std::size_t o = 0; o < from.outputs.size(); ++o) {
            const int v = from.outputs[o];
            p.bind(Buffer::Where::output, static_cast<int>(o),
                   value(v).summed ? part.summed.template as<T>() + place_of[static_cast<std::size_t>(v)]
                                   : part.values[static_cast<std::size_t>(v)].template as<T>());
        }
    }
};

template <class T>
MachineSteps<T>::MachineSteps(const MachineSet& machines, const StepInParts& programs, const std::string& identity,
                              const BatchLoader<T>& batches, ModelStore<T>& model, StepCore<T>& step)
    : losses_(static_cast<std::size_t>(programs.losses)) {
    with_others(*machines.group, [&] {
        require_alike(*machines.group, sentence(identity, "\nparts of a batch: ", machines.parts()),
                      machines.options.patience);
        work_ = make_owned<Work>(machines, programs, batches, model, step);
    });
}
template <class T>
MachineSteps<T>::~MachineSteps() = default;

template <class T>
void MachineSteps<T>::halt() {
    work_->batches.halt();
}

template <class T>
std::ptrdiff_t MachineSteps<T>::step(const double* scalars, std::uint64_t number, std::uint64_t epoch,
                                     std::uint64_t batch) {
    Work& w = *work_;
    w.memory(false).upload();
    w.memory(true).upload();
    for (int i = 0; i < w.core.scalar_count(); ++i)
        w.scalars_here[Work::apart * static_cast<std::size_t>(i)] = static_cast<T>(scalars[i]);
    const Minibatches& of = w.whole.batches();
    const auto order = w.send_or_receive({Work::Order::Kind::step, number, epoch, batch, w.core.seed(), of.seed,
                                          of.shuffling ? 1u : 0u, w.changes.size()});
    const std::ptrdiff_t count = w.take(order);
    for (std::size_t i = 0; i < losses_.size(); ++i) losses_[i] = w.number(w.parted.outputs[i]);
    sum_.total += losses_[0] * static_cast<double>(count);
    sum_.records += static_cast<std::uint64_t>(count);
    if (!std::isfinite(losses_[0]) && sum_.first_non_finite == 0) sum_.first_non_finite = number;
    pending_ = true;
    return count;
}

template <class T>
void MachineSteps<T>::set_losses(const LossAccumulator& losses) {
    sum_ = losses;
    pending_ = false;
}
template <class T>
LossAccumulator MachineSteps<T>::fetch() {
    pending_ = false;
    return sum_;
}

template <class T>
void MachineSteps<T>::end(std::vector<std::byte> result) {
    work_->send_or_receive({Work::Order::Kind::end});
    broadcast(*work_->group, result);
}
template <class T>
std::vector<std::byte> MachineSteps<T>::follow() {
    while (true) {
        const auto order = work_->send_or_receive({});
        using Kind = typename Work::Order::Kind;
        if (order.kind == Kind::end) break;
        if (order.kind == Kind::step) {
            work_->take(order);
            continue;
        }
        work_->share_changes(order.changes);
        if (order.kind == Kind::keep) work_->keep(order.number, order.records, nullptr);
        else if (order.kind == Kind::evaluate) work_->judge(work_->kept_as(order.number), nullptr);
        else work_->predict(work_->kept_as(order.number), nullptr);
    }
    std::vector<std::byte> result;
    broadcast(*work_->group, result);
    return result;
}
template <class T>
typename PartSums<T>::Counters MachineSteps<T>::sums() const {
    return work_->adder.counters();
}

}  // namespace detail
}  // namespace sigma

SIGMA_INSTANTIATE(class sigma::detail::MachineSteps);
