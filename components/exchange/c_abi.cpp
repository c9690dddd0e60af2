// SPDX-License-Identifier: BSL-1.0
#include <sigma/exchange/sigma.h>
#include <sigma/core/version.hpp>
#include <sigma/data/transform/on_datasets.hpp>
#include <sigma/exchange/model_file.hpp>
#include <sigma/network/classified.hpp>
#include <sigma/network/predictor.hpp>
#include <sigma/storage/error.hpp>

#include <algorithm>
#include <exception>
#include <new>
#include <string_view>

using ModelOfC = sigma::Predictor<sigma::DynamicNetwork>;

struct sigma_model {
    ModelOfC predictor;
    sigma::data::Preprocessing preprocessing;
    std::vector<std::string> classes, input_names, output_names;

    const sigma::detail::NetworkTable& table() const { return predictor.model().definition().made().table(); }
};
struct sigma_stream {
    const sigma_model* model;
    ModelOfC::Stream stream;
};

namespace {

using namespace sigma;

thread_local char message[1024] = "";

/// Stores as much of the text as fits, without cutting a UTF-8 character, and returns the status.
sigma_status failed(sigma_status why, std::string_view text) noexcept {
    std::size_t n = std::min(text.size(), sizeof(message) - 1);
    while (n > 0 && n < text.size() && (static_cast<unsigned char>(text[n]) & 0xC0) == 0x80) --n;
    std::copy_n(text.data(), n, message);
    message[n] = 0;
    return why;
}
/// Calls f(), and converts exceptions to a status.
template <class F>
sigma_status guarded(F f) noexcept {
    try {
        f();
        return SIGMA_OK;
    } catch (const DataError& e) { return failed(SIGMA_FILE, e.what()); } catch (const StorageError& e) {
        return failed(SIGMA_FILE, e.what());
    } catch (const MemoryError& e) { return failed(SIGMA_MEMORY, e.what()); } catch (const MismatchError& e) {
        return failed(SIGMA_ARGUMENT, e.what());
    } catch (const std::bad_alloc&) {
        return failed(SIGMA_MEMORY, "not enough memory");
    } catch (const std::exception& e) { return failed(SIGMA_FAILURE, e.what()); } catch (...) {
        return failed(SIGMA_FAILURE, "an exception of an unknown type");
    }
}
void require(const void* pointer, const char* function, const char* what) {
    if (pointer == nullptr) throw ArgumentError(function, what, "NULL");
}
/// Returns the first pointers of a list. Throws ArgumentError if one is NULL.
template <class T>
std::vector<T> checked(const T* list, std::size_t count, const char* function, const char* what) {
    require(list, function, what);
    std::vector<T> all(list, list + count);
    for (const T one : all) require(one, function, what);
    return all;
}
std::ptrdiff_t count_of(std::size_t records, const char* function) {
    constexpr std::size_t most = std::size_t{1} << 40;
    if (records > most) throw ArgumentError(function, sentence("at most ", most, " records"), sentence(records));
    return static_cast<std::ptrdiff_t>(records);
}

const Shape* shape_of(const sigma_model* model, std::size_t number, bool input) {
    if (model == nullptr) return nullptr;
    const auto& t = model->table();
    const int i = static_cast<int>(number), count = input ? t.inputs.size() : t.costs.size();
    if (number >= static_cast<std::size_t>(count)) return nullptr;
    return input ? &t.inputs[i] : &t.costs[i].prediction;
}
std::size_t size_of(const Shape* s) { return s == nullptr ? 0 : static_cast<std::size_t>(s->count()); }
std::size_t extents_of(const Shape* s, std::size_t* extents) {
    if (s == nullptr || extents == nullptr) return 0;
    for (int i = 1; i < s->rank; ++i) extents[i - 1] = static_cast<std::size_t>((*s)[i]);
    return static_cast<std::size_t>(s->rank - 1);
}
const char* name_at(const std::vector<std::string>& names, std::size_t i) {
    return i < names.size() ? names[i].c_str() : nullptr;
}
bool says_yes_or_no(const sigma_model& m) { return m.table().costs.size() == 1 && m.table().costs[0].yes_or_no; }
bool says_class(const sigma_model& m) {
    return m.table().costs.size() == 1 && (m.table().costs[0].yes_or_no || m.table().costs[0].says_class());
}
std::size_t row_of(const sigma_model& m) {
    return says_yes_or_no(m) ? 1 : static_cast<std::size_t>(m.table().costs[0].prediction.last());
}

void predict(const sigma_model& m, const float* const* inputs, float* const* outputs, std::size_t records,
             const char* function) {
    const auto from = checked(inputs, sigma_inputs(&m), function, "pointers to all inputs");
    const auto to = checked(outputs, sigma_outputs(&m), function, "pointers to all outputs");
    if (records > 0) m.predictor.predict(from, to, count_of(records, function));
}

struct Numbers {
    const float* from;
    std::size_t size;  ///< Elements of a record.
    float* to;
};
/// Applies the preprocessing of a section, or its inverse. Copies the numbers if the section has no preprocessing.
void transform(const sigma_model& m, const char* section, const Shape& shape, const Numbers& n, std::size_t records,
               const char* function) {
    require(n.from, function, "numbers");
    require(n.to, function, "memory for the numbers");
    const std::size_t wanted = size_of(&shape);
    if (count_of(records, function) == 0) return;
    std::vector<std::size_t> extents{records, n.size};
    if (n.size == wanted) extents = detail::array_extents(shape, static_cast<std::ptrdiff_t>(records));
    const bool inputs = std::string_view(section) == "inputs";
    Array<float> made(ArrayView<const float>(n.from, extents));
    for (const auto& step : m.preprocessing.steps())
        if (step.section == section) {
            made = inputs ? m.preprocessing(made, section) : m.preprocessing.inverse(made, section);
            break;
        }
    if (made.size() != wanted * records)
        throw ShapeError(function, sentence(wanted, " numbers for each record"), sentence(made.size() / records));
    std::copy_n(made.data(), made.size(), n.to);
}

}  // namespace

