// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/network/parameter_rows.hpp>
#include <sigma/network/transfer.hpp>
#include <sigma/storage/safetensors.hpp>

#include <functional>

namespace sigma {

namespace detail {

inline std::vector<std::uint64_t> extents_of(const Shape& shape) {
    std::vector<std::uint64_t> extents;
    for (int i = 0; i < shape.rank; ++i) extents.push_back(static_cast<std::uint64_t>(shape[i]));
    return extents;
}

/// Rows without padding are not copied: they must stay as they are until the file is written.
template <class T>
void add_rows(SafetensorsWriter& file, std::string name, const Shape& shape, const ParameterRows<T>& rows) {
    if (rows.stride == rows.columns) file.add(std::move(name), extents_of(shape), std::span<const T>(rows.data, rows.count * rows.columns));
    else file.add(std::move(name), extents_of(shape), dense_elements(rows));
}
template <class N, class T>
void add_parameters(SafetensorsWriter& file, const Model<N, T>& model) {
    for (int p = 0; p < Model<N, T>::parameter_count; ++p) {
        const ParameterRecord& r = Model<N, T>::records.parameters[p];
        add_rows(file, std::string(r.name.view()), r.shape, parameter_rows(model, p));
    }
}

/// What differs between tensors that are wanted and those of a file, gathered into one exception.
class Differences {
public:
    /// Whether the tensor is there with that shape and a dtype of floating point.
    bool fits(const auto& file, const std::string& name, const Shape& shape) {
        const TensorInfo* t = file.find(name);
        if (t == nullptr) return missing(sentence("'", name, "' ", shape_text(extents_of(shape))));
        const bool floating = t->dtype == Dtype::f64 || t->dtype == Dtype::f32 || t->dtype == Dtype::f16 || t->dtype == Dtype::bf16;
        if (t->shape == extents_of(shape) && floating) return true;
        add(wanted_, sentence("'", name, "' ", shape_text(extents_of(shape))));
        add(found_, sentence("'", name, "' ", shape_text(t->shape), " of ", name_of(t->dtype)));
        return false;
    }
    bool missing(const std::string& what) {
        add(wanted_, what);
        add(found_, "no such tensor");
        return false;
    }
    void unknown(const std::string& name, const std::vector<std::uint64_t>& shape) {
        add(wanted_, "no such tensor");
        add(found_, sentence("'", name, "' ", shape_text(shape)));
    }
    void throw_if_any(const std::string& where) const {
        if (count_ > 0) throw MismatchError(where, wanted_, found_);
    }

private:
    std::string wanted_, found_;
    int count_ = 0;
    void add(std::string& list, const std::string& what) {
        if (!list.empty()) list += ", ";
        list += what;
        ++count_;
    }
};

/// A tensor on its way from a file into a model: read while anything can still go wrong, stored when nothing can.
template <class T>
struct TensorReader {
    std::string name;
    ParameterRows<T> rows;
    std::vector<T> values{};

    void read(const SafetensorsFile& file) {
        values.resize(rows.count * rows.columns);
        file.read(name, std::span<T>(values));
    }
    void store() const { write_elements(values, rows); }
};

}  // namespace detail

/// Writes all parameters of a model to a safetensors file, under their names, "1-dense.weights". The file is replaced as
/// a whole; StorageError where that fails.
template <AnyNetwork N, class T>
void save_parameters(const Model<N, T>& model, const std::string& file) {
    model.at_rest([&](const Model<N, T>& now) {
        SafetensorsWriter writer;
        detail::add_parameters(writer, now);
        writer.save(file);
    });
}

/// Reads the parameters whose names match the pattern from a safetensors file, also one of another program. `rename` says
/// under which name the file has a parameter. With Transfer::whole each must be there with its shape, else a
/// MismatchError names all that differ; with Transfer::common those that fit are read. Nothing is changed before
/// everything is known to fit. Returns how many were read.
template <AnyNetwork N, class T>
int load_parameters(Model<N, T>& model, const std::string& file, std::string_view pattern = "*",
                    Transfer how = Transfer::whole, const std::function<std::string(std::string_view)>& rename = {}) {
    const SafetensorsFile from = SafetensorsFile::open(file);
    std::vector<detail::TensorReader<T>> readers;
    detail::Differences differences;
    bool any = false;
    for (int p = 0; p < Model<N, T>::parameter_count; ++p) {
        const ParameterRecord& r = Model<N, T>::records.parameters[p];
        if (!matches(pattern, r.name.view())) continue;
        any = true;
        std::string name = rename ? rename(r.name.view()) : std::string(r.name.view());
        if (how == Transfer::common && from.find(name) == nullptr) continue;
        if (differences.fits(from, name, r.shape)) readers.push_back({std::move(name), parameter_rows(model, p)});
    }
    if (!any)
        throw MismatchError(sentence("parameters from '", file, "'"), "a pattern that matches a parameter", sentence("'", pattern, "'"));
    if (how == Transfer::whole) differences.throw_if_any(sentence("parameters from '", file, "'"));
    for (auto& reader : readers) reader.read(from);
    model.write([&] {
        for (const auto& reader : readers) reader.store();
    });
    return static_cast<int>(readers.size());
}

}  // namespace sigma
