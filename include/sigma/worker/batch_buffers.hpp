// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/minibatches.hpp>
#include <sigma/network/model.hpp>
#include <sigma/network/own_name.hpp>
#include <sigma/worker/check_ids.hpp>
#include <sigma/worker/check_targets.hpp>

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace sigma::detail {

/// The records of one batch as dense arrays, one for each input and each target of a network. Knows which arrays of a
/// dataset these are: first by name, then what is left, in order.
template <AnyNetwork N, class T>
class BatchBuffers {
public:
    /// Checks that the data fit the network: shapes, nothing missing, ids of an Embedding and labels within their
    /// ranges, targets of which the losses make sense. Makes room for `rows` records.
    [[gnu::cold]] void bind(const Dataset& data, std::size_t rows) {
        constexpr auto& records = NetworkRecords<N>::records;
        if (data.input_count() != inputs_.size() || data.target_count() != targets_.size())
            throw DataError::in_dataset(data.name(), "", counts(inputs_.size(), targets_.size()),
                                        counts(data.input_count(), data.target_count()));
        std::array<Text, N::input_count> input_names;
        for (std::size_t i = 0; i < inputs_.size(); ++i) {
            const LayerRecord& layer = records.layers[static_cast<int>(i)];
            input_names[i] = own_name(layer.name, layer.kind);
        }
        assign(inputs_, input_names, data, "input", [&](std::size_t k) { return data.input_name(k); });
        std::array<Text, N::cost_count> cost_names;
        for_each_number<N::cost_count>(
            [&](auto i) { cost_names[i] = own_name(records.costs[i].name, N::template Cost<i>::Loss::kind); });
        assign(targets_, cost_names, data, "target", [&](std::size_t k) { return data.target_name(k); });

        for (std::size_t i = 0; i < inputs_.size(); ++i) {
            const std::size_t from = inputs_[i].from;
            std::vector<std::size_t> shape{data.size()};
            shape.insert(shape.end(), data.input_shape(from).begin(), data.input_shape(from).end());
            check_input(called(data, "input", data.input_name(from)), N::inputs[i], shape);
            inputs_[i].values.resize(rows * data.input_size(from));
            if (!std::is_same_v<T, float>) scratch_.resize(std::max(scratch_.size(), data.input_size(from)));
        }
        data.check_complete();
        for (std::size_t i = 0; i < inputs_.size(); ++i)
            if (const IdInput& ids = records.ids[i]; ids.rows > 0)
                check_ids(data, inputs_[i].from, ids.rows, records.layers[ids.layer].name.view());
        for_each_number<N::cost_count>([&](auto number) {
            using Cost = typename N::template Cost<number>;
            constexpr auto i = static_cast<std::size_t>(number.value);
            const std::size_t from = targets_[i].from;
            std::vector<std::size_t> shape{data.size()};
            shape.insert(shape.end(), data.target_shape(from).begin(), data.target_shape(from).end());
            if (shape.size() == 1 && Cost::target.rank == 2) shape.push_back(1);  // one number a record
            if constexpr (requires { Cost::Loss::labels(typename Cost::Self{}, Cost::output); }) {
                if (Cost::target.rank > 1) check_batch(called(data, "target", data.target_name(from)), Cost::target, shape);
                else check_has_labels(data, from);
                check_labels(data, Cost::Loss::labels(typename Cost::Self{}, Cost::output), from);
            } else if constexpr (Cost::Loss::classifies) {
                check_labels(data, static_cast<std::size_t>(Cost::output.last()), from);
            } else {
                check_batch(called(data, "target", data.target_name(from)), Cost::target, shape);
            }
            if constexpr (requires { Cost::Loss::targets(typename Cost::Self{}, Cost::output).kind; })
                check_targets(data, Cost::Loss::targets(typename Cost::Self{}, Cost::output),
                              static_cast<std::size_t>(Cost::target.last()), from);
            targets_[i].values.resize(rows * data.target_size(from));
        });
    }
    /// The records at these positions of the dataset; allocates nothing.
    void gather(const Dataset& data, std::span<const std::size_t> positions) {
        for (Buffer& b : inputs_) data.copy_inputs(positions, b.values.data(), data.input_size(b.from), b.from);
        for (Buffer& b : targets_) data.copy_targets(positions, b.values.data(), data.target_size(b.from), b.from);
    }
    /// The same for a batch, augmented as its minibatches say.
    void gather(const Minibatches& from, const BatchRecords& of) {
        const std::size_t inputs = from.dataset.input_count();
        from.copy_records(of, [&](std::size_t section) {
            if (section < inputs)
                return std::ranges::find(inputs_, section, &Buffer::from)->values.data();
            return std::ranges::find(targets_, section - inputs, &Buffer::from)->values.data();
        });
        for (Buffer& b : inputs_) from.augment(of, b.values.data(), b.from, scratch_);
    }
    /// Elements of a record in each array: those of inputs, then those of targets.
    std::vector<std::size_t> widths(const Dataset& data) const {
        std::vector<std::size_t> all;
        for (const Buffer& b : inputs_) all.push_back(data.input_size(b.from));
        for (const Buffer& b : targets_) all.push_back(data.target_size(b.from));
        return all;
    }
    /// Records of one of these arrays as dense rows.
    void copy_array(const Dataset& data, std::size_t array, std::span<const std::size_t> positions, T* rows) const {
        if (array < inputs_.size()) {
            const std::size_t from = inputs_[array].from;
            data.copy_inputs(positions, rows, data.input_size(from), from);
        } else {
            const std::size_t from = targets_[array - inputs_.size()].from;
            data.copy_targets(positions, rows, data.target_size(from), from);
        }
    }
    typename Model<N, T>::InputPointers inputs() const { return pointers(inputs_); }
    typename Model<N, T>::TargetPointers targets() const { return pointers(targets_); }

    /// All inputs of a record one after the other, as LayersProgram takes them.
    std::vector<T> joined_inputs(std::ptrdiff_t records) const {
        std::vector<T> all;
        for (std::ptrdiff_t r = 0; r < records; ++r)
            for (std::size_t i = 0; i < inputs_.size(); ++i) {
                const auto size = static_cast<std::ptrdiff_t>(N::inputs[i].count());
                all.insert(all.end(), inputs_[i].values.begin() + r * size, inputs_[i].values.begin() + (r + 1) * size);
            }
        return all;
    }

private:
    struct Buffer {
        std::size_t from = 0;
        std::vector<T> values;
    };
    std::array<Buffer, N::input_count> inputs_;
    std::array<Buffer, N::cost_count> targets_;
    std::vector<float> scratch_;

    template <std::size_t n>
    static std::array<const T*, n> pointers(const std::array<Buffer, n>& buffers) {
        std::array<const T*, n> p;
        for (std::size_t i = 0; i < n; ++i) p[i] = buffers[i].values.data();
        return p;
    }
    template <std::size_t n, class NameOf>
    static void assign(std::array<Buffer, n>& buffers, const std::array<Text, n>& names, const Dataset& data,
                       const char* what, NameOf name_of) {
        std::array<bool, n> taken{}, found{};
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t k = 0; k < n && !found[i] && names[i].size > 0; ++k)
                if (!taken[k] && name_of(k) == names[i].view()) {
                    buffers[i].from = k;
                    taken[k] = found[i] = true;
                }
        for (std::size_t i = 0, next = 0; i < n; ++i) {
            if (found[i]) continue;
            while (taken[next]) ++next;
            if (names[i].size > 0 && !name_of(next).empty())
                throw DataError::in_dataset(data.name(), "",
                                            sentence("an array for ", what, " '", names[i].view(), "'"),
                                            sentence("'", name_of(next), "'"));
            buffers[i].from = next++;
        }
    }
    static std::string called(const Dataset& data, const char* what, const std::string& name) {
        if (name.empty()) return sentence(what, "s of dataset '", data.name(), "'");
        return sentence(what, " '", name, "' of dataset '", data.name(), "'");
    }
    /// One number a record is what an input of one number takes, whatever its extents.
    static void check_input(const std::string& where, const Shape& wanted, const std::vector<std::size_t>& found) {
        if (found.size() == 1 && wanted.count() == 1) return;
        try {
            check_batch(where, wanted, found);
        } catch (const ShapeError& wrong) {
            if (found.size() > 1) throw;
            throw ShapeError(where, wrong.expected,
                             sentence(wrong.found, ", one number each (one_hot makes several of a class)"));
        }
    }
    static std::string counts(std::size_t inputs, std::size_t targets) {
        return sentence(inputs, inputs == 1 ? " input and " : " inputs and ", targets,
                        targets == 1 ? " target" : " targets");
    }
};

}  // namespace sigma::detail
