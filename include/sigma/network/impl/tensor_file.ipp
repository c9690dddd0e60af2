// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/config.hpp>
#include <sigma/core/number_text.hpp>
#include <sigma/network/parameters_file.hpp>
#include <sigma/network/table.hpp>
#include <sigma/network/tensor_file.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace sigma::detail {

SIGMA_IMPL void add_classes(SafetensorsWriter& file, const ClassNames& names) {
    if (names.empty()) return;
    std::string text;
    for (const std::string& name : names) {
        for (const char c : name) {
            if (c == '\n') text += "\\n";
            else if (c == '\\') text += "\\\\";
            else text += c;
        }
        text += '\n';
    }
    file.metadata(std::string(classes_key), std::move(text));
}

SIGMA_IMPL ClassNames stored_classes(const SafetensorsFile& file) {
    const std::string* const text = file.metadata(classes_key);
    ClassNames names;
    if (text == nullptr) return names;
    const auto refuse = [&](const char* expected, std::string found) {
        throw DataError(file.path(), "metadata 'classes'", expected, std::move(found));
    };
    std::string name;
    for (std::size_t i = 0; i < text->size(); ++i) {
        const char c = (*text)[i];
        if (c == '\n') {
            names.push_back(std::exchange(name, {}));
        } else if (c != '\\') {
            name += c;
        } else {
            const char what = i + 1 < text->size() ? (*text)[++i] : '\0';
            if (what != 'n' && what != '\\')
                refuse("'n' or a backslash after each backslash", what == 0 ? "the end" : sentence("'", what, "'"));
            name += what == 'n' ? '\n' : '\\';
        }
    }
    if (!name.empty()) refuse("a line feed after each name", sentence("the end after '", name, "'"));
    return names;
}

SIGMA_IMPL std::vector<std::uint64_t> extents_of(const Shape& shape) {
    std::vector<std::uint64_t> extents;
    for (int i = 0; i < shape.rank; ++i) extents.push_back(static_cast<std::uint64_t>(shape[i]));
    return extents;
}

SIGMA_IMPL std::string architecture(const NetworkTable& network) { return hexadecimal(network.fingerprint); }

SIGMA_IMPL std::string network_text(const NetworkTable& network) {
    std::string all;
    for (const LayerRecord& r : network.layers)
        all += sentence(all.empty() ? "" : " + ", r.name.view(), " ", extents_text(r.output));
    for (const CostRecord& r : network.costs) all += sentence(" + ", r.name.view(), " * ", r.loss_weight);
    return all;
}

/// Returns ", in a file of network …", or an empty text if the file does not contain the network.
SIGMA_IMPL std::string of_network(const SafetensorsFile& file) {
    const std::string* const network = file.metadata("network");
    return network != nullptr ? sentence(", in a file of network ", *network) : "";
}

SIGMA_IMPL bool verified(const SafetensorsFile& file) {
    if (file.verify()) return true;
    const std::string* const format = file.metadata("format");
    if (format != nullptr && format->starts_with("sigma "))
        throw DataError(file.path(), "metadata", sentence("'", storage::checksum_key, "'"), "none");
    return false;
}

SIGMA_IMPL void require_architecture(const NetworkTable& network, const SafetensorsFile& file, const std::string& where,
                                     const char* otherwise) {
    const std::string* const found = file.metadata("architecture");
    if (found != nullptr && *found != architecture(network))
        throw MismatchError(
            where, sentence("a network of architecture ", architecture(network), otherwise),
            sentence("a network of architecture ", *found, " with the same tensors, which computes something else"));
}

SIGMA_IMPL bool Differences::fits(const SafetensorsFile& file, const std::string& name, const Shape& shape) {
    const TensorInfo* t = file.find(name);
    if (t == nullptr) {
        if (missing_.empty()) missing_ = name;
        add(wanted_, sentence("'", name, "' ", shape_text(extents_of(shape))));
        add(found_, "no such tensor");
        return false;
    }
    const bool floating =
        t->dtype == Dtype::f64 || t->dtype == Dtype::f32 || t->dtype == Dtype::f16 || t->dtype == Dtype::bf16;
    if (t->shape == extents_of(shape) && floating) return true;
    add(wanted_, sentence("'", name, "' ", shape_text(extents_of(shape))));
    add(found_, sentence("'", name, "' ", shape_text(t->shape), " of ", t->dtype_name()));
    return false;
}

