// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/any_function.hpp>
#include <sigma/core/owners.hpp>
#include <sigma/core/threads.hpp>
#include <sigma/data/classes.hpp>
#include <sigma/device/cpu/kernel_arguments.hpp>
#include <sigma/device/cpu/lent_threads.hpp>
#include <sigma/device/device.hpp>
#include <sigma/device/dual_buffer.hpp>
#include <sigma/initializer/fill.hpp>
#include <sigma/network/access.hpp>
#include <sigma/network/memory.hpp>
#include <sigma/network/streams.hpp>
#include <sigma/network/table.hpp>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sigma::detail {
template <class T>
class RecordSharing;
template <class T>
class Session;
/// Throws ArgumentError unless `i` is a position among so many layers, parameters, …
void check_position(int i, int count, const char* what);
/// Of parameters.
struct NotDrawn {};

/// The parameters of a network in element type T, and who reads and changes them: what of a Model is no matter of its
/// types. Their rows are padded to vectors of `lanes` elements, as the model's programs expect them.
template <class T>
class ModelStore {
public:
    /// Zeros, until they are drawn by `reset` or read from somewhere.
    ModelStore(const NetworkTable& network, int lanes);
    /// With the values of another, which nobody changes meanwhile.
    ModelStore(const ModelStore& other);
    /// Takes over the values; whatever is bound to this memory stays so.
    ModelStore& operator=(const ModelStore& other);
    ~ModelStore();

    const NetworkTable& network() const { return *network_; }
    std::uint64_t seed() const { return seed_; }
    /// For draws to come.
    void set_seed(std::uint64_t seed) { seed_ = seed; }

    /// The names of the classes 0, 1, … that it was trained on; none where the data had none. A trainer gives it those
    /// of its data, and load_parameters those of the file; data with other names are refused.
    const std::vector<std::string>& classes() const { return classes_ ? *classes_ : no_class_names(); }
    void set_classes(std::vector<std::string> names);

    /// Draws anew every parameter whose name matches the pattern (`*` stands for any characters; statistics match
    /// under their full names only). Returns how many did.
    int initialize(std::string_view pattern, const Initializer& initializer);
    template <class F>
    int initialize(std::string_view pattern, const CustomInitializer<F>& initializer) {
        int matched = 0;
        write([&] {
            for (int i = 0; i < network_->parameters.size(); ++i) {
                const ParameterRecord& r = network_->parameters[i];
                if (!reaches(pattern, r.name.view(), r.trained)) continue;
                ++matched;
                fill(initializer, r.shape, random_of(i), parameter_data(i), static_cast<std::size_t>(pitch(i)));
            }
        });
        return matched;
    }
    /// The same for several patterns at a time, of which the most specific one that matches decides.
    int initialize(std::initializer_list<InitializerRule> rules) {
        return initialize_by({rules.begin(), rules.size()});
    }
    /// The same, but draws only the parameters whose names match `among`, if it is given.
    int initialize_by(std::span<const InitializerRule> rules, std::string_view among = {});

    /// A number of a layer or a cost that may change while the network is trained, as it is now: a rate of dropout,
    /// "2-dropout.rate", a loss's smoothing, "6-softmax_ce.smoothing", or the weight of a cost, "price.loss_weight".
    /// Throws ArgumentError where there is none of this name.
    double hyperparameter(std::string_view name) const;
    /// Sets all whose names match the pattern, and returns how many. Throws ArgumentError, and sets none, where none
    /// does or one cannot be so much.
    int set_hyperparameter(std::string_view pattern, double value);
    /// Each becomes f of what it is now.
    int change_hyperparameters(std::string_view pattern,
                               const AnyFunction<double(const HyperparameterRecord&, double now)>& f);
    /// By its position among all, without a look at what it may be.
    double hyperparameter(int i) const;
    void put_hyperparameter(int i, double value);
    /// All as elements, and back.
    void hyperparameters_to(double* to) const;
    void hyperparameters_from(const double* from);

    /// Of how many streams stateful layers remember where they have stopped: of as many as the last prediction had
    /// records. `forget` makes the next one begin anew, with any number of records.
    std::ptrdiff_t streams() const { return streams_.count(); }
    void forget() {
        write([&] { streams_.forget(); });
    }

    /// Draws every parameter anew, as when the model was made, or as if it had been made with another seed; forgets.
    void reset();
    void reset(std::uint64_t seed) {
        seed_ = seed;
        reset();
    }

