// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/any_function.hpp>
#include <sigma/network/parameter_rows.hpp>
#include <sigma/network/stored_classes.hpp>
#include <sigma/network/transfer.hpp>
#include <sigma/storage/checksum.hpp>
#include <sigma/storage/safetensors.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace sigma {

namespace detail {

std::vector<std::uint64_t> extents_of(const Shape& shape);

/// Rows without padding are not copied: they must stay as they are until the file is written.
template <class T>
void add_rows(SafetensorsWriter& file, std::string name, const Shape& shape, const ParameterRows<T>& rows) {
    if (rows.stride == rows.columns) file.add(std::move(name), extents_of(shape), std::span<const T>(rows.data, rows.count * rows.columns));
    else file.add(std::move(name), extents_of(shape), dense_elements(rows));
}
/// What tells the network from others whose parameters have the same names and shapes.
template <class N>
std::string architecture() {
    return storage::hexadecimal(NetworkRecords<N>::records.fingerprint);
}
template <class N, class T>
void add_parameters(SafetensorsWriter& file, const Model<N, T>& model, const char* format = "sigma parameters 1") {
    for (int p = 0; p < Model<N, T>::parameter_count; ++p) {
        const ParameterRecord& r = Model<N, T>::records.parameters[p];
        add_rows(file, std::string(r.name.view()), r.shape, parameter_rows(model, p));
    }
    add_classes(file, model.classes());
    file.metadata("format", format).metadata("architecture", architecture<N>()).with_checksum();
}
/// Is what the file holds what was written? Throws DataError where it is not. False for files that do not say: those of
/// other programs and of versions before there were checksums.
bool verified(const SafetensorsFile& file);
/// Tensors may fit a network that does something else with them.
template <class N>
void require_architecture(const SafetensorsFile& file, const std::string& where, const char* otherwise) {
    const std::string* const found = file.metadata("architecture");
    if (found != nullptr && *found != architecture<N>())
        throw MismatchError(
            where, sentence("a network that computes the same, architecture ", architecture<N>(), otherwise),
            sentence("one with tensors of the same shapes that computes something else, architecture ", *found));
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
    bool missing(const std::string& what);
    void unknown(const std::string& name, const std::vector<std::uint64_t>& shape);
    void throw_if_any(const std::string& where) const;

private:
    std::string wanted_, found_;
    int count_ = 0;
    void add(std::string& list, const std::string& what);
};

/// The position of the first infinity or NaN, or how many there are. In blocks, whose search is vector code.
template <class T>
std::size_t first_not_finite(std::span<const T> values) {
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

/// A tensor on its way from a file into a model: read while anything can still go wrong, stored when nothing can.
template <class T>
struct TensorReader {
    std::string name;
    ParameterRows<T> rows;
    std::vector<T> values{};

    void read(const SafetensorsFile& file) {
        values.resize(rows.count * rows.columns);
        file.read(name, std::span<T>(values));
        if (const std::size_t at = first_not_finite(std::span<const T>(values)); at < values.size())
            throw DataError(file.path(), sentence("tensor '", name, "'"), "finite numbers",
                            sentence(values[at], " at element ", at));
    }
    void store() const { write_elements(values, rows); }
};

}  // namespace detail

/// Writes all parameters of a model to a safetensors file, under their names, "1-dense.weights", and the names of its
/// classes. The file is replaced as a whole; StorageError where that fails.
template <AnyNetwork N, class T>
void save_parameters(const Model<N, T>& model, const std::string& file) {
    model.at_rest([&](const Model<N, T>& now) {
        SafetensorsWriter writer;
        detail::add_parameters(writer, now);
        writer.save(file);
    });
}

/// Reads the parameters whose names match the pattern from a safetensors file, also one of another program. `rename`
/// says under which name the file has a parameter. With Transfer::whole each must be there with its shape, else a
/// MismatchError names all that differ; with Transfer::common those that fit are read. Where all parameters are read
/// under their own names, the network must also compute what the one that was saved does, up to its losses. Whoever reads
/// all of a file, `*` and Transfer::whole, reads the names of classes, too: a model with other ones refuses them with a
/// MismatchError. A file that is not what was written, and numbers that are not finite, are a DataError. Nothing is
/// changed before everything is known to fit. Returns how many were read.
template <AnyNetwork N, class T>
int load_parameters(Model<N, T>& model, const std::string& file, std::string_view pattern = "*",
                    Transfer how = Transfer::whole, const detail::AnyFunction<std::string(std::string_view)>& rename = {}) {
    const SafetensorsFile from = SafetensorsFile::open(file);
    detail::verified(from);
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
    const std::string where = sentence("parameters from '", file, "'");
    if (how == Transfer::whole) differences.throw_if_any(where);
    const bool everything = how == Transfer::whole && pattern == "*";
    if (everything && !rename) detail::require_architecture<N>(from, where, " (or Transfer::common, which takes the tensors alone)");
    detail::ClassNames classes = everything ? detail::stored_classes(from) : detail::ClassNames();
    detail::require_taken_classes(where, model.classes(), classes);
    for (auto& reader : readers) reader.read(from);
    model.write([&] {
        for (const auto& reader : readers) reader.store();
        if (classes.size() > model.classes().size()) model.set_classes(std::move(classes));
    });
    return static_cast<int>(readers.size());
}

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/network/impl/parameters_file.ipp>
#endif
