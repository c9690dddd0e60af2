// SPDX-License-Identifier: BSL-1.0
#include <sigma/sigma.hpp>
#include <sigma/storage/utf8.hpp>
#include <sigma/tape/interpreter.hpp>

#include "import.hpp"

#include <algorithm>
#include <limits>

namespace sigma::detail {

namespace {

std::string quoted(const std::string& name) { return storage::quotation(name); }

std::uint64_t channels_second(int rank) {
    std::uint64_t order = 0;
    for (int i = 1; i < rank; ++i) order |= static_cast<std::uint64_t>(i == 1 ? rank - 1 : i - 1) << (4 * i);
    return order;
}
Shape permuted(const Shape& s, std::uint64_t order) {
    Shape p = s;
    for (int i = 0; i < s.rank; ++i) p.extent[i] = s[static_cast<int>(order >> (4 * i) & 15)];
    return p;
}
std::uint64_t identity_order(int rank) {
    std::uint64_t order = 0;
    for (int i = 0; i < rank; ++i) order |= static_cast<std::uint64_t>(i) << (4 * i);
    return order;
}

/// Converts a name of the file to a valid name, or to an empty one: "/features/conv" becomes "features_conv".
Text good_name(std::string_view from) {
    Text name;
    while (!from.empty() && from.front() == '/') from.remove_prefix(1);
    if (from.size() > 24) return name;
    for (const char c : from) {
        const char one[] = {c == '/' || c == '.' || c == ':' ? '_' : c, '\0'};
        name.append(std::string_view(one, 1));
    }
    return is_good_name(name) && !begins_with_number(name.view()) ? name : Text{};
}

/// Returns whether a shape has at most this many elements, and no extent of 0. Does not overflow.
bool few_elements(const Shape& s, long long most) {
    long long count = 1;
    for (int k = 0; k < s.rank; ++k) {
        count *= s[k] < 0 ? -static_cast<long long>(s[k]) : s[k];
        if (count > most || count == 0) return false;
    }
    return true;
}

}  // namespace

std::uint64_t channels_last(int rank) {
    std::uint64_t order = 0;
    for (int i = 1; i < rank; ++i) order |= static_cast<std::uint64_t>(i + 1 < rank ? i + 1 : 1) << (4 * i);
    return order;
}

// ---- values ----

int OnnxValue::rank() const { return known ? static_cast<int>(known->dims.size()) : tensor.shape().rank; }
Numbers OnnxValue::dims() const {
    if (known) return known->dims;
    Shape s = tensor.shape();
    if (last) s = permuted(s, channels_second(s.rank));
    return {s.extent, s.extent + s.rank};
}

// ---- attributes and inputs of operators ----

OnnxCall::OnnxCall(OnnxWalk& w, const format::NodeProto& n, std::vector<OnnxValue> in, bool fold)
    : node(n), walk(w), inputs(std::move(in)), folding(fold), tape_(w.context ? w.context->tape : nullptr) {}

int OnnxCall::opset() const { return walk.model.opset; }
bool OnnxCall::training() const { return walk.context != nullptr && walk.context->training() && !folding; }

void OnnxCall::refuse(std::string expected, std::string found) const {
    const std::string& name = node.name().empty() && node.output_size() > 0 ? node.output(0) : node.name();
    walk.model.refuse(sentence("node ", quoted(name), " (", node.op_type(), ")"), std::move(expected),
                      std::move(found));
}

const format::AttributeProto* OnnxCall::attribute(std::string_view name) const {
    for (const auto& a : node.attribute())
        if (a.name() == name) return &a;
    return nullptr;
}
long long OnnxCall::whole(std::string_view name, long long otherwise) const {
    const auto* const a = attribute(name);
    return a ? a->i() : otherwise;
}
double OnnxCall::real(std::string_view name, double otherwise) const {
    const auto* const a = attribute(name);
    return a ? static_cast<double>(a->f()) : otherwise;
}
std::string OnnxCall::text(std::string_view name, const char* otherwise) const {
    const auto* const a = attribute(name);
    return a ? a->s() : otherwise;
}
Numbers OnnxCall::list(std::string_view name) const {
    const auto* const a = attribute(name);
    return a ? Numbers(a->ints().begin(), a->ints().end()) : Numbers();
}
int OnnxCall::in_bounds(const std::string& what, long long x, long long lowest, long long greatest) const {
    if (x < lowest || x > greatest) refuse(sentence(what, " from ", lowest, " to ", greatest), sentence(x));
    return static_cast<int>(x);
}
int OnnxCall::small(std::string_view name, int otherwise, int lowest, int greatest) const {
    return in_bounds(std::string(name), whole(name, otherwise), lowest, greatest);
}
std::vector<int> OnnxCall::spatial(std::string_view name, int count, int otherwise, int lowest, int greatest) const {
    const Numbers given = list(name);
    if (given.empty()) return std::vector<int>(static_cast<std::size_t>(count), otherwise);
    if (static_cast<int>(given.size()) != count) refuse(sentence(count, " numbers in ", name), sentence(given.size()));
    std::vector<int> all;
    for (const long long x : given) all.push_back(in_bounds(std::string(name), x, lowest, greatest));
    return all;
}

bool OnnxCall::has(int i) const {
    return i < static_cast<int>(inputs.size()) && (inputs[static_cast<std::size_t>(i)].known ||
                                                   inputs[static_cast<std::size_t>(i)].tensor.variable.tape != nullptr);
}
const OnnxValue& OnnxCall::in(int i) const {
    if (!has(i)) refuse(sentence("an input ", i), "no such input");
    return inputs[static_cast<std::size_t>(i)];
}
Shape OnnxCall::shape_of(const Numbers& extents) const {
    if (extents.size() > static_cast<std::size_t>(max_rank)) refuse("at most 6 axes", sentence(extents.size()));
    Shape s;
    long long count = 1;
    for (const long long e : extents) {
        if (e == 0) refuse("tensors with elements", "an extent of 0");
        if (e > most_onnx_elements || e < -most_onnx_elements)
            refuse(sentence("extents up to ", most_onnx_elements), sentence(e));
        count *= e < 0 ? -e : e;
        if (count > most_onnx_elements)
            refuse(sentence("at most ", most_onnx_elements, " elements (in a record)"), sentence(count));
        s.extent[s.rank++] = static_cast<int>(e);
    }
    if (!one_batch_axis(s)) refuse("one axis of records", shape_text(extents));
    if (folding && s.batched()) throw NotKnown{};
    return s;
}
Shape OnnxCall::shape(int i) const { return shape_of(in(i).dims()); }

Tensor OnnxCall::on_tape(int i, bool trained, Text name, std::uint64_t order) {
    const OnnxValue& v = in(i);
    if (order == plain_order) order = identity_order(v.rank());
    if (v.known) return walk.materialized(*this, v, trained, false, name, order);
    Variable y = v.tensor.variable;
    if (v.last) y = permute(y, channels_second(v.rank()));
    return {permute(y, order)};
}
Tensor OnnxCall::stored(int i, Text name) {
    const OnnxValue& v = in(i);
    return v.known ? walk.materialized(*this, v, false, true, name, identity_order(v.rank())) : x(i);
}
Tensor OnnxCall::images(int i) {
    const OnnxValue& v = in(i);
    if (!v.known && v.last) return v.tensor;
    return {permute(x(i).variable, channels_last(v.rank()))};
}
bool OnnxCall::together(std::vector<Tensor>& all, bool trained) {
    int rank = 0;
    for (const OnnxValue& v : inputs) rank = std::max(rank, v.rank());
    bool last = false;
    for (const OnnxValue& v : inputs) last = last || (v.last && v.rank() == rank);
    for (int i = 0; i < static_cast<int>(inputs.size()); ++i) {
        if (last && in(i).last && in(i).rank() == rank) {
            all.push_back(in(i).tensor);
            continue;
        }
        const Tensor y = trained ? weight(i, "values") : x(i);
        const Shape s = y.shape();
        if (!last || s.rank == 0) all.push_back(y);
        else all.push_back({permute(reshape(y.variable, s.aligned(rank)), channels_last(rank))});
    }
    Shape s = all.empty() ? Shape{} : all[0].shape();
    for (const Tensor& each : all) {
        if (!few_elements(s, most_value_elements))
            refuse(sentence("at most ", most_value_elements, " elements"), "more elements");
        if (!broadcastable(s, each.shape())) {
            std::string shapes;
            for (const OnnxValue& v : inputs) shapes += sentence(shapes.empty() ? "" : ", ", shape_text(v.dims()));
            refuse("shapes that broadcast", shapes);
        }
        s = broadcast(s, each.shape());
    }
    return last;
}

Tensor OnnxCall::table(Elements elements, Text name) {
    walk.spend(*this, elements.count());
    OnnxValue v;
    v.known = walk.model.derived(node, std::move(elements));
    v.type = v.known->type;
    return walk.materialized(*this, v, false, false, name, identity_order(v.rank()));
}

Numbers OnnxCall::numbers(int i) const {
    const OnnxValue& v = in(i);
    if (!v.known) refuse(sentence("a constant ", quoted(v.name)), "a value that depends on inputs");
    Numbers all;
    if (v.known->count() > most_folded_elements)
        refuse(sentence("at most ", most_folded_elements, " numbers"), sentence(v.known->count()));
    for (long long k = 0; k < v.known->count(); ++k) {
        const double x = v.known->at(k);
        if (!(x >= -9.3e18 && x <= 9.3e18)) refuse("whole numbers", sentence(x));
        long long n = x >= 9.2e18    ? std::numeric_limits<long long>::max()
                      : x <= -9.2e18 ? std::numeric_limits<long long>::min()
                                     : static_cast<long long>(x);
        all.push_back(n);
    }
    return all;
}
long long OnnxCall::whole_number(int i) const {
    const Numbers all = numbers(i);
    if (all.size() != 1) refuse(sentence("one number ", quoted(in(i).name)), sentence(all.size()));
    return all[0];
}
Tensor OnnxCall::checked(Tensor x) const {
    const Shape s = x.shape();
    if (!few_elements(s, most_value_elements))
        refuse(sentence("at most ", most_value_elements, " elements in a value"),
               shape_text(Numbers(s.extent, s.extent + s.rank)));
    return x;
}
Numbers OnnxCall::extents(int i, bool open) const {
    Numbers all = numbers(i);
    if (all.size() > static_cast<std::size_t>(most_known_axes))
        refuse(sentence("at most ", most_known_axes, " extents"), sentence(all.size()));
    for (long long& e : all) {
        if (e < 0 && !open) refuse("extents", sentence(e));
        if (e < records_mark / 4) continue;
        if (e % records_mark != 0 || e / records_mark > most_onnx_elements)
            refuse("extents, or a multiple of the number of records", sentence(e));
        e = -(e / records_mark);
    }
    return all;
}
double OnnxCall::number(int i) const {
    const OnnxValue& v = in(i);
    if (!v.known || v.known->count() != 1)
        refuse(sentence("a constant number ", quoted(v.name)),
               v.known ? sentence(v.known->count(), " numbers") : "a value that depends on inputs");
    return v.known->at(0);
}
int OnnxCall::axis(long long given, int rank) const {
    if (given < -rank || given >= rank) refuse(sentence("an axis of ", rank), sentence(given));
    return static_cast<int>(given < 0 ? given + rank : given);
}
std::vector<int> OnnxCall::axes(int i, int rank, bool all) const {
    const Numbers given = has(i) ? numbers(i) : list("axes");
    std::vector<int> found;
    for (const long long a : given) {
        found.push_back(axis(a, rank));
        if (std::count(found.begin(), found.end(), found.back()) > 1) refuse("each axis once", sentence(a));
    }
    if (given.empty() && all)
        for (int k = 0; k < rank; ++k) found.push_back(k);
    return found;
}

void OnnxCall::give(Tensor y, int type, bool last) {
    OnnxValue v;
    v.type = type, v.tensor = y, v.last = last && y.shape().rank > 2;
    outputs.push_back(std::move(v));
}
void OnnxCall::give_empty(Numbers dims) {
    if (!folding) refuse("tensors with elements", shape_text(dims));
    Elements e;
    e.type = type(), e.dims = std::move(dims);
    give_known(std::move(e));
}
void OnnxCall::give_known(Elements elements, bool pure) {
    if (elements.dims.size() > static_cast<std::size_t>(most_known_axes))
        refuse(sentence("at most ", most_known_axes, " axes"), sentence(elements.dims.size()));
    OnnxValue v;
    v.type = elements.type, v.pure = pure;
    walk.spend(*this, elements.count());
    v.known = settled(std::move(elements));
    outputs.push_back(std::move(v));
}

// ---- constants on a tape ----

/// A bit in keys of parameters that separates statistics from weights, which may share a tensor in the file.
constexpr std::uint64_t statistics_apart = std::uint64_t{1} << 63;

Tensor OnnxWalk::materialized(OnnxCall& call, const OnnxValue& v, bool trained, bool statistic, Text name,
                              std::uint64_t order) {
    const Elements& e = *v.known;
    const Shape shape = call.shape_of(e.dims), s = permuted(shape, order);
    Tape* const tape = call.tape();
    if (call.folding) {
        const int number = static_cast<int>(bound_.size());
        bound_.push_back(v.known);
        const int leaf = tape->leaf(Operation::input, shape, static_cast<std::uint64_t>(number));
        return {permute(Variable{tape, leaf}, order)};
    }
    trained = trained && e.learnable && shape.rank > 0;
    if (!trained && !statistic && e.equal) return {expand(sigma::constant(tape, e.at(0)), s)};
    const auto key = std::pair{&e, statistic ? order | statistics_apart : order};
    if (const auto there = parameters_.find(key); there != parameters_.end()) {
        const auto number = static_cast<int>((*tape)[there->second.id].attribute);
        if (trained && !context->scope.frozen)
            context->parameters[number].trained = true;  // the earlier use did not train it
        return {there->second};
    }
    Text unique = name;
    for (int n = 2; !parameter_names_.insert(sentence(context->layers.size(), ":", unique.view())).second; ++n) {
        unique = name;
        unique.append(n);
    }
    const Tensor y = context->add_parameter(s, unique, model.initializer(v.known, order), trained);
    parameters_.emplace(key, y.variable);
    return y;
}

namespace {

double zero(const ElementIndex&, const Shape&, ElementRandom&) { return 0; }

/// Returns elements in the order of a parameter's axes.
std::vector<double> elements_in_order(const Initializer::Custom& of, const Shape& s) {
    const auto& t = static_cast<const StoredTensor&>(of);
    std::vector<double> all;
    const Elements& e = *t.elements;
    long long steps[max_rank]{}, step = 1;
    Numbers source(e.dims.size());
    for (std::size_t i = source.size(); i-- > 0;) source[i] = step, step *= e.dims[i];
    for (int i = 0; i < s.rank; ++i) steps[i] = source[static_cast<std::size_t>(t.order >> (4 * i) & 15)];
    const auto count = static_cast<std::size_t>(s.count());
    all.reserve(count);
    int at[max_rank]{};
    long long from = 0;
    for (std::size_t n = 0; n < count; ++n) {
        all.push_back(e.at(from));
        for (int i = s.rank - 1; i >= 0; --i) {
            from += steps[i];
            if (++at[i] < s[i]) break;
            from -= steps[i] * s[i], at[i] = 0;
        }
    }
    return all;
}

}  // namespace

Initializer OnnxModel::initializer(const Known& elements, std::uint64_t order) const {
    const Lock lock(mutex_);
    auto& place = stored_[{elements.get(), order}];
    if (!place) {
        place = make_owned<StoredTensor>();
        place->draw = zero;
        place->known = elements_in_order;
        place->elements = elements;
        place->order = order;
    }
    Initializer drawn;
    drawn.kind = Initializer::Kind::custom;
    drawn.custom = place.get();
    return drawn;
}

// ---- the trace ----

const std::vector<OnnxValue>* OnnxModel::folded(const format::NodeProto& node) const {
    const Lock lock(mutex_);
    const auto found = folded_.find(&node);
    return found == folded_.end() ? nullptr : &found->second;  // its address is stable
}
Known OnnxModel::derived(const format::NodeProto& node, Elements elements) const {
    const Lock lock(mutex_);
    std::vector<Known>& all = derived_[&node];
    for (const Known& each : all)
        if (each->dims == elements.dims && each->numbers == elements.numbers) return each;
    all.push_back(settled(std::move(elements)));
    return all.back();
}
void OnnxModel::keep(const format::NodeProto& node, const std::vector<OnnxValue>& results) const {
    const Lock lock(mutex_);
    folded_.emplace(&node, results);
}

const OnnxValue& OnnxWalk::value(const std::string& name) const {
    const auto here = values.find(name);
    if (here != values.end()) return here->second;
    return model.initial.at(name);
}

void OnnxWalk::spend(const OnnxCall& call, long long numbers) {
    if ((numbers_left_ -= numbers) < 0)
        call.refuse(sentence("at most ", most_folding, " constant numbers to compute during the import"),
                    "more numbers");
}
/// Returns whether the import may compute this much.
bool OnnxWalk::affordable(const Tape& tape, long long& work) const {
    for (int i = 0; i < tape.size(); ++i) {
        const Node& n = tape[i];
        if (!few_elements(n.shape, most_folded_elements)) return false;
        long long count = n.shape.count(), of_one = 1;
        if (is_product(n.operation)) of_one = tape[n.a].shape.last();
        else if (is_convolution(n.operation)) of_one = tape[n.b].shape.count();
        else if (is_pooling(n.operation)) of_one = 4096;
        else if (is_reduction(n.operation)) count = tape[n.a].shape.count();
        else if (is_block(n.operation) || n.operation == Operation::argmax)
            of_one = tape[n.a].shape.last() * (n.a >= 0 ? tape[n.a].shape.rank : 1);
        work += count * of_one;
        if (work > work_left_) return false;
    }
    for (const Loop& loop : tape.loops())
        if (loop.count > 4096) return false;
    return true;
}

bool OnnxWalk::fold(OnnxCall& call, const OnnxOperator& by) {
    Tape tape;
    call.use(tape);
    bound_.clear();
    long long work = 0;
    try {
        by.put(call);
    } catch (const NotKnown&) { return false; }
    if (!affordable(tape, work)) return false;
    work_left_ -= work;
    debugging::Bindings<double> bindings;
    for (const Known& each : bound_) {
        std::vector<double> all;
        for (long long i = 0; i < each->count(); ++i) all.push_back(each->at(i));
        bindings.inputs.push_back(std::move(all));
    }
    bound_.clear();
    const auto results = debugging::Interpreter<double>(tape, bindings, 1).run();
    for (OnnxValue& v : call.outputs) {
        if (v.known) continue;
        Elements e;
        e.type = v.type;
        e.dims = v.dims();
        Variable y = v.tensor.variable;
        e.numbers = results[static_cast<std::size_t>(y.id)];
        if (v.last) return false;
        v.known = settled(std::move(e));
        v.tensor = {};
    }
    return true;
}

Text OnnxWalk::layer_name(const format::NodeProto& node) {
    const Text name = good_name(node.name());
    if (name.size == 0) return name;
    if (layer_names_.empty())
        for (const LayerRecord& l : context->layers) layer_names_.emplace(l.name.view());
    return layer_names_.insert(sentence(context->scope.path.view(), name.view())).second ? name : Text{};
}

void OnnxWalk::put(OnnxCall& call, const OnnxOperator& by) {
    const auto operations = [&] {
        const int first = context->tape->size();
        call.use(*context->tape);
        by.put(call);
        for (int i = first; i < context->tape->size(); ++i) call.checked({{context->tape, i}});
        if (context->tape->size() > most_operations)
            call.refuse(sentence("a graph of at most ", most_operations, " operations of Sigma"), "a larger graph");
    };
    if (inside_) return operations();
    const Scope outer = context->scope;
    context->scope.name = layer_name(call.node);
    context->begin_layer(kind_of(by));
    inside_ = by.kind == OnnxOperator::Kind::nested;
    operations();
    inside_ = false;
    Flow out;
    for (const OnnxValue& v : call.outputs)
        if (!v.known && !out.full()) out.push(v.tensor);
    if (out.size() == 0) out.push(call.constant(0));
    context->end_layer(out);
    int i = 0;
    for (OnnxValue& v : call.outputs)
        if (!v.known && i < Flow::most) v.tensor = out[i++];
    context->scope = outer;
}

void OnnxWalk::step(const format::NodeProto& node) {
    const OnnxOperator& by = *find_onnx_operator(node.op_type());
    if (++steps_ > most_steps) model.refuse("", sentence("at most ", most_steps, " steps of nodes"), sentence(steps_));
    std::vector<OnnxValue> in;
    bool known = true, pure = true, weight = false, used_elsewhere = false;
    for (const std::string& name : node.input()) {
        in.push_back(name.empty() ? OnnxValue{} : value(name));
        if (name.empty()) continue;
        const OnnxValue& v = in.back();
        in.back().name = name;
        known = known && v.known;
        pure = pure && v.pure;
        weight = weight || v.weight;
        const auto use = model.uses.find(name);
        used_elsewhere = used_elsewhere || (v.weight && use != model.uses.end() && use->second > 1);
    }
    const bool folds = by.kind == OnnxOperator::Kind::layer && known && !used_elsewhere;
    const auto done = [&](std::vector<OnnxValue>& results) {
        if (static_cast<int>(results.size()) < node.output_size())
            for (int i = static_cast<int>(results.size()); i < node.output_size(); ++i)
                if (!node.output(i).empty() && model.uses.count(node.output(i)) > 0)
                    OnnxCall(*this, node, {}, false)
                        .refuse(sentence("at most ", results.size(), " used outputs"), quoted(node.output(i)));
        for (int i = 0; i < node.output_size() && i < static_cast<int>(results.size()); ++i)
            if (!node.output(i).empty()) {
                OnnxValue& v = results[static_cast<std::size_t>(i)];
                v.name = node.output(i);
                values[node.output(i)] = std::move(v);
            }
    };
    if (folds && pure)
        if (const std::vector<OnnxValue>* const before = model.folded(node)) {
            std::vector<OnnxValue> results = *before;
            return done(results);
        }
    OnnxCall call(*this, node, in, folds);
    try {
        if (by.kind == OnnxOperator::Kind::direct || (context == nullptr && by.kind == OnnxOperator::Kind::nested)) {
            by.put(call);
        } else if (folds && fold(call, by)) {
            for (OnnxValue& v : call.outputs) v.pure = pure, v.weight = weight && is_real(v.type);
            if (pure) model.keep(node, call.outputs);
        } else {
            if (context == nullptr) call.refuse("a constant", "a value that the network computes");
            OnnxCall on_tape(*this, node, std::move(in), false);
            put(on_tape, by);
            return done(on_tape.outputs);
        }
    } catch (const MistakeError& e) {
        call.refuse("a valid operation of Sigma", sentence("'", e.what(), "'"));
    } catch (const NotKnown&) { call.refuse("known extents", "the number of records"); }
    done(call.outputs);
}

void OnnxWalk::run(const format::GraphProto& graph) {
    for (const auto& node : graph.node())
        if (node.output_size() == 0 || model.ends.count(node.output(0)) == 0) step(node);
}

std::vector<OnnxValue> OnnxWalk::run_inside(const format::GraphProto& graph, std::vector<OnnxValue> in) {
    for (int i = 0; i < graph.input_size() && i < static_cast<int>(in.size()); ++i)
        values[graph.input(i).name()] = std::move(in[static_cast<std::size_t>(i)]);
    run(graph);
    std::vector<OnnxValue> out;
    for (const auto& each : graph.output()) out.push_back(value(each.name()));
    return out;
}

// ---- inputs and outputs ----

namespace {

/// Returns one record unchanged. More records become NaN, because their sum has no meaning.
Tensor of_one_record(Tensor x) {
    Tape* const tape = x.variable.tape;
    const Tensor share{reciprocal_batch(tape)};
    const Tensor one = equal(share, 1.0);
    return where(one, sum(x, axis(0)), std::numeric_limits<double>::quiet_NaN());
}

}  // namespace

void OnnxWalk::input(const OnnxModel::Input& of, Tensor given) {
    const std::string place = sentence("input ", quoted(of.name));
    const Shape s = given.shape();
    const auto refuse = [&](const char* expected) {
        model.refuse(place, expected, shape_text(Numbers(s.extent, s.extent + s.rank)));
    };
    if (s.batch_axis() != 0 || s[0] != batch) refuse("records in the first axis");
    const bool whole = model.one_record, single = of.dims.size() == (whole ? 0u : 1u);  // a record is a single number
    const int first = whole ? 0 : 1;
    Shape wanted;
    wanted.extent[wanted.rank++] = batch;
    for (std::size_t i = static_cast<std::size_t>(first); i < of.dims.size(); ++i) {
        const int here = wanted.rank < s.rank ? s[wanted.rank] : 0;
        wanted.extent[wanted.rank++] = of.dims[i] < 0 ? here : static_cast<int>(of.dims[i]);
    }
    Tensor x = given;
    if (single && s == Shape{batch, 1}) x = reshape(given, Shape{batch});
    else if (!(s == wanted)) refuse(sentence("a value of shape ", shape_text(of.dims)).c_str());
    if (whole) x = of_one_record(x);
    OnnxValue v;
    v.name = of.name, v.type = of.type, v.tensor = x;
    values[of.name] = std::move(v);
}

void OnnxWalk::add_inputs(Flow& x) {
    if (model.inputs.empty()) model.refuse("", "a graph with inputs", "constants alone");
    if (x.size() > 0) {
        if (x.size() != static_cast<int>(model.inputs.size()))
            model.refuse("", sentence(model.inputs.size(), " values, one for each input"), sentence(x.size()));
        for (int i = 0; i < x.size(); ++i) input(model.inputs[static_cast<std::size_t>(i)], x[i]);
        return;
    }
    for (const OnnxModel::Input& of : model.inputs) {
        const std::string place = sentence("input ", quoted(of.name));
        const std::size_t first = model.one_record ? 0 : 1;
        if (of.dims.size() < first)
            model.refuse(place, "records in the first axis, or an input in .fixed", "one number");
        if (of.dims.size() - first > static_cast<std::size_t>(max_rank - 1))
            model.refuse(place, "records of at most five axes", sentence(of.dims.size() - first));
        Input in(1);
        in.extents = NamedShape(1);
        if (of.dims.size() > first) {
            Shape record;
            for (std::size_t i = first; i < of.dims.size(); ++i) {
                if (of.dims[i] < 0)
                    model.refuse(
                        place, "known extents (set open axes by .sizes)",
                        sentence("an unknown extent of axis ", i, of.open[i].empty() ? "" : " " + quoted(of.open[i]),
                                 ": write .sizes = {{\"", of.name, "\", ", i, ", EXTENT}}"));
                record.extent[record.rank++] = static_cast<int>(of.dims[i]);
            }
            if (!few_elements(record, most_onnx_elements))
                model.refuse(place, sentence("at most ", most_onnx_elements, " elements in a record"),
                             shape_text(of.dims));
            in.extents.numbers = record;
        }
        Flow one;
        const Scope outer = context->scope;
        context->scope.name = good_name(of.name);
        in.trace(*context, one);
        context->scope = outer;
        input(of, one[0]);
    }
}

std::vector<Tensor> OnnxWalk::take_outputs() {
    std::vector<Tensor> all;
    for (const std::string& name : model.outputs) {
        const auto end = model.ends.find(name);
        OnnxValue v = value(end == model.ends.end() ? name : end->second);
        const std::string place = sentence("output ", quoted(name));
        if (v.known || v.tensor.variable.tape == nullptr)
            model.refuse(place, "a value that depends on an input", "a constant");
        Variable y = v.tensor.variable;
        if (v.last) y = permute(y, channels_second(v.rank()));
        const Shape s = y.shape();
        if (model.one_record) {
            if (s.rank >= max_rank) model.refuse(place, "at most five axes", sentence(s.rank));
            y = expand(y, s.rank == 0 ? Shape{batch, 1} : s.inserted(0, batch));
        } else if (s.batch_axis() != 0 || s[0] != batch) {
            model.refuse(place, "records in the first axis", shape_text(Numbers(s.extent, s.extent + s.rank)));
        }
        all.push_back({y});
    }
    return all;
}

std::vector<Tensor> OnnxModel::outputs_of(Context& context, Flow& x) const {
    OnnxWalk walk(*this, context);
    const Scope outer = context.scope;
    walk.add_inputs(x);
    walk.run(model.graph());
    const std::vector<Tensor> all = walk.take_outputs();
    context.scope = outer;
    return all;
}
void OnnxModel::walk(Context& context, Flow& x) const {
    if (outputs.size() > static_cast<std::size_t>(Flow::most))
        refuse("", sentence("at most ", Flow::most, " outputs if other layers follow, chosen by .outputs"),
               sentence(outputs.size()));
    const std::vector<Tensor> all = outputs_of(context, x);
    x.clear();
    for (const Tensor& y : all) x.push(y);
}
std::vector<OnnxValue> OnnxModel::known_outputs() const {
    OnnxWalk walk(*this);
    walk.run(model.graph());
    std::vector<OnnxValue> all;
    for (const std::string& name : outputs) all.push_back(walk.value(name));
    return all;
}

// ---- networks ----

namespace {

/// A graph that predicts each of its outputs, with the names of outputs that are valid names.
struct WholeGraph : Layer, Several {
    NoLoss each;
    SharedOwner<const OnnxModel> model;

    void trace(Context& context, Flow& x) const {
        const std::vector<Tensor> all = model->outputs_of(context, x);
        for (std::size_t i = 0; i < all.size(); ++i) {
            const Scope outer = context.scope;
            context.scope.cost = good_name(model->outputs[i]);
            Flow one = all[i];
            trace_loss(each, context, one);
            context.scope = outer;
        }
        x.clear();
    }
    void each_loss(auto f) const {
        for (std::size_t i = 0; i < model->outputs.size(); ++i) f(LossView<NoLoss>{each});
    }
};

}  // namespace

DynamicNetwork onnx_network(const OnnxGraph& graph) {
    WholeGraph whole;
    whole.model = graph.model_;
    return network(Layers(whole));
}
OnnxImport before_loss(OnnxImport how, std::string_view loss) {
    if (loss.starts_with("softmax") || loss == "kl_divergence" || loss == "binary_ce") how.last_activation = false;
    return how;
}

}  // namespace sigma::detail