    T* parameter_data(int i) { return changing().write(i); }
    const T* parameter_data(int i) const {
        if (left_) bring(i);
        return memory_.read(i);
    }
    /// To vectors of so many elements rows are padded.
    int lanes() const { return lanes_; }
    /// Elements from one row of a parameter to the next.
    int pitch(int i) const { return row_pitch(network_->parameters[i].shape, lanes_); }
    /// Without the hyperparameters behind them.
    std::span<T> parameter_memory() { return changing().write_all().first(elements_of_parameters()); }
    std::span<const T> parameter_memory() const { return known().read_all().first(elements_of_parameters()); }
    /// Where the parameters are; what is in them says the one that may be changed.
    DualBuffer<T>& dual_buffer() { return changing(); }
    const DualBuffer<T>& dual_buffer() const { return memory_; }

    /// With how many threads of the processor it predicts and evaluates where no device is named: 1, or those of the
    /// last run that trained it. Results do not depend on the number.
    int threads() const { return threads_; }
    void set_threads(int threads) { set_processor(cpu({.threads = threads})); }
    void set_processor(const Cpu& processor) { threads_ = processor.threads, least_work_ = processor.least_work; }
    Cpu processor() const { return {threads_, threads_, least_work_}; }
    /// f(pool), to take so many records through a program; the pool is null where the work is too little to be shared.
    template <class F>
    void with_threads(const Cpu& processor, std::ptrdiff_t records, F f) const {
        const bool shared = processor.threads > 1 && is_worth_sharing(records, processor.least_work);
        lent_threads_.with(shared ? processor : Cpu{}, f);
    }
    /// f() while that device, unless it is the processor, has the parameters, to be read. One that a run has given them
    /// to keeps them.
    template <class F>
    void on(const Device& device, F f) const {
        if (!device.compute_device()) return f();
        read<true>([&] {
            if (known().is_elsewhere()) return f();
            const Visit visit(memory_, device.compute_device());
            f();
        });
    }
    /// Gives the parameters to a device, where it predicts, is evaluated and has its gradients found from now on,
    /// until they are given to another or a run takes them. Throws MismatchError while a run has them, DeviceError.
    void to(const Device& device);
    /// What stateful layers remember, for who runs predictions.
    Streams<T>& remembered() const { return streams_; }
    /// Null where every prediction begins anew.
    Streams<T>* memory() const { return frozen_ ? nullptr : &streams_; }
    /// Nobody changes what is in it any more, and every prediction begins anew: weights may be kept as products want
    /// them. Copies are not frozen.
    void freeze();
    bool frozen() const { return frozen_; }
    /// Binds the parameters to a session of any program of this network, which computes products `by` these. Throws
    /// MismatchError where that was planned for vectors of other lengths.
    void bind(Session<T>& session, const on_cpu::OtherProducts<T>* by = nullptr) const;
    /// What computes products by parameters in place of the kernels, in predictions and scores of this model and of its
    /// copies, until somebody asks for parameters to change them, or trains the model.
    const SharedOwner<const on_cpu::OtherProducts<T>>& other_products() const { return other_products_; }
    void compute_by(SharedOwner<const on_cpu::OtherProducts<T>> others) {
        known();
        other_products_ = std::move(others);
    }
    /// The same for a store to which nobody holds a view and which nobody runs: parameters that they have take no
    /// memory here, nor in copies, before somebody reads them.
    void leave_to(SharedOwner<const on_cpu::OtherProducts<T>> others);
    /// Those, or what has packed the weights of a frozen model; or null.
    const on_cpu::OtherProducts<T>* products() const {
        return other_products_ ? other_products_.get() : packed_weights_.get();
    }

    // ---- several threads ----