SIGMA_IMPL void take_sizes(SizeBinding& sizes, const std::string& file) {
    const SafetensorsFile from = SafetensorsFile::open(file);
    const List<ParameterRecord>& parameters = sizes.example().parameters;
    for (int p = 0; p < parameters.size(); ++p) {
        const ParameterRecord& r = parameters[p];
        const TensorInfo* const found = from.find(r.name.view());
        // A missing tensor, or one with other axes, causes an error later, when the parameters are loaded.
        if (found == nullptr || found->shape.size() != static_cast<std::size_t>(r.shape.rank)) continue;
        for (int axis = 0; axis < r.shape.rank; ++axis)
            sizes.found([p, axis](const NetworkFacts& f) { return f.parameters[p].shape[axis]; },
                        static_cast<long long>(found->shape[static_cast<std::size_t>(axis)]),
                        sentence("'", r.name.view(), "' of file '", from.path(), "'"));
    }
}

SIGMA_IMPL void Differences::unknown(const std::string& name, const std::vector<std::uint64_t>& shape) {
    add(wanted_, "no such tensor");
    add(found_, sentence("'", name, "' ", shape_text(shape)));
}

SIGMA_IMPL void Differences::throw_if_any(const std::string& where, const SafetensorsFile& file) const {
    if (count_ == 0) return;
    const std::string there = missing_.empty() ? "" : "; the file has " + file.tensors_like(missing_);
    throw MismatchError(where, wanted_, found_ + there + of_network(file));
}

SIGMA_IMPL void Differences::add(std::string& list, const std::string& what) {
    if (!list.empty()) list += ", ";
    list += what;
    ++count_;
}

template <class T>
void TensorReader<T>::read(const SafetensorsFile& file) {
    values.resize(rows.count * rows.columns);
    file.read(name, std::span<T>(values));
    if (const std::size_t at = TensorFile<T>::first_not_finite(values); at < values.size())
        throw DataError(file.path(), sentence("tensor '", name, "'"), "finite numbers",
                        sentence(values[at], " at element ", at));
}

template <class T>
void TensorReader<T>::store() const {
    write_elements(values, rows);
}

template <class T>
void TensorFile<T>::add_rows(SafetensorsWriter& file, std::string name, const Shape& shape,
                             const ParameterRows<const T>& rows, Dtype as) {
    for (std::size_t r = 0; r < rows.count; ++r)
        if (const std::size_t at = first_not_finite(rows[r]); at < rows.columns)
            throw ArgumentError(sentence("parameter '", name, "' in a file"), "finite numbers",
                                sentence(rows[r][at], " at element ", r * rows.columns + at));
    if (as != dtype_of<T>) {
        if (as != Dtype::f16 && as != Dtype::bf16)
            throw ArgumentError("type of parameters in a file", sentence(name_of(dtype_of<T>), ", BF16 or F16"),
                                std::string(name_of(as)));
        std::vector<std::uint16_t> values;
        for (const T x : dense_elements(rows)) {
            const auto y = static_cast<float>(x);
            values.push_back(as == Dtype::bf16 ? storage::to_bf16(y) : storage::to_f16(y));
            const float kept = as == Dtype::bf16 ? storage::from_bf16(values.back()) : storage::from_f16(values.back());
            if (std::isinf(kept) && std::isfinite(x))
                throw ArgumentError(sentence("parameter '", name, "'"),
                                    sentence("numbers that ", name_of(as), " holds"),
                                    sentence(x, " at element ", values.size() - 1));
        }
        file.add(std::move(name), extents_of(shape), std::move(values), as);
    } else if (rows.stride == rows.columns)
        file.add(std::move(name), extents_of(shape), std::span<const T>(rows.data, rows.count * rows.columns));
    else file.add(std::move(name), extents_of(shape), dense_elements(rows));
}

