// SPDX-License-Identifier: BSL-1.0
#include <sigma/sigma.hpp>

#include "import.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sigma::detail {

namespace {

long long product(const Numbers& dims, std::size_t first, std::size_t end) {
    long long n = 1;
    for (std::size_t i = first; i < end; ++i) {
        n *= dims[i] < 0 ? -dims[i] : dims[i];
        if (n > most_onnx_elements) return most_onnx_elements + 1;
    }
    return n;
}
bool has_records(const Numbers& dims, std::size_t first, std::size_t end) {
    return std::any_of(dims.begin() + static_cast<std::ptrdiff_t>(first),
                       dims.begin() + static_cast<std::ptrdiff_t>(end), [](long long d) { return d < 0; });
}
long long merged(const Numbers& dims, std::size_t first, std::size_t end) {
    const long long n = product(dims, first, end);
    return has_records(dims, first, end) ? -n : n;
}

// ---- operators on values of the graph ----

/// Imports Identity. A weight becomes a weight of its own: PyTorch's exporter stores equal tensors once and writes the
/// others as Identity. Tensors that layers share have one name.
void identity(OnnxCall& c) {
    OnnxValue v = c.in(0);
    if (v.known && v.weight) v.known = c.walk.model.derived(c.node, *v.known);
    c.give_value(std::move(v));
}

void constant_node(OnnxCall& c) {
    Elements e;
    if (const auto* const a = c.attribute("value")) {
        const auto found = c.walk.model.constants.find(&a->t());
        if (found == c.walk.model.constants.end()) c.refuse("a tensor", "no tensor");
        OnnxValue v;
        v.known = found->second, v.type = v.known->type;
        return c.give_value(std::move(v));
    }
    if (const auto* const f = c.attribute("value_float")) e.type = OnnxType::FLOAT, e.numbers = {f->f()};
    else if (const auto* const i = c.attribute("value_int"))
        e.type = OnnxType::INT64, e.numbers = {static_cast<double>(i->i())};
    else if (const auto* const fs = c.attribute("value_floats"))
        e.type = OnnxType::FLOAT, e.numbers.assign(fs->floats().begin(), fs->floats().end()),
        e.dims = {fs->floats_size()};
    else if (const auto* const is = c.attribute("value_ints")) {
        e.type = OnnxType::INT64, e.dims = {is->ints_size()};
        for (const auto x : is->ints()) e.numbers.push_back(static_cast<double>(x));
    } else c.refuse("a constant of numbers", "texts or a sparse tensor");
    c.give_known(std::move(e));
}

void shape(OnnxCall& c) {
    const Numbers dims = c.in(0).dims();
    const auto rank = static_cast<long long>(dims.size());
    const auto at = [&](const char* name, long long otherwise) {
        const long long i = c.whole(name, otherwise);
        return std::clamp(i < 0 ? i + rank : i, 0ll, rank);
    };
    Elements e;
    e.type = OnnxType::INT64;
    for (long long i = at("start", 0); i < at("end", rank); ++i) {
        const long long d = dims[static_cast<std::size_t>(i)];
        e.numbers.push_back(static_cast<double>(d < 0 ? -d * records_mark : d));
    }
    e.dims = {static_cast<long long>(e.numbers.size())};
    c.give_known(std::move(e), c.in(0).known != nullptr && c.in(0).pure);
}
void size(OnnxCall& c) {
    const Numbers dims = c.in(0).dims();
    Elements e;
    e.type = OnnxType::INT64;
    const auto n = static_cast<double>(c.in(0).known ? c.in(0).known->count() : product(dims, 0, dims.size()));
    e.numbers = {has_records(dims, 0, dims.size()) ? n * static_cast<double>(records_mark) : n};
    c.give_known(std::move(e), c.in(0).known != nullptr && c.in(0).pure);
}
// ---- reshapes ----

void give_reshaped(OnnxCall& c, const Numbers& dims) { c.give(reshape(c.passed(0), c.shape_of(dims))); }

void reshape_to(OnnxCall& c) {
    const Numbers from = c.in(0).dims();
    Numbers to = c.has(1) ? c.extents(1, true) : c.list("shape");
    const bool zero = c.whole("allowzero", 0) != 0;
    // Read before records have their sign: -1 means an extent that follows from the others.
    const Numbers extents = c.has(1) ? c.numbers(1) : to;
    const long long file_batch = c.walk.model.file_batch;
    int open = -1;
    for (std::size_t i = 0; i < to.size(); ++i) {
        if (extents[i] == -1) {
            if (open >= 0) c.refuse("one extent of -1", "two extents of -1");
            open = static_cast<int>(i);
            to[i] = 1;
        } else if (extents[i] < -1) c.refuse("extents", sentence(extents[i]));
        else if (extents[i] == 0 && !zero) {
            if (i >= from.size()) c.refuse("as many axes as are copied", sentence(from.size()));
            to[i] = from[i];
        }
    }
    const bool records = has_records(from, 0, from.size());
    if (records && !has_records(to, 0, to.size()) && !to.empty() && from[0] < 0 && to[0] == file_batch && open != 0 &&
        (open > 0 || product(to, 1, to.size()) == product(from, 1, from.size())))
        to[0] = from[0];
    if (open >= 0) {
        const long long all = product(from, 0, from.size()), others = product(to, 0, to.size());
        if (others == 0 || all % others != 0) c.refuse("extents that divide the elements", shape_text(extents));
        const long long rest = all / others;
        to[static_cast<std::size_t>(open)] = records && !has_records(to, 0, to.size()) ? -rest : rest;
    }
    if (product(from, 0, from.size()) == 0) return c.give_empty(to);
    give_reshaped(c, to);
}
void flatten(OnnxCall& c) {
    const Numbers d = c.in(0).dims();
    const long long given = c.whole("axis", 1), rank = static_cast<long long>(d.size());
    if (given < -rank || given > rank) c.refuse(sentence("an axis of ", rank), sentence(given));
    const auto at = static_cast<std::size_t>(given < 0 ? given + rank : given);
    give_reshaped(c, {merged(d, 0, at), merged(d, at, d.size())});
}
void squeeze(OnnxCall& c) {
    const Numbers d = c.in(0).dims();
    std::vector<int> out = c.axes(1, static_cast<int>(d.size()), false);
    if (out.empty())
        for (std::size_t i = 0; i < d.size(); ++i)
            if (d[i] == 1) out.push_back(static_cast<int>(i));
    Numbers to;
    for (std::size_t i = 0; i < d.size(); ++i) {
        const bool gone = std::count(out.begin(), out.end(), static_cast<int>(i)) > 0;
        if (gone && d[i] != 1) c.refuse("an extent of 1", sentence(d[i]));
        if (!gone) to.push_back(d[i]);
    }
    give_reshaped(c, to);
}
void unsqueeze(OnnxCall& c) {
    const Numbers d = c.in(0).dims();
    const Numbers given = c.has(1) ? c.numbers(1) : c.list("axes");
    const int rank = static_cast<int>(std::min<std::size_t>(d.size() + given.size(), 16));
    const std::vector<int> in = c.axes(1, rank, false);
    Numbers to;
    std::size_t next = 0;
    for (int i = 0; i < rank; ++i) {
        if (std::count(in.begin(), in.end(), i) > 0) to.push_back(1);
        else if (next < d.size()) to.push_back(d[next++]);
    }
    if (product(d, 0, d.size()) == 0) return c.give_empty(to);
    give_reshaped(c, to);
}
void transpose_axes(OnnxCall& c) {
    const int rank = c.rank(0);
    Numbers given = c.list("perm");
    if (given.empty())
        for (int i = rank - 1; i >= 0; --i) given.push_back(i);
    if (static_cast<int>(given.size()) != rank) c.refuse(sentence(rank, " axes"), sentence(given.size()));
    Shape order;
    c.shape(0);  // throws if there are too many axes
    for (const long long a : given) order.extent[order.rank++] = c.axis(a, rank);
    c.give(permute(c.passed(0), order));
}

// ---- slices and concatenations ----

int axis_of_last(int axis, int rank) { return axis == 0 ? 0 : axis == 1 ? rank - 1 : axis - 1; }

void join(OnnxCall& c) {
    const int rank = c.rank(0);
    const auto* const a = c.attribute("axis");
    const int along = c.axis(a ? a->i() : 1, rank);
    bool last = false;
    for (const OnnxValue& v : c.inputs) last = last || v.last;
    Tensor all{};
    bool any = false;
    Numbers dims = c.in(0).dims();
    for (int i = 0; i < static_cast<int>(c.inputs.size()); ++i) {
        const OnnxValue& v = c.in(i);
        if (v.rank() != rank) c.refuse(sentence(rank, " axes"), sentence(v.rank()));
        if (v.known && v.known->count() == 0) continue;
        const Tensor x = last ? c.images(i) : c.passed(i);
        if (any)
            c.require(all.shape()[last ? axis_of_last(along, rank) : along] < (1 << 29), "less than 536870912 elements",
                      "more elements");
        all = any ? concatenate(axis(last ? axis_of_last(along, rank) : along), all, x) : x;
        any = true;
    }
    if (!any) return c.give_empty(dims);
    c.give(all, c.type(), last);
}

/// Returns `count` elements from `first`, with a step.
Tensor picked(OnnxCall& c, Tensor x, int along, long long first, long long step, long long count) {
    const int from = static_cast<int>(first), n = static_cast<int>(count);
    if (step == 1 || n == 1) return slice(x, axis(along), from, from + n);
    const Tensor numbers = iota_beside(x, n);
    const Tensor at = static_cast<double>(step) * numbers + static_cast<double>(first);
    static_cast<void>(c);
    return gather(x, {reshape(at.variable, all_ones(x.shape()).with(along, n))}, axis(along));
}
void slices(OnnxCall& c) {
    const bool by_input = c.has(1);
    const Numbers starts = by_input ? c.numbers(1) : c.list("starts"), ends = by_input ? c.numbers(2) : c.list("ends");
    Numbers along = c.has(3) ? c.numbers(3) : c.list("axes"), steps;
    if (c.has(4)) steps = c.numbers(4);
    Numbers dims = c.in(0).dims();
    const int rank = static_cast<int>(dims.size());
    for (std::size_t i = 0; along.size() < starts.size() && !c.has(3) && c.attribute("axes") == nullptr; ++i)
        along.push_back(static_cast<long long>(i));
    if (ends.size() != starts.size() || along.size() != starts.size() ||
        (!steps.empty() && steps.size() != starts.size()))
        c.refuse("as many starts as ends, axes and steps", sentence(starts.size()));
    struct Part {
        int axis;
        long long first, step, count;
    };
    std::vector<Part> parts;
    for (std::size_t i = 0; i < starts.size(); ++i) {
        const int at = c.axis(along[i], rank);
        const long long n = dims[static_cast<std::size_t>(at)], step = steps.empty() ? 1 : steps[i];
        if (step == 0) c.refuse("steps that are not 0", "0");
        if (n < 0) {
            if (starts[i] != 0 || step != 1 || ends[i] < records_mark / 4)
                c.refuse("all records", sentence("records ", starts[i], " to ", ends[i]));
            continue;
        }
        const auto placed = [&](long long x) { return x < 0 ? (x < -n ? -1 : x + n) : x; };
        long long first = starts[i] < -n ? (step > 0 ? 0 : -1) : placed(starts[i]);
        long long end = ends[i] < -n ? (step > 0 ? 0 : -1) : placed(ends[i]);
        first = step > 0 ? std::clamp(first, 0ll, n) : std::clamp(first, -1ll, n - 1);
        end = step > 0 ? std::clamp(end, 0ll, n) : std::clamp(end, -1ll, n - 1);
        const long long length = step > 0 ? end - first : first - end;
        const long long stride = step > 0 ? step : step == std::numeric_limits<long long>::min() ? n : -step;
        const long long count = length <= 0 ? 0 : 1 + (length - 1) / stride;
        dims[static_cast<std::size_t>(at)] = count;
        parts.push_back({at, first, std::clamp(step, -n, n), count});
    }
    if (product(dims, 0, dims.size()) == 0) return c.give_empty(dims);
    Tensor y = c.passed(0);
    for (const Part& p : parts) y = picked(c, y, p.axis, p.first, p.step, p.count);
    c.give(y);
}
void split(OnnxCall& c) {
    const Numbers dims = c.in(0).dims();
    const int at = c.axis(c.whole("axis", 0), static_cast<int>(dims.size()));
    const long long n = dims[static_cast<std::size_t>(at)], parts = c.whole("num_outputs", c.node.output_size());
    Numbers lengths = c.has(1) ? c.numbers(1) : c.list("split");
    if (n < 0) c.refuse("an axis that does not count records", sentence(at));
    if (lengths.empty()) {
        if (parts < 1 || parts != c.node.output_size())
            c.refuse(sentence("num_outputs equal to the number of outputs, ", c.node.output_size()), sentence(parts));
        const long long each = (n + parts - 1) / parts, rest = n - each * (parts - 1);
        if (c.opset() < 18 ? n % parts != 0 : rest < 0)
            c.refuse(sentence("an extent that ", parts, " divides"), sentence(n));
        lengths.assign(static_cast<std::size_t>(parts), each);
        lengths.back() = rest;  // from set 18 the last part may be smaller
    }
    long long first = 0;
    for (const long long length : lengths) {
        if (length < 0 || length > n - first) c.refuse(sentence("parts of ", n), sentence("a part of ", length));
        Numbers part = dims;
        part[static_cast<std::size_t>(at)] = length;
        if (length == 0) {
            c.give_empty(part);
            continue;
        }
        c.give(slice(c.passed(0), axis(at), static_cast<int>(first), static_cast<int>(first + length)));
        first += length;
    }
    if (first != n) c.refuse(sentence("parts of ", n, " together"), sentence(first));
}

// ---- padding and repetition ----

void expand_to(OnnxCall& c) {
    Numbers from = c.in(0).dims(), to = c.extents(1);
    const std::size_t rank = std::max(from.size(), to.size());
    if (rank > 6) c.refuse("at most 6 axes", sentence(rank));
    from.insert(from.begin(), rank - from.size(), 1), to.insert(to.begin(), rank - to.size(), 1);
    for (std::size_t i = 0; i < rank; ++i) {
        const bool batch_of_file = i == 0 && from[i] < 0 && to[i] == c.walk.model.file_batch;
        if (to[i] == 1 || batch_of_file) to[i] = from[i];
        else if (from[i] != 1 && from[i] != to[i]) c.refuse("shapes that broadcast", shape_text(to));
    }
    c.give(broadcast_to(c.passed(0), c.shape_of(to)));
}
void tile(OnnxCall& c) {
    const Numbers repeats = c.extents(1);
    Numbers dims = c.in(0).dims();
    if (repeats.size() != dims.size()) c.refuse(sentence(dims.size(), " repeats"), sentence(repeats.size()));
    Tensor y = c.passed(0);
    for (std::size_t i = 0; i < dims.size(); ++i) {
        if (repeats[i] == 1) continue;
        if (repeats[i] == 0) c.refuse("repeats that are not 0", "0");
        const long long front = merged(dims, 0, i), back = merged(dims, i, dims.size());
        const Tensor three = reshape(y, c.shape_of({front, 1, back}));
        const Tensor more = broadcast_to(three, c.shape_of({front, repeats[i], back}));
        if (dims[i] < 0 && repeats[i] < 0) c.refuse("records in one axis", "in two");
        dims[i] *= repeats[i];
        y = reshape(more, c.shape_of(dims));
    }
    c.give(y);
}
/// Pads an axis periodically.
Tensor wrapped(OnnxCall& c, Tensor x, int along, int before, int after) {
    const int n = x.shape()[along];
    if (n < 0) c.refuse("an axis that does not count records", sentence(along));
    Elements at;
    at.type = OnnxType::INT64;
    at.dims.assign(static_cast<std::size_t>(x.shape().rank), 1);
    at.dims[static_cast<std::size_t>(along)] = before + n + after;
    for (int i = -before; i < n + after; ++i) at.numbers.push_back(i % n < 0 ? i % n + n : i % n);
    return gather(x, c.table(std::move(at), "positions"), axis(along));
}
void pads(OnnxCall& c) {
    Numbers given = c.has(1) ? c.numbers(1) : c.list("pads");
    Numbers dims = c.in(0).dims();
    const std::size_t rank = dims.size();
    if (c.has(3)) {
        const std::vector<int> at = c.axes(3, static_cast<int>(rank), false);
        if (given.size() != 2 * at.size()) c.refuse(sentence(2 * at.size(), " pads"), sentence(given.size()));
        Numbers all(2 * rank);
        for (std::size_t i = 0; i < at.size(); ++i) {
            const auto to = static_cast<std::size_t>(at[i]);
            all[to] = given[i], all[to + rank] = given[i + at.size()];
        }
        given = all;
    }
    if (given.size() != 2 * rank) c.refuse(sentence(2 * rank, " pads"), sentence(given.size()));
    const std::string mode = c.text("mode", "constant");
    const double value = c.has(2) ? c.number(2) : c.real("value", 0);
    Tensor y = c.passed(0);
    for (std::size_t i = 0; i < rank; ++i) {
        const int at = static_cast<int>(i);
        int before = c.in_bounds("pads", given[i], -(1 << 20), mode == "constant" ? 1 << 20 : 4096);
        int after = c.in_bounds("pads", given[i + rank], -(1 << 20), mode == "constant" ? 1 << 20 : 4096);
        if (before == 0 && after == 0) continue;
        const int n = y.shape()[at];
        if (before < 0 || after < 0) {
            const int first = std::max(-before, 0), end = n - std::max(-after, 0);
            if (n < 0 || first >= end) c.refuse("elements that stay", sentence(n));
            y = slice(y, axis(at), first, end);
            before = std::max(before, 0), after = std::max(after, 0);
        }
        if (mode == "constant") y = pad(y, axis(at), before, after, value);
        else if (mode == "edge") y = pad(y, axis(at), before, after, PadMode::edge);
        else if (mode == "reflect") y = pad(y, axis(at), before, after, PadMode::reflect);
        else if (mode == "wrap") y = wrapped(c, y, at, before, after);
        else c.refuse("mode constant, edge, reflect or wrap", mode);
        c.checked(y);
    }
    c.give(y);
}
/// Crops each axis to its middle, or pads it with zeros on both sides.
void crop_or_pad(OnnxCall& c) {
    const Numbers to = c.extents(1), dims = c.in(0).dims();
    std::vector<int> at;
    for (const long long a : c.list("axes")) at.push_back(c.axis(a, static_cast<int>(dims.size())));
    if (c.attribute("axes") == nullptr)
        for (std::size_t i = 0; i < dims.size(); ++i) at.push_back(static_cast<int>(i));
    if (at.size() != to.size()) c.refuse(sentence(at.size(), " extents"), sentence(to.size()));
    Tensor y = c.x(0);
    for (std::size_t i = 0; i < at.size(); ++i) {
        const long long n = y.shape()[at[i]];
        if (n == to[i]) continue;
        if (n < 0) c.refuse("as many records as before", sentence(to[i]));
        const int wanted = c.in_bounds("extents", to[i], 1, most_folded_elements);
        const int more = wanted - static_cast<int>(n), first = -more / 2;
        y = more < 0 ? slice(y, axis(at[i]), first, first + wanted)
                     : zero_pad(y, axis(at[i]), more / 2, more - more / 2);
        c.checked(y);
    }
    c.give(y);
}
void constant_of_shape(OnnxCall& c) {
    const Numbers to = c.extents(0);
    double value = 0;
    int type = OnnxType::FLOAT;
    if (const auto* const a = c.attribute("value")) {
        const auto found = c.walk.model.constants.find(&a->t());
        if (found == c.walk.model.constants.end() || found->second->count() != 1)
            c.refuse("one number", "a tensor with several elements");
        value = found->second->at(0), type = found->second->type;
    }
    if (product(to, 0, to.size()) == 0) {
        Elements e;
        e.type = type, e.dims = to;
        return c.give_known(std::move(e));
    }
    c.give({expand(c.constant(value).variable, c.shape_of(to))}, type);
}
void range(OnnxCall& c) {
    const double first = c.number(0), limit = c.number(1), step = c.number(2);
    const double count = std::ceil((limit - first) / step);
    if (!(count <= static_cast<double>(most_folded_elements)))
        c.refuse(sentence("at most ", most_folded_elements, " numbers"), sentence(count));
    Elements e;
    e.type = c.type(0);
    for (double i = 0; i < count; ++i) e.numbers.push_back(first + i * step);
    e.dims = {static_cast<long long>(e.numbers.size())};
    c.give_known(std::move(e));
}
/// Gives Σ weight[k]·cos(2πki / n) with alternating signs: the windows of Hann, Hamming and Blackman.
void window(OnnxCall& c, double first, double second, double third) {
    const long long count = c.in_bounds("size", c.whole_number(0), 1, most_folded_elements);
    const auto n = static_cast<double>(c.whole("periodic", 1) != 0 ? count : std::max(count - 1, 1ll));
    Elements e;
    e.type = static_cast<int>(c.whole("output_datatype", OnnxType::FLOAT) & 255), e.dims = {count};
    if (type_size(e.type) == 0) c.refuse("numbers", type_name(e.type));
    for (long long i = 0; i < count; ++i) {
        const double angle = 6.283185307179586 * static_cast<double>(i) / n;
        e.numbers.push_back(first - second * std::cos(angle) + third * std::cos(2 * angle));
    }
    c.give_known(std::move(e));
}
void hann(OnnxCall& c) { window(c, 0.5, 0.5, 0); }
void hamming(OnnxCall& c) { window(c, 25.0 / 46, 21.0 / 46, 0); }
void blackman(OnnxCall& c) { window(c, 0.42, 0.5, 0.08); }
/// Returns a matrix with 1 if the column exceeds the row by at least `shift`, else 0.
Tensor beyond(OnnxCall& c, int rows, int columns, double shift) {
    const Tensor column = iota_beside(c.constant(0), columns);
    const Tensor row = reshape(iota_beside(c.constant(0), rows), {rows, 1});
    return column - row >= shift;
}
void eye_like(OnnxCall& c) {
    const Shape s = c.shape(0);
    if (s.rank != 2 || s.batched()) c.refuse("a matrix of known extents", shape_text(c.in(0).dims()));
    const double k = c.small("k", 0, -(1 << 20), 1 << 20);
    const Tensor first = beyond(c, s[0], s[1], k), second = beyond(c, s[0], s[1], k + 1);
    c.give(first - second, c.attribute("dtype") ? static_cast<int>(c.whole("dtype", 1) & 255) : c.type());
}
void triangle(OnnxCall& c) {
    const Tensor x = c.passed(0);
    const Shape s = x.shape();
    if (s.rank < 2 || s[s.rank - 2] < 0 || s.last() < 0) c.refuse("matrices", shape_text(c.in(0).dims()));
    const bool upper = c.whole("upper", 1) != 0;
    const double k = c.has(1) ? c.number(1) : 0;
    const Tensor high = beyond(c, s[s.rank - 2], s.last(), upper ? k : k + 1);
    c.give(upper ? where(high, x, 0.0) : where(high, 0.0, x));
}
void depth_to_space(OnnxCall& c) {
    const Shape s = c.shape(0);
    const int b = c.small("blocksize", 1, 1, 1 << 12);
    if (s.rank != 4 || s[1] < 0 || s[1] % (b * b) != 0)
        c.refuse("images of channels that blocks divide", shape_text(c.in(0).dims()));
    const int channels = s[1] / (b * b);
    const bool rows = c.text("mode", "DCR") == "CRD";
    const Tensor x = c.x(0);
    const Tensor six = rows ? permute(reshape(x, {s[0], channels, b, b, s[2], s[3]}), {0, 1, 4, 2, 5, 3})
                            : permute(reshape(x, {s[0], b, b, channels, s[2], s[3]}), {0, 3, 4, 1, 5, 2});
    c.give(
        reshape(six, c.shape_of({s[0], channels, static_cast<long long>(s[2]) * b, static_cast<long long>(s[3]) * b})));
}
void space_to_depth(OnnxCall& c) {
    const Shape s = c.shape(0);
    const int b = c.small("blocksize", 1, 1, 1 << 12);
    if (s.rank != 4 || s[2] < 0 || s[3] < 0 || s[2] % b != 0 || s[3] % b != 0)
        c.refuse("images that blocks divide", shape_text(c.in(0).dims()));
    const Tensor six = reshape(c.x(0), c.shape_of({s[0], s[1], s[2] / b, b, s[3] / b, b}));
    c.give(reshape(permute(six, {0, 3, 5, 1, 2, 4}),
                   c.shape_of({s[0], static_cast<long long>(s[1]) * b * b, s[2] / b, s[3] / b})));
}

constexpr auto direct = OnnxOperator::Kind::direct;
constexpr OnnxOperator rows[] = {
    {"Identity", identity, direct},
    {"Constant", constant_node, direct},
    {"Shape", shape, direct},
    {"Size", size, direct},
    {"Reshape", reshape_to},
    {"Flatten", flatten},
    {"Squeeze", squeeze},
    {"Unsqueeze", unsqueeze},
    {"Transpose", transpose_axes},
    {"Concat", join},
    {"Slice", slices},
    {"Split", split},
    {"Expand", expand_to},
    {"Tile", tile},
    {"Pad", pads},
    {"CenterCropPad", crop_or_pad},
    {"ConstantOfShape", constant_of_shape},
    {"Range", range},
    {"HannWindow", hann},
    {"HammingWindow", hamming},
    {"BlackmanWindow", blackman},
    {"EyeLike", eye_like},
    {"Trilu", triangle},
    {"DepthToSpace", depth_to_space},
    {"SpaceToDepth", space_to_depth},
};

}  // namespace

std::span<const OnnxOperator> onnx_shapes() { return rows; }

}  // namespace sigma::detail