    /// f() while nobody changes the parameters; with `alone` while nobody else reads them either. While a run goes on
    /// in another thread: between two steps, and where f changes what is in the model or an accelerator works on it, on
    /// that thread. Nothing is waited for on the thread of the run itself.
    template <bool alone = false, class F>
    void read(F f) const {
        struct Guarded {
            F& f;
            const DualBuffer<T>& memory;
        } call{f, memory_};
        access_.read({&call, [](void* c) { static_cast<Guarded*>(c)->f(); },
                      [](void* c) { return alone || static_cast<Guarded*>(c)->memory.is_elsewhere(); }});
    }
    /// f() while no other thread reads or changes the parameters, for changes through views: `model.write([&] {
    /// model.parameter<"1-dense.biases">().fill(0); })`. While a run goes on: between two steps, on its thread.
    template <class F>
    void write(F f) {
        access_.write({&f, [](void* c) { (*static_cast<F*>(c))(); }, [](void*) { return true; }});
    }
    /// For who changes them all the time: a run.
    Access& access() const { return access_; }
    /// While a run goes on with others that help to evaluate; null: nobody does.
    RecordSharing<T>* sharing() const { return sharing_; }
    void share(RecordSharing<T>* with) { sharing_ = with; }

private:
    const NetworkTable* network_;
    int lanes_;
    std::uint64_t seed_;
    detail::SharedOwner<const std::vector<std::string>> classes_;  // copies share them
    mutable Access access_;
    mutable Streams<T> streams_{};
    bool frozen_ = false;
    SharedOwner<const on_cpu::OtherProducts<T>> other_products_{};
    Relaxed<int> threads_{1};
    Relaxed<long long> least_work_{0};
    mutable on_cpu::LentThreads lent_threads_;
    RecordSharing<T>* sharing_ = nullptr;  // which copies do not have

protected:
    mutable DualBuffer<T> memory_;  // which moves to where it is read, or is bound to what runs there

private:
    struct Visit {
        DualBuffer<T>& memory;
        Visit(DualBuffer<T>& m, const SharedOwner<ComputeDevice>& device) : memory(m) {
            memory.attach(device, "parameters");
        }
        Visit(const Visit&) = delete;
        Visit& operator=(const Visit&) = delete;
        ~Visit() { memory.drop_device_copies(); }  // which nobody has changed
    };
    DualBuffer<T>& changing() {
        known();
        if (other_products_) other_products_ = nullptr;
        return memory_;
    }
    DualBuffer<T>& known() const {
        if (left_) bring();
        return memory_;
    }
    /// What is left to others comes into the memory, if this parameter is; of -1: whichever is.
    [[gnu::cold]] void bring(int parameter = -1) const;
    bool is_worth_sharing(std::ptrdiff_t records, long long least_work) const;
    std::size_t elements_of_parameters() const;
    void take(const ModelStore& other, bool left = false);
    /// The numbers that a parameter is drawn from.
    Philox random_of(int parameter) const;
    /// Forgets where this is the name of a state, which was a parameter once and began with zeros; returns how many
    /// are.
    int forget_state(std::string_view name);
    /// Draws each parameter by the initializer that `choose` points to, if any; returns how many it drew.
    template <class Choose>
    int initialize_where(Choose choose);

    SharedOwner<const on_cpu::OtherProducts<T>> packed_weights_{};  // which copies do not have
    mutable Mutex bringing_{};
    mutable Signal<bool> left_{false};  // have the other products parameters that are not in the memory?
};

/// The parameters of a model in whatever element type they are: one of both is there.
struct AnyStore {
    ModelStore<float>* single = nullptr;
    ModelStore<double>* wide = nullptr;

    AnyStore() = default;
    AnyStore(ModelStore<float>& model) : single(&model) {}
    AnyStore(ModelStore<double>& model) : wide(&model) {}
};

/// f(model) of whatever element type; for bodies.
template <class F>
decltype(auto) with_model(const AnyStore& store, F f) {
    return store.single != nullptr ? f(*store.single) : f(*store.wide);
}
inline const NetworkTable& network_of(const AnyStore& store) {
    return with_model(store, [](const auto& model) -> const NetworkTable& { return model.network(); });
}

template <class T>
class EvaluatedRecords;
struct ScoreView;

/// Others with the same parameters, who take a part of the records that a network is evaluated on. For the thread that
/// trains it.
template <class T>
class RecordSharing {
public:
    virtual void evaluate(EvaluatedRecords<T>& records, ScoreView to) = 0;
    /// What each cost predicts for all records, until the next call.
    virtual std::span<T* const> predict(EvaluatedRecords<T>& records) = 0;

protected:
    ~RecordSharing() = default;
};

/// Of two models of one network.
template <class T>
bool equal_parameters(const ModelStore<T>& a, const ModelStore<T>& b);

/// f(model) with parameters that stay what they are meanwhile: of this model, or of a copy while a run goes on in
/// another thread, which then does not have to wait for f.
template <class T, class F>
void at_rest(const ModelStore<T>& model, F f) {
    if (model.access().owned_elsewhere()) f(ModelStore<T>(model));
    else model.read([&] { f(model); });
}

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/network/impl/model_store.ipp>
#endif
