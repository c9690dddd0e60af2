// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Members of `Model` that do not depend on the type of the network: parameters, hyperparameters, devices, access from
/// several threads. Included by `<sigma/sigma.hpp>`.

#include <sigma/core/any_function.hpp>
#include <sigma/core/owners.hpp>
#include <sigma/core/threads.hpp>
#include <sigma/data/classes.hpp>
#include <sigma/device/cpu/device.hpp>
#include <sigma/device/cpu/kernel_arguments.hpp>
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
/// Throws ArgumentError unless `i` is from 0 to `count` - 1. `what` names the things that are counted: "parameter".
void check_position(int i, int count, const char* what);
/// Throws MismatchError if the parameters of two networks differ in a name or a shape.
void require_same_parameters(const char* where, const NetworkTable& own, const NetworkTable& other);
/// Selects the constructor of a model that does not draw the parameters.
struct NotDrawn {};

/// The part of `Model` that does not depend on the type of the network: the parameters in element type T, and the
/// access to them. Rows of parameters are padded to vectors of `lanes` elements, as the model's programs expect.
template <class T>
class ModelStore {
public:
    /// Constructs parameters of zero. `reset` draws them, or the caller loads them.
    ModelStore(const NetworkTable& network, int lanes);
    /// Copies the parameters of another store. They do not change during the copy.
    ModelStore(const ModelStore& other);
    /// Copies the parameters of another store. Sessions that are bound to this memory stay bound.
    /// @throws MismatchError  if the other store belongs to a network with other parameters
    ModelStore& operator=(const ModelStore& other);
    ~ModelStore();

    /// Returns the tables of the network.
    const NetworkTable& network() const { return *network_; }
    /// Returns the seed from which parameters are drawn.
    /// @return the seed
    std::uint64_t seed() const { return seed_; }
    /// Sets the seed for parameters that are drawn later.
    /// @param seed  the new seed
    void set_seed(std::uint64_t seed) { seed_ = seed; }

    /// Returns the names of the classes.
    ///
    /// A trainer sets the names from its data, and `load_parameters` sets them from the file. Data with other names are
    /// rejected.
    ///
    /// @return the names of the classes 0, 1, …, or an empty list if the training data had no names
    const std::vector<std::string>& classes() const { return classes_ ? *classes_ : no_class_names(); }
    /// Sets the names of the classes.
    /// @param names  the names of the classes 0, 1, …
    void set_classes(std::vector<std::string> names);

    /// Draws the matching parameters again.
    /// @param pattern      names of parameters; `*` stands for any characters. A statistic, such as a mean of
    ///                     `BatchNorm`, matches only by its full name.
    /// @param initializer  distribution of the new values, such as `he()` or `zeros`
    /// @return the number of matching parameters
    int initialize(std::string_view pattern, const Initializer& initializer);
    /// Sets the matching parameters by a function of your own.
    /// @param pattern      names of parameters; `*` stands for any characters
    /// @param initializer  the function, see `custom`
    /// @return the number of matching parameters
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
    /// Draws parameters by several rules at once. If several patterns match a parameter, the most specific one decides.
    /// @param rules  patterns with their initializers
    /// @return the number of matching parameters
    int initialize(std::initializer_list<InitializerRule> rules) {
        return initialize_by({rules.begin(), rules.size()});
    }
    /// Draws parameters by several rules. If `among` is not empty, draws only parameters with names that match `among`.
    int initialize_by(std::span<const InitializerRule> rules, std::string_view among = {});

    /// Returns the current value of a hyperparameter of a layer or a loss.
    /// @param name  full name, such as "2-dropout.rate", "6-softmax_ce.smoothing" or "price.loss_weight"
    /// @return the value
    /// @throws ArgumentError  if the network has no hyperparameter of this name
    double hyperparameter(std::string_view name) const;
    /// Sets all hyperparameters with names that match the pattern.
    /// @param pattern  names of hyperparameters; `*` stands for any characters
    /// @param value    the new value
    /// @return the number of matching hyperparameters
    /// @throws ArgumentError  if no name matches, or the value is out of the range of one. Nothing changes then.
    int set_hyperparameter(std::string_view pattern, double value);
    /// @cond internal
    /// Replaces each matching hyperparameter by `f(record, value now)`.
    int change_hyperparameters(std::string_view pattern,
                               const AnyFunction<double(const HyperparameterRecord&, double now)>& f);
    /// Returns a hyperparameter by its position.
    double hyperparameter(int i) const;
    /// Sets a hyperparameter by its position, without a check of its range.
    void put_hyperparameter(int i, double value);
    /// Writes all hyperparameters to `to`.
    void hyperparameters_to(double* to) const;
    /// Reads all hyperparameters from `from`.
    void hyperparameters_from(const double* from);
    /// @endcond

    /// Returns the number of sequences for which stateful layers keep states.
    /// @return the number of records of the last prediction; 0 before the first prediction and after `forget`
    std::ptrdiff_t streams() const { return streams_.count(); }
    /// Resets the states of stateful layers. The next prediction starts with states of zero, and may have any number of
    /// records.
    void forget() {
        write([&] { streams_.forget(); });
    }

