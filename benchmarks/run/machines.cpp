// SPDX-License-Identifier: BSL-1.0
// Training by several processes, which MPI has started, on 9,000 digits; a line of JSON for each measurement, from rank
// 0. machines.py starts it and makes tables; machines_model.py predicts from it what more machines would do.
//
//     steps NETWORK THREADS [BATCH]       steps and epochs of a trainer, what sums take and how much of that is hidden
//     profile NETWORK THREADS BATCH PARTS one process does what each of PARTS would, without any message
//     sums FLOATS                         the sum alone, ours and MPI_Allreduce
//     ping                                messages of 1 byte to 64 MB between two processes
#include <support/direct_step.hpp>
#include "support/clocks.hpp"

#include <sigma/data/mnist.hpp>
#include <sigma/machines.hpp>
#include <sigma/sigma.hpp>
#include <sigma/trainer/machines/machine_steps.hpp>

#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

using namespace sigma;
using clocks::median;

struct Small : Network<Input(28, 28) + Dense(32, relu) + Dense(10) + SoftmaxCE()> {};
struct Large : Network<Input(28, 28) + 2 * Dense(1024, relu) + Dense(10) + SoftmaxCE()> {};
struct LeNet : Network<Input(28, 28) + Conv2D(6, 5, relu, {.padding = same}) + MaxPool(2) + Conv2D(16, 5, relu) +
                       MaxPool(2) + Dense(120, relu) + Dense(84, relu) + Dense(10) + SoftmaxCE()> {};

namespace {

using Group = detail::SharedOwner<detail::MachineGroup>;

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }
Minibatches digits(std::size_t batch) {
    static const auto parts = data::mnist();
    return minibatches(parts.training, batch);
}
constexpr Adam adam{.learning_rate = 1e-4};

/// The steps of several processes without a trainer around them, so that what their sums took can be asked for.
template <class N>
struct Steps {
    Model<N> model{1};
    sigma::test::DirectStep<N, Adam> step{model};
    detail::BatchLoader<float> batches;
    detail::MachineSteps<float> steps;
    std::uint64_t number = 0;

    Steps(const MachineSet& machines, std::size_t batch)
        : batches(model.network(), digits(batch)),
          steps(machines, step.in_parts(), "benchmark: machines", batches, model, step) {}
    /// Seconds.
    double operator()() {
        const std::uint64_t in_epoch = batches.batches().dataset.size() / batches.batches().size;  // whole batches
        const double begin = now();
        steps.step(detail::scalars_at(adam, number + 1).data, number + 1, 1 + number / in_epoch, number % in_epoch);
        ++number;
        return now() - begin;
    }
};
template <class N>
std::size_t gradient_bytes() {
    std::size_t count = 0;
    const Model<N> model(1);
    for (const auto& p : model.network().parameters) count += static_cast<std::size_t>(p.shape.count());
    return count * sizeof(float);
}

// ---- steps ----

template <class N, class Where>
void time_trainer(const char* network, const char* how, const Where& where, int ranks, int threads, bool first,
                  std::size_t batch) {
    Trainer trainer("digits", N{}, adam, digits(batch));
    std::vector<double> at, took;
    trainer.add(every(1, iteration).then([&] { at.push_back(now()); }));
    trainer.run(where, 1);
    at.clear();
    const double begin = now();
    trainer.run(where, 1);
    const double epoch = now() - begin;
    for (std::size_t k = 1; k < at.size(); ++k) took.push_back(at[k] - at[k - 1]);
    if (!first) return;
    std::ranges::sort(took);
    std::printf(
        "{\"what\": \"step\", \"network\": \"%s\", \"how\": \"%s\", \"ranks\": %d, \"threads\": %d, \"batch\": %zu, "
        "\"median\": %.9f, \"least\": %.9f, \"epoch\": %.9f}\n",
        network, how, ranks, threads, batch, median(took), took.front(), epoch);
    std::fflush(stdout);
}
template <class N>
void time_sums(const char* network, const MachineSet& set, int threads, std::size_t batch) {
    Steps<N> steps(set, batch);
    if (!set.first()) {
        steps.steps.follow();
        return;
    }
    for (int i = 0; i < 20; ++i) steps();
    const auto before = steps.steps.sums();
    const double begin = now();
    int count = 0;
    for (; now() - begin < 1 || count < 20; ++count) steps();
    const auto after = steps.steps.sums();
    steps.steps.end({});
    const double busy = (after.busy - before.busy) / count, waited = (after.waited - before.waited) / count;
    const double least = 2.0 * (set.count() - 1) / set.count() * static_cast<double>(gradient_bytes<N>());
    std::printf(
        "{\"what\": \"hidden\", \"network\": \"%s\", \"ranks\": %d, \"threads\": %d, \"batch\": %zu, \"busy\": %.9f, "
        "\"waited\": %.9f, \"sent\": %.0f, \"least\": %.0f}\n",
        network, set.count(), threads, batch, busy, waited, static_cast<double>(after.sent - before.sent) / count,
        least);
    std::fflush(stdout);
}
template <class N>
void time_steps(const char* network, int threads, std::size_t batch) {
    const MachineSet set = machines(cpu(ExactThreads{threads}));
    if (set.count() == 1) time_trainer<N>(network, "one process", cpu(ExactThreads{threads}), 1, threads, true, batch);
    time_trainer<N>(network, "machines", set, set.count(), threads, set.first(), batch);
    time_sums<N>(network, set, threads, batch);
}