const char* sigma_version(void) { return version(); }
const char* sigma_message(void) { return message; }

sigma_status sigma_load(const char* file, sigma_model** model) {
    if (model != nullptr) *model = nullptr;
    return guarded([&] {
        require(file, "sigma_load", "the name of a file");
        require(model, "sigma_load", "a pointer for the model");
        const LoadedModel<float> loaded(detail::read_model_file(file, nullptr));
        auto made = std::make_unique<sigma_model>(
            sigma_model{ModelOfC(loaded), loaded.preprocessing(), loaded.classes(), {}, {}});
        for (int i = 0; i < made->table().inputs.size(); ++i)
            made->input_names.emplace_back(made->table().layers[i].name.view());
        for (const detail::CostRecord& c : made->table().costs) made->output_names.emplace_back(c.name.view());
        *model = made.release();
    });
}
void sigma_free(sigma_model* model) { delete model; }

size_t sigma_inputs(const sigma_model* model) { return model == nullptr ? 0 : model->input_names.size(); }
size_t sigma_outputs(const sigma_model* model) { return model == nullptr ? 0 : model->output_names.size(); }
size_t sigma_input_size(const sigma_model* model, size_t input) { return size_of(shape_of(model, input, true)); }
size_t sigma_output_size(const sigma_model* model, size_t output) { return size_of(shape_of(model, output, false)); }
size_t sigma_input_shape(const sigma_model* model, size_t input, size_t extents[5]) {
    return extents_of(shape_of(model, input, true), extents);
}
size_t sigma_output_shape(const sigma_model* model, size_t output, size_t extents[5]) {
    return extents_of(shape_of(model, output, false), extents);
}
const char* sigma_input_name(const sigma_model* model, size_t input) {
    return model == nullptr ? nullptr : name_at(model->input_names, input);
}
const char* sigma_output_name(const sigma_model* model, size_t output) {
    return model == nullptr ? nullptr : name_at(model->output_names, output);
}

sigma_status sigma_predict(const sigma_model* model, const float* const inputs[], float* const outputs[],
                           size_t records) {
    return guarded([&] {
        require(model, "sigma_predict", "a model");
        predict(*model, inputs, outputs, records, "sigma_predict");
    });
}
sigma_status sigma_prepare(const sigma_model* model, const float* raw, size_t size, float* prepared, size_t records) {
    return guarded([&] {
        require(model, "sigma_prepare", "a model");
        transform(*model, "inputs", model->table().inputs[0], {raw, size, prepared}, records, "sigma_prepare");
    });
}
sigma_status sigma_restore(const sigma_model* model, const float* predicted, float* restored, size_t records) {
    return guarded([&] {
        require(model, "sigma_restore", "a model");
        transform(*model, "targets", model->table().costs[0].prediction,
                  {predicted, sigma_output_size(model, 0), restored}, records, "sigma_restore");
    });
}

size_t sigma_answers(const sigma_model* model) {
    if (model == nullptr || !says_class(*model)) return 0;
    return sigma_output_size(model, 0) / row_of(*model);
}
sigma_status sigma_classify(const sigma_model* model, const float* const inputs[], size_t classes[], size_t records) {
    return guarded([&] {
        require(model, "sigma_classify", "a model");
        require(classes, "sigma_classify", "memory for the classes");
        if (!says_class(*model))
            throw ArgumentError("sigma_classify", "a classifier", "a model that does not predict classes");
        std::vector<float> predicted(sigma_output_size(model, 0) *
                                     static_cast<std::size_t>(count_of(records, "sigma_classify")));
        float* const to[] = {predicted.data()};
        if (records == 0) return;
        predict(*model, inputs, to, records, "sigma_classify");
        const std::vector<double> numbers(predicted.begin(), predicted.end());
        const auto answers =
            says_yes_or_no(*model) ? detail::reached(numbers, 0.5) : detail::greatest_of_rows(numbers, row_of(*model));
        std::copy(answers.begin(), answers.end(), classes);
    });
}
size_t sigma_classes(const sigma_model* model) { return model == nullptr ? 0 : model->classes.size(); }
const char* sigma_class_name(const sigma_model* model, size_t number) {
    return model == nullptr ? nullptr : name_at(model->classes, number);
}

sigma_status sigma_stream_open(const sigma_model* model, sigma_stream** stream) {
    if (stream != nullptr) *stream = nullptr;
    return guarded([&] {
        require(model, "sigma_stream_open", "a model");
        require(stream, "sigma_stream_open", "a pointer for the stream");
        *stream = new sigma_stream{model, model->predictor.stream()};
    });
}
sigma_status sigma_stream_step(sigma_stream* stream, const float* const inputs[], float* const outputs[]) {
    return guarded([&] {
        require(stream, "sigma_stream_step", "a stream");
        stream->stream.step(
            checked(inputs, sigma_inputs(stream->model), "sigma_stream_step", "pointers to all inputs"),
            checked(outputs, sigma_outputs(stream->model), "sigma_stream_step", "pointers to all outputs"));
    });
}
void sigma_stream_forget(sigma_stream* stream) {
    if (stream != nullptr) stream->stream.forget();
}
void sigma_stream_close(sigma_stream* stream) { delete stream; }