    /// Draws all parameters again by the initializers of the layers and the seed. Also resets the hyperparameters and
    /// the states.
    void reset();
    /// Draws all parameters again with another seed. Also resets the hyperparameters and the states.
    /// @param seed  the new seed
    void reset(std::uint64_t seed) {
        seed_ = seed;
        reset();
    }

    /// Returns the elements of a parameter, rows padded to vectors.
    T* parameter_data(int i) { return changing().write(i); }
    const T* parameter_data(int i) const {
        if (left_) unpack(i);
        return memory_.read(i);
    }
    /// Returns the number of elements of the vectors to which rows are padded.
    int lanes() const { return lanes_; }
    /// Returns the number of elements from one row of a parameter to the next.
    int pitch(int i) const { return row_pitch(network_->parameters[i].shape, lanes_); }
    /// Returns the memory of all parameters, without the hyperparameters behind them.
    std::span<T> parameter_memory() { return changing().write_all().first(elements_of_parameters()); }
    std::span<const T> parameter_memory() const { return known().read_all().first(elements_of_parameters()); }
    /// Returns the memory of the parameters on the host and on a device. The non-const overload is for changes.
    DualBuffer<T>& dual_buffer() { return changing(); }
    const DualBuffer<T>& dual_buffer() const { return memory_; }

    /// Returns the number of CPU threads for predictions, scores and gradients without a device. The results do not
    /// depend on the number.
    /// @return 1, or the number of threads of the last run
    int threads() const { return threads_; }
    /// Sets the number of CPU threads for predictions, scores and gradients without a device.
    /// @param threads  number of threads, at least 1
    void set_threads(int threads) { set_processor(cpu({.threads = threads})); }
    /// Sets the CPU options for programs of the model without a device.
    void set_processor(const Cpu& processor) { threads_ = processor.threads, least_work_ = processor.least_work; }
    /// Returns the CPU options for programs of the model without a device.
    Cpu processor() const { return {threads_, threads_, least_work_}; }
    /// Returns the processor, with the threads that all programs of this model share.
    const SharedOwner<ComputeDevice>& host() const { return host_; }
    /// Calls f() while no thread changes the parameters, and the device holds a copy of them unless an accelerator
    /// holds the parameters already.
    template <class F>
    void read_on(const Device& device, bool alone, F f) const {
        if (!device.compute_device()) return alone ? read<true>(f) : read(f);
        read<true>([&] {
            if (known().is_elsewhere()) return f();
            const Visit visit(memory_, device.compute_device());
            f();
        });
    }
    /// Moves the parameters to a device. Predictions, scores and gradients are computed there until the parameters move
    /// to another device, or a run starts.
    /// @param device  the device, such as `gpu()` or `cpu()`
    /// @throws MismatchError  if a run trains the model
    /// @throws DeviceError    if the device fails
    void to(const Device& device);
    /// Returns the states of stateful layers.
    Streams<T>& remembered() const { return streams_; }
    /// Returns the states of stateful layers, or null if every prediction starts with states of zero.
    Streams<T>* memory() const { return frozen_ ? nullptr : &streams_; }
    /// Freezes the model: its parameters do not change any more, and every prediction starts with states of zero. So
    /// weights can be packed for products. Copies are not frozen.
    void freeze();
    /// Returns whether the model is frozen.
    bool frozen() const { return frozen_; }
    /// Binds the parameters to a session of a program of this network. `by`, if not null, computes its products. Throws
    /// MismatchError if the program was planned for vectors of another length.
    void bind(Session<T>& session, const on_cpu::OtherProducts<T>* by = nullptr) const;
    /// Throws MismatchError unless the program of this plan reads rows as this model stores them.
    void require_lanes(const PlanView& plan) const;
    /// Returns the object that computes products with parameters in place of the kernels, or null. Predictions and
    /// scores of this model and its copies use it until the parameters are accessed for a change, or trained.
    const SharedOwner<const on_cpu::OtherProducts<T>>& other_products() const { return other_products_; }
    void compute_by(SharedOwner<const on_cpu::OtherProducts<T>> others) {
        known();
        other_products_ = std::move(others);
    }
    /// Sets other products, and frees the memory of the parameters that these products hold. Copies do not allocate
    /// this memory either. The first read of such a parameter allocates it again. The store must have no views and no
    /// runs.
    void leave_to(SharedOwner<const on_cpu::OtherProducts<T>> others);
    /// Returns the other products, or else the packed weights of a frozen model, or null.
    const on_cpu::OtherProducts<T>* products() const {
        return other_products_ ? other_products_.get() : packed_weights_.get();
    }

    // ---- several threads ----