// ---- what one of many computes ----

/// Says that it is rank 0 of many, who are not there; notes when sums were asked for.
class Alone final : public detail::MachineGroup {
public:
    explicit Alone(int ranks) : ranks_(ranks) {}
    struct Sum {
        double begin, bytes;
    };
    std::vector<Sum> sums{};
    double last = 0;

    int rank() const override { return 0; }
    int count() const override { return ranks_; }
    void broadcast(void*, std::size_t) override {}
    void exchange(const void*, std::span<const std::size_t>, void*, std::span<const std::size_t>) override {
        sums.push_back({now(), 0});
    }
    void gather(void*, std::span<const std::size_t> places) override {
        sums.back().bytes = static_cast<double>(places.back());
        last = now();
    }
    std::vector<std::string> texts(const std::string& own, double) override {
        return std::vector<std::string>(static_cast<std::size_t>(ranks_), own);
    }
    void post(const std::string&) override {}
    std::vector<std::string> posted() override { return {}; }
    void fail(const std::string&) noexcept override {}

private:
    int ranks_;
};

template <class N>
void profile(const char* network, int threads, std::size_t batch, int parts) {
    const auto alone = std::make_shared<Alone>(parts);
    Steps<N> steps(
        MachineSet{Group(std::shared_ptr<detail::MachineGroup>(alone)), cpu(ExactThreads{threads}), {parts, 60}},
        batch);
    for (int i = 0; i < 5; ++i) alone->sums.clear(), steps();
    std::vector<double> whole, update;
    std::vector<std::vector<double>> ready(alone->sums.size());
    const auto before = steps.steps.sums();
    const double begin = now();
    int count = 0;
    for (; now() - begin < 1 || count < 20; ++count) {
        alone->sums.clear();
        const double from = now(), took = steps();
        whole.push_back(took);
        update.push_back(from + took - alone->last);
        for (std::size_t i = 0; i < ready.size(); ++i) ready[i].push_back(alone->sums[i].begin - from);
    }
    const auto after = steps.steps.sums();
    const auto low = [](std::vector<double>& x) {  // what other programs of the machine lengthen least
        std::ranges::sort(x);
        return x[x.size() / 10];
    };
    std::printf(
        "{\"what\": \"profile\", \"network\": \"%s\", \"threads\": %d, \"batch\": %zu, \"parts\": %d, \"step\": %.9f, "
        "\"update\": %.9f, \"additions\": %.9f, \"buckets\": [",
        network, threads, batch, parts, low(whole), low(update), (after.busy - before.busy) / count);
    for (std::size_t i = 0; i < ready.size(); ++i)
        std::printf("%s[%.9f, %.0f]", i == 0 ? "" : ", ", low(ready[i]), alone->sums[i].bytes);
    std::printf("]}\n");
}

// ---- sums and messages alone ----

