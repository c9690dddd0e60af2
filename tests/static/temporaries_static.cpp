// SPDX-License-Identifier: BSL-1.0
// What an object that is about to go gives away is a value, never a reference or a view into it: this lists all of the
// public headers that give such to one that stays. docs/arrays.md has the rule.
#include <sigma/core/task.hpp>
#include <sigma/data/data.hpp>
#include <sigma/environment/environment.hpp>
#include <sigma/environment/log.hpp>
#include <sigma/function/gradient_report.hpp>
#include <sigma/monitor/web.hpp>
#include <sigma/sigma.hpp>
#include <sigma/storage/file.hpp>
#include <sigma/storage/safetensors.hpp>
#include <sigma/trainer/fit.hpp>
#include <sigma/trainer/terminal/classification_report.hpp>

#include <ranges>

namespace {

using namespace sigma;

template <class R>
inline constexpr bool is_view =
    std::is_reference_v<R> || std::is_pointer_v<R> || std::ranges::view<R> || std::is_same_v<R, std::string_view>;

struct Flowers : Network<Input(4) + Dense(3) + SoftmaxCE()> {};
using FittedFlowers = Fitted<Flowers, Adam>;

// A reference or a view from what stays, a value from what goes.
#define SIGMA_VALUE_OF_TEMPORARY(Type, call)                            \
    static_assert(is_view<decltype(std::declval<const Type&>().call)>); \
    static_assert(!is_view<decltype(std::declval<Type>().call)>)
// Not to be called of what goes at all.
#define SIGMA_REFUSED_OF_TEMPORARY(Type, call)                                                    \
    static_assert([]<class T>(std::type_identity<T>) {                                            \
        return requires(T& stays) { stays.call; } && !requires(T goes) { std::move(goes).call; }; \
    }(std::type_identity<Type>{}))

SIGMA_VALUE_OF_TEMPORARY(Array<float>, shape());
SIGMA_VALUE_OF_TEMPORARY(Array<float>, operator()(0, 0));
SIGMA_VALUE_OF_TEMPORARY(ArrayView<float>, shape());
SIGMA_VALUE_OF_TEMPORARY(TaskView, description());
SIGMA_VALUE_OF_TEMPORARY(TaskView, unit());
SIGMA_VALUE_OF_TEMPORARY(detail::Pattern, text());
SIGMA_VALUE_OF_TEMPORARY(detail::Pattern, parts());

SIGMA_VALUE_OF_TEMPORARY(AtomicFile, path());
SIGMA_VALUE_OF_TEMPORARY(SafetensorsFile, path());
SIGMA_VALUE_OF_TEMPORARY(SafetensorsFile, metadata());
SIGMA_VALUE_OF_TEMPORARY(SafetensorsFile, metadata("key"));
SIGMA_VALUE_OF_TEMPORARY(SafetensorsFile, tensors());
SIGMA_VALUE_OF_TEMPORARY(SafetensorsFile, find("name"));

SIGMA_VALUE_OF_TEMPORARY(Dataset, name());
SIGMA_VALUE_OF_TEMPORARY(Dataset, classes());
SIGMA_VALUE_OF_TEMPORARY(Dataset, preprocessing());
SIGMA_VALUE_OF_TEMPORARY(Dataset, origins());
SIGMA_VALUE_OF_TEMPORARY(Dataset, input_name(0));
SIGMA_VALUE_OF_TEMPORARY(Dataset, target_name(0));
SIGMA_VALUE_OF_TEMPORARY(Dataset, input_shape());
SIGMA_VALUE_OF_TEMPORARY(Dataset, target_shape());
SIGMA_VALUE_OF_TEMPORARY(Dataset, blocks());
static_assert(
    std::is_same_v<decltype(std::declval<Dataset>().input(0)), detail::Record>);  // which then owns its numbers
SIGMA_VALUE_OF_TEMPORARY(Batch, records());
SIGMA_VALUE_OF_TEMPORARY(Batch, inputs());
SIGMA_VALUE_OF_TEMPORARY(Batch, targets());
SIGMA_VALUE_OF_TEMPORARY(BatchIterator, minibatches());
SIGMA_REFUSED_OF_TEMPORARY(BatchIterator, next());
SIGMA_VALUE_OF_TEMPORARY(NumberList, floats());
SIGMA_VALUE_OF_TEMPORARY(NumberList, doubles());
SIGMA_REFUSED_OF_TEMPORARY(NumberList, bytes());
SIGMA_VALUE_OF_TEMPORARY(data::Vocabulary, tokens());
SIGMA_VALUE_OF_TEMPORARY(data::Vocabulary, token(0));
SIGMA_VALUE_OF_TEMPORARY(data::Source, shared());
SIGMA_VALUE_OF_TEMPORARY(data::Table, shared());
SIGMA_VALUE_OF_TEMPORARY(data::TableValues, operator[]("age"));
SIGMA_VALUE_OF_TEMPORARY(data::Preprocessing, steps());
SIGMA_VALUE_OF_TEMPORARY(data::TransformSteps, list());
SIGMA_VALUE_OF_TEMPORARY(data::TransformChain<>, steps());
SIGMA_VALUE_OF_TEMPORARY(data::DiskCache, directory());
SIGMA_VALUE_OF_TEMPORARY(data::detail::ColumnParts, list());

SIGMA_VALUE_OF_TEMPORARY(GradientReport, worst());
SIGMA_VALUE_OF_TEMPORARY(ConfusionMatrix, name(0));
SIGMA_VALUE_OF_TEMPORARY(ClassificationReport, classes());
SIGMA_VALUE_OF_TEMPORARY(ClassificationReport, matrix());
SIGMA_VALUE_OF_TEMPORARY(Device, compute_device());
SIGMA_VALUE_OF_TEMPORARY(detail::DeviceGroup, group());
SIGMA_VALUE_OF_TEMPORARY(detail::DeviceGroup, device());
SIGMA_VALUE_OF_TEMPORARY(detail::EvaluatedData, data());
SIGMA_VALUE_OF_TEMPORARY(History, best());
SIGMA_VALUE_OF_TEMPORARY(Remote, name());
SIGMA_VALUE_OF_TEMPORARY(FittedFlowers, history());
SIGMA_VALUE_OF_TEMPORARY(FittedFlowers, best());
SIGMA_VALUE_OF_TEMPORARY(FittedFlowers, validation());
SIGMA_VALUE_OF_TEMPORARY(FittedFlowers, model());
SIGMA_REFUSED_OF_TEMPORARY(FittedFlowers, trainer());
static_assert(std::is_same_v<decltype(std::declval<Model<Flowers>&>().parameter(0)), ArrayView<float>>);
static_assert(std::is_same_v<decltype(std::declval<Model<Flowers>>().parameter(0)), Array<float>>);
static_assert(std::is_same_v<decltype(std::declval<Model<Flowers>>().parameter<"1-dense.weights">()), Array<float>>);

SIGMA_VALUE_OF_TEMPORARY(detail::Environment, name());
SIGMA_VALUE_OF_TEMPORARY(detail::Log, name());
SIGMA_VALUE_OF_TEMPORARY(FileSink, path());
SIGMA_VALUE_OF_TEMPORARY(detail::Workspace, path());
SIGMA_VALUE_OF_TEMPORARY(monitor::Web, token());

// What is its own word is no part of anything.
static_assert(!is_view<decltype(std::declval<const data::Vocabulary&>().rule())>);

}  // namespace