    /// Calls a function while no thread changes the parameters.
    ///
    /// If another thread trains the model, the function runs between two steps. It runs on that thread if `alone` is
    /// true or an accelerator holds the parameters. On the thread of the run itself, the function runs at once.
    ///
    /// @tparam alone    true: no other thread reads the parameters either. Default: false.
    /// @param function  a function without parameters. `read` throws what the function throws.
    template <bool alone = false, class F>
    void read(F function) const {
        if (const Access::Reading now(access_); now && (now.within() || !(alone || memory_.is_elsewhere())))
            return function();
        struct Guarded {
            F& f;
            const DualBuffer<T>& memory;
        } call{function, memory_};
        access_.read({&call, [](void* c) { static_cast<Guarded*>(c)->f(); },
                      [](void* c) { return alone || static_cast<Guarded*>(c)->memory.is_elsewhere(); }});
    }
    /// Calls a function while no other thread reads or changes the parameters. Use it for changes through views.
    ///
    /// If another thread trains the model, the function runs between two steps, on that thread.
    ///
    /// @param function  a function without parameters. `write` throws what the function throws.
    /// @throws MismatchError  if this thread calls `write` within `read`
    ///
    /// @par Example
    /// @code
    /// model.write([&] { model.parameter<"1-dense.biases">().fill(0); });
    /// @endcode
    template <class F>
    void write(F function) {
        access_.write({&function, [](void* c) { (*static_cast<F*>(c))(); }, [](void*) { return true; }});
    }
    /// Returns the object that controls access to the parameters. A run owns it.
    Access& access() const { return access_; }
    /// Returns the workers that help to evaluate during a run, or null.
    RecordSharing<T>* sharing() const { return sharing_; }
    void share(RecordSharing<T>* with) { sharing_ = with; }

private:
    const NetworkTable* network_;
    int lanes_;
    std::uint64_t seed_;
    detail::SharedOwner<const std::vector<std::string>> classes_;  // shared by copies
    mutable Access access_;
    mutable Streams<T> streams_{};
    bool frozen_ = false;
    SharedOwner<const on_cpu::OtherProducts<T>> other_products_{};
    Relaxed<int> threads_{1};
    Relaxed<long long> least_work_{0};
    SharedOwner<ComputeDevice> host_ = SharedOwner<CpuDevice>::make();
    RecordSharing<T>* sharing_ = nullptr;  // not copied

protected:
    mutable DualBuffer<T> memory_;  // moves to the device that reads it

private:
    struct Visit {
        DualBuffer<T>& memory;
        Visit(DualBuffer<T>& m, const SharedOwner<ComputeDevice>& device) : memory(m) {
            memory.attach(device, "parameters");
        }
        Visit(const Visit&) = delete;
        Visit& operator=(const Visit&) = delete;
        ~Visit() { memory.drop_device_copies(); }  // unchanged copies
    };
    DualBuffer<T>& changing() {
        known();
        if (other_products_) other_products_ = nullptr;
        return memory_;
    }
    DualBuffer<T>& known() const {
        if (left_) unpack();
        return memory_;
    }
    /// Copies a parameter (-1: all) that only the other products hold back into the memory.
    [[gnu::cold]] void unpack(int parameter = -1) const;
    std::size_t elements_of_parameters() const;
    void take(const ModelStore& other, bool left = false);
    /// Returns the random numbers that a parameter is drawn from.
    Philox random_of(int parameter) const;
    /// Resets the states if `name` is the name of a state, and returns how many states have this name. Such states were
    /// parameters in earlier versions.
    int forget_state(std::string_view name);
    /// Draws each parameter by the initializer that `choose` points to, if any; returns how many it drew.
    template <class Choose>
    int initialize_where(Choose choose);

    SharedOwner<const on_cpu::OtherProducts<T>> packed_weights_{};  // not copied
    mutable Mutex unpacking_{};
    mutable Signal<bool> left_{false};  // true while some parameters are held only by the other products
};

/// A pointer to a model of either element type. One of the two pointers is not null.
struct AnyStore {
    ModelStore<float>* single = nullptr;
    ModelStore<double>* wide = nullptr;

    AnyStore() = default;
    AnyStore(ModelStore<float>& model) : single(&model) {}
    AnyStore(ModelStore<double>& model) : wide(&model) {}
};

/// Calls f(model) with the model of either element type.
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

/// Workers with the same parameters, which evaluate a part of the records. Used by the thread that trains.
template <class T>
class RecordSharing {
public:
    virtual void evaluate(EvaluatedRecords<T>& records, ScoreView to) = 0;
    /// Returns the predictions of each cost for all records, valid until the next call.
    virtual std::span<T* const> predict(EvaluatedRecords<T>& records) = 0;

protected:
    ~RecordSharing() = default;
};

/// Returns whether two models of one network have equal parameters.
template <class T>
bool equal_parameters(const ModelStore<T>& a, const ModelStore<T>& b);

/// Calls f(model) with parameters that do not change meanwhile: with a copy if another thread trains the model, so that
/// the run does not wait for f.
template <class T, class F>
void at_rest(const ModelStore<T>& model, F f) {
    if (model.access().owned_elsewhere()) f(ModelStore<T>(model));
    else model.read([&] { f(model); });
}

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/network/impl/model_store.ipp>
#endif