template <class T>
void TensorFile<T>::add_parameters(SafetensorsWriter& file, const ModelStore<T>& model, const char* format, Dtype as,
                                   const ParameterChoice& choice) {
    bool any = false;
    for (int p = 0; p < model.network().parameters.size(); ++p) {
        const ParameterRecord& r = model.network().parameters[p];
        if (!choice(r.name.view())) continue;
        any = true;
        add_rows(file, std::string(r.name.view()), r.shape, parameter_rows(model, p), as);
    }
    if (!any && !choice.everything()) choice.refuse("parameters to save", model.network());
    add_classes(file, model.classes());
    file.metadata("format", format).metadata("network", network_text(model.network()));
    file.metadata("architecture", architecture(model.network())).with_checksum();
}

// Searches blocks, which compile to vector code.
template <class T>
std::size_t TensorFile<T>::first_not_finite(std::span<const T> values) {
    const auto bad = [](T x) { return !(std::abs(x) <= std::numeric_limits<T>::max()); };
    for (std::size_t first = 0; first < values.size(); first += 4096) {
        const auto block = values.subspan(first, std::min<std::size_t>(4096, values.size() - first));
        unsigned found = 0;
        for (const T x : block) found |= bad(x) ? 1u : 0u;
        if (found != 0)
            return first + static_cast<std::size_t>(std::find_if(block.begin(), block.end(), bad) - block.begin());
    }
    return values.size();
}

template <class T>
void TensorFile<T>::save(const ModelStore<T>& model, const std::string& file, const ParameterChoice& choice, Dtype as) {
    at_rest(model, [&](const ModelStore<T>& now) {
        SafetensorsWriter writer;
        add_parameters(writer, now, "sigma parameters 1", as, choice);
        writer.save(file);
    });
}

template <class T>
int TensorFile<T>::load(ModelStore<T>& model, const std::string& file, const ParameterChoice& choice, Transfer how,
                        const AnyFunction<std::string(std::string_view)>& rename) {
    const SafetensorsFile from = SafetensorsFile::open(file);
    verified(from);
    std::vector<TensorReader<T>> readers;
    Differences differences;
    bool any = false;
    for (int p = 0; p < model.network().parameters.size(); ++p) {
        const ParameterRecord& r = model.network().parameters[p];
        if (!choice(r.name.view())) continue;
        any = true;
        std::string name = rename ? rename(r.name.view()) : std::string(r.name.view());
        if (how == Transfer::common && from.find(name) == nullptr) continue;
        if (differences.fits(from, name, r.shape)) readers.push_back({std::move(name), parameter_rows(model, p)});
    }
    const std::string where = sentence("parameters from '", file, "'");
    if (!any) choice.refuse(where, model.network());
    if (how == Transfer::whole) differences.throw_if_any(where, from);
    const bool everything = how == Transfer::whole && choice.everything();
    if (everything && !rename)
        require_architecture(model.network(), from, where, " (use Transfer::common to load the tensors alone)");
    ClassNames classes = everything ? stored_classes(from) : ClassNames();
    require_same_classes(where, model.classes(), classes);
    for (auto& reader : readers) reader.read(from);
    model.write([&] {
        for (const auto& reader : readers) reader.store();
        if (everything) model.remembered().forget();
        if (classes.size() > model.classes().size()) model.set_classes(std::move(classes));
    });
    return static_cast<int>(readers.size());
}

template <class T>
void save_parameters_of(const ModelStore<T>& model, const std::string& file, const ParameterChoice& choice, Dtype as) {
    TensorFile<T>::save(model, file, choice, as);
}
template <class T>
int load_parameters_of(ModelStore<T>& model, const std::string& file, const ParameterChoice& choice, Transfer how,
                       const AnyFunction<std::string(std::string_view)>& rename) {
    return TensorFile<T>::load(model, file, choice, how, rename);
}

#ifdef SIGMA_COMPILED
template void save_parameters_of(const ModelStore<float>&, const std::string&, const ParameterChoice&, Dtype);
template void save_parameters_of(const ModelStore<double>&, const std::string&, const ParameterChoice&, Dtype);
template int load_parameters_of(ModelStore<float>&, const std::string&, const ParameterChoice&, Transfer,
                                const AnyFunction<std::string(std::string_view)>&);
template int load_parameters_of(ModelStore<double>&, const std::string&, const ParameterChoice&, Transfer,
                                const AnyFunction<std::string(std::string_view)>&);
#endif

}  // namespace sigma::detail

SIGMA_INSTANTIATE(struct sigma::detail::TensorReader);
SIGMA_INSTANTIATE(struct sigma::detail::TensorFile);