/// The median of the seconds that each of so many calls takes, which begin on all ranks at once.
template <class F>
double seconds(F f, int calls) {
    std::vector<double> all;
    for (int i = -calls / 10 - 1; i < calls; ++i) {
        MPI_Barrier(MPI_COMM_WORLD);
        const double begin = now();
        f();
        if (i >= 0) all.push_back(now() - begin);
    }
    return median(all);
}
void time_sums_alone(std::size_t floats) {
    const MachineSet set = machines();
    const int ranks = set.count(), calls = floats > 1'000'000 ? 40 : 400;
    std::vector<float> sum(floats, 1);
    const double theirs = seconds(
        [&] { MPI_Allreduce(MPI_IN_PLACE, sum.data(), static_cast<int>(floats), MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD); },
        calls);
    if (set.first())
        std::printf(
            "{\"what\": \"sum\", \"how\": \"MPI_Allreduce\", \"ranks\": %d, \"floats\": %zu, \"bucket\": 0, "
            "\"seconds\": "
            "%.9f}\n",
            ranks, floats, theirs);
    for (const int parts : {ranks, std::max(4, ranks)}) {
        const detail::BatchParts of{parts, ranks};
        const int own = of.begin(set.rank() + 1) - of.begin(set.rank());
        std::vector<std::vector<float>> values(static_cast<std::size_t>(own), std::vector<float>(floats, 1));
        std::vector<float*> from;
        for (auto& v : values) from.push_back(v.data());
        detail::PartSums<float> sums(*set.group, of);
        for (std::size_t bucket = std::size_t{1} << 15; bucket <= std::size_t{1} << 22; bucket *= 2) {
            const double ours = seconds(
                [&] {
                    for (std::size_t at = 0; at < floats; at += bucket)
                        sums.begin(from, sum.data(), at, std::min(bucket, floats - at));
                    sums.wait();
                },
                calls);
            if (set.first())
                std::printf(
                    "{\"what\": \"sum\", \"how\": \"ours, %d parts\", \"ranks\": %d, \"floats\": %zu, \"bucket\": %zu, "
                    "\"seconds\": %.9f}\n",
                    parts, ranks, floats, bucket * sizeof(float), ours);
            if (bucket >= floats) break;
        }
    }
}
void ping() {
    const MachineSet set = machines();
    if (set.count() != 2) throw ArgumentError("ping", "two processes", std::to_string(set.count()));
    const int other = 1 - set.rank();
    for (std::size_t bytes = 1; bytes <= std::size_t{1} << 26; bytes *= 4) {
        std::vector<char> here(bytes, 1), there(bytes);
        const int calls = bytes > 1'000'000 ? 20 : 1000, size = static_cast<int>(bytes);
        const double plain = seconds(
            [&] {
                if (set.first()) MPI_Send(here.data(), size, MPI_BYTE, other, 0, MPI_COMM_WORLD);
                MPI_Recv(there.data(), size, MPI_BYTE, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                if (!set.first()) MPI_Send(here.data(), size, MPI_BYTE, other, 0, MPI_COMM_WORLD);
            },
            calls);
        // Each sends to the other at once, as in a sum.
        const std::vector<std::size_t> places =
            set.first() ? std::vector<std::size_t>{0, 0, bytes} : std::vector<std::size_t>{0, bytes, bytes};
        const double ours = seconds([&] { set.group->exchange(here.data(), places, there.data(), places); }, calls);
        if (set.first())
            std::printf("{\"what\": \"message\", \"bytes\": %zu, \"one_way\": %.9f, \"exchange\": %.9f}\n", bytes,
                        plain / 2, ours);
    }
}

template <class F>
void of_network(const std::string& name, F f) {
    if (name == "small") return f(Small{});
    if (name == "large") return f(Large{});
    if (name == "lenet") return f(LeNet{});
    throw ArgumentError("network", "small, large or lenet", name);
}

}  // namespace

int main(int count, char** words) {
    return run_main([&] {
        const auto word = [&](int i, const char* otherwise) { return std::string(i < count ? words[i] : otherwise); };
        const std::string what = word(1, "steps"), name = word(2, "small");
        const int threads = std::atoi(word(3, "1").c_str()), parts = std::atoi(word(5, "4").c_str());
        const auto batch = static_cast<std::size_t>(std::atoi(word(4, "120").c_str()));
        if (what == "ping") ping();
        else if (what == "sums") time_sums_alone(static_cast<std::size_t>(std::atoi(word(2, "1000000").c_str())));
        else if (what == "profile")
            of_network(name, [&]<class N>(N) { profile<N>(name.c_str(), threads, batch, parts); });
        else of_network(name, [&]<class N>(N) { time_steps<N>(name.c_str(), threads, batch); });
        return 0;
    });
}
