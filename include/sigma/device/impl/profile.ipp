// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/error.hpp>
#include <sigma/core/number_text.hpp>
#include <sigma/core/version.hpp>
#include <sigma/device/profile.hpp>
#include <sigma/storage/json.hpp>
#include <sigma/storage/workspace.hpp>

#include <algorithm>
#include <cmath>
#include <span>

namespace sigma {

namespace detail {

/// Returns a number with three digits and a unit of a thousand: "12.3 us", "4.00 MB".
SIGMA_IMPL std::string with_unit(double x, std::initializer_list<const char*> units, double smallest) {
    if (!(x > 0)) return sentence("0 ", *units.begin());
    double scaled = x / smallest;
    auto unit = units.begin();
    while (scaled >= 999.5 && unit + 1 != units.end()) scaled /= 1000, ++unit;
    return fixed_text(scaled, scaled < 9.995 ? 2 : scaled < 99.95 ? 1 : 0) + " " + *unit;
}
SIGMA_IMPL std::string time_text(double seconds) { return with_unit(seconds, {"ns", "us", "ms", "s"}, 1e-9); }
SIGMA_IMPL std::string bytes_text(double bytes) { return with_unit(bytes, {"B", "kB", "MB", "GB", "TB"}, 1); }
SIGMA_IMPL std::string count_text(double count) {
    std::string text = with_unit(count, {"", "k", "M", "G", "T"}, 1);
    if (count < 999.5) text = fixed_text(count, 0);
    while (text.ends_with(' ')) text.pop_back();
    return text;
}
SIGMA_IMPL std::string percent_text(double share) {
    return std::isnan(share) ? "-" : fixed_text(100 * share, 1) + " %";
}
/// Returns a number, or "-" for 0: such a kernel has no work of this kind.
SIGMA_IMPL std::string or_dash(double x, std::string text) { return x > 0 ? std::move(text) : "-"; }

/// Returns the number of characters of a text in UTF-8.
SIGMA_IMPL std::size_t characters_of(const std::string& text) {
    return static_cast<std::size_t>(
        std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

/// Rows of cells as text. Columns from `numbers` on are aligned to the right.
class ProfileTable {
public:
    explicit ProfileTable(std::size_t numbers) : numbers_(numbers) {}
    void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
    std::string text() const {
        std::vector<std::size_t> widths(rows_[0].size(), 0);
        for (const auto& row : rows_)
            for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], characters_of(row[c]));
        std::string text;
        for (const auto& row : rows_) {
            std::string line;
            for (std::size_t c = 0; c < row.size(); ++c) {
                const std::string blanks(widths[c] - characters_of(row[c]), ' ');
                line += "  ";
                line += c < numbers_ ? row[c] + blanks : blanks + row[c];
            }
            while (line.ends_with(' ')) line.pop_back();
            text += line + "\n";
        }
        return text;
    }

private:
    std::size_t numbers_;
    std::vector<std::vector<std::string>> rows_{};
};

SIGMA_IMPL std::string loop_text(const ProfiledLoop& loop) {
    std::string text = sentence("trainer '", loop.trainer, "': ", loop.iterations, " iterations, ",
                                time_text(loop.seconds), " each; timed: ", loop.timed, "\n");
    ProfileTable table(1);
    table.add({"part", "calls", "time a call", "share"});
    for (const ProfileRow& row : loop.rows)
        table.add({row.kernel, sentence(row.calls), time_text(row.seconds_per_call()), percent_text(row.share)});
    return text + table.text() + "\n";
}

SIGMA_IMPL std::string layers_text(const ProfiledProgram& program) {
    struct LayerTimes {
        const ProfileRow* row;
        double parts[3]{};
    };
    const std::vector<ProfileRow> rows = program.by_layer();
    constexpr std::string_view parts[] = {"forward", "backward", "update"};
    std::vector<LayerTimes> layers;
    for (const ProfileRow& row : rows) layers.push_back({&row});
    for (const ProfileRow& row : program.rows)
        for (LayerTimes& l : layers)
            for (std::size_t i = 0; i < 3; ++i)
                if (l.row->layer == row.layer && row.part == parts[i])
                    l.parts[i] += row.seconds / static_cast<double>(program.runs);
    ProfileTable table(1);
    table.add({"layer", "forward", "backward", "update", "share"});
    const auto time = [](double seconds) { return or_dash(seconds, time_text(seconds)); };
    for (const LayerTimes& l : layers)
        table.add({l.row->layer.empty() ? "-" : l.row->layer, time(l.parts[0]), time(l.parts[1]), time(l.parts[2]),
                   percent_text(l.row->share)});
    return table.text() + "\n";
}

SIGMA_IMPL std::string program_text(const ProfiledProgram& program, std::size_t most) {
    std::string text = sentence(program.name, " on ", program.device, ", ", program.threads,
                                program.threads == 1 ? " thread" : " threads");
    if (program.device == "cpu") text += program.fused ? ", fused kernels" : ", interpreted kernels";
    text += sentence(", ", program.launches, program.launches == 1 ? " launch" : " launches", " a run: ", program.runs,
                     program.runs == 1 ? " run of " : " runs of ", rounded_text(program.records), " records, ",
                     time_text(program.seconds), " each; timed: ", program.timed);
    if (program.threads > 1) text += "; threads busy: " + percent_text(program.busy);
    text += "\n";
    const bool layers = std::ranges::any_of(program.rows, [](const ProfileRow& row) { return !row.layer.empty(); });
    if (layers) text += layers_text(program);
    std::vector<const ProfileRow*> sorted;
    for (const ProfileRow& row : program.rows) sorted.push_back(&row);
    std::ranges::sort(sorted,
                      [](auto* a, auto* b) { return a->seconds != b->seconds ? a->seconds > b->seconds : a < b; });
    const std::size_t shown = most == 0 ? sorted.size() : std::min(most, sorted.size());
    ProfileTable table(4);
    table.add({"kernel", "layer", "part", "operation", "calls", "time a call", "share", "bytes", "GB/s",
               "multiply-adds", "GFLOP/s", "of peak"});
    const auto dash = [](const std::string& name) { return name.empty() ? std::string("-") : name; };
    for (std::size_t i = 0; i < shown; ++i) {
        const ProfileRow& row = *sorted[i];
        const double calls = std::max(static_cast<double>(row.calls), 1.0);
        table.add({sentence(row.number), dash(row.layer), dash(row.part), row.kernel, sentence(row.calls),
                   time_text(row.seconds_per_call()), percent_text(row.share),
                   or_dash(row.bytes, bytes_text(row.bytes / calls)),
                   or_dash(row.bytes, fixed_text(1e-9 * row.bytes_per_second(), 1)),
                   or_dash(row.multiply_adds, count_text(row.multiply_adds / calls)),
                   or_dash(row.operations_per_second(), fixed_text(1e-9 * row.operations_per_second(), 1)),
                   percent_text(row.share_of_peak)});
    }
    text += table.text();
    if (shown < sorted.size()) {
        double rest = 0;
        for (std::size_t i = shown; i < sorted.size(); ++i) rest += sorted[i]->share;
        text += sentence("  ", sorted.size() - shown, " more kernels: ", percent_text(rest), "\n");
    }
    return text + "\n";
}

/// Appends a number, or nothing that JSON lacks.
SIGMA_IMPL void append_json_number(std::string& to, double x) { append_exact(to, std::isfinite(x) ? x : 0.0); }

}  // namespace detail

SIGMA_IMPL std::vector<ProfileRow> ProfiledProgram::by_layer() const {
    std::vector<ProfileRow> layers;
    for (const ProfileRow& row : rows) {
        auto found = std::ranges::find_if(layers, [&](const ProfileRow& l) { return l.layer == row.layer; });
        if (found == layers.end()) {
            found = layers.insert(layers.end(), ProfileRow{});
            found->layer = row.layer;
            found->layer_number = row.layer_number;
            found->share_of_peak = 0;
        }
        // The least times of the kernels are added up. One without a peak leaves its layer without one.
        found->share_of_peak += row.seconds > 0 ? row.share_of_peak * row.seconds : 0;
        found->calls += row.calls;
        found->seconds += row.seconds;
        found->share += row.share;
        found->bytes += row.bytes;
        found->multiply_adds += row.multiply_adds;
        found->operations += row.operations;
    }
    const auto place = [](const ProfileRow& l) { return static_cast<unsigned>(l.layer_number); };  // -1 comes last
    // Layers of one number stay in order. (clang 19 rejects std::stable_sort of g++ 12 as deprecated.)
    for (auto row = layers.begin(); row != layers.end(); ++row)
        std::rotate(std::ranges::upper_bound(layers.begin(), row, place(*row), {}, place), row, row + 1);
    for (ProfileRow& l : layers)
        l.share_of_peak = l.seconds > 0 ? l.share_of_peak / l.seconds : std::numeric_limits<double>::quiet_NaN();
    return layers;
}

SIGMA_IMPL const ProfileRow& ProfiledLoop::operator[](std::string_view part) const {
    std::string names;
    for (const ProfileRow& row : rows) {
        if (row.kernel == part) return row;
        names += sentence(names.empty() ? "'" : ", '", row.kernel, "'");
    }
    throw ArgumentError(sentence("profile of trainer '", trainer, "'"), "one of " + names, sentence("'", part, "'"));
}

SIGMA_IMPL const ProfiledProgram& Profile::operator[](std::string_view name) const {
    const ProfiledProgram* found = nullptr;
    std::string names;
    const auto whole = [](const ProfiledProgram& p) { return p.seconds * static_cast<double>(p.runs); };
    for (const ProfiledProgram& p : programs) {
        names += sentence(names.empty() ? "'" : ", '", p.name, "'");
        if (p.name == name && (found == nullptr || whole(p) > whole(*found))) found = &p;
    }
    if (found) return *found;
    throw ArgumentError("program of a profile", names.empty() ? "no name, since no program ran" : "one of " + names,
                        sentence("'", name, "'"));
}

SIGMA_IMPL std::string Profile::text(int most_rows) const {
    if (most_rows < 0) throw ArgumentError("rows of a profile", "a number from 0", sentence(most_rows));
    std::string text;
    for (const ProfiledLoop& loop : loops) text += detail::loop_text(loop);
    for (const ProfiledProgram& program : programs)
        text += detail::program_text(program, static_cast<std::size_t>(most_rows));
    if (loops.empty() && programs.empty()) return "nothing was measured: no program has run\n";
    const auto giga = [](double x) { return detail::fixed_text(1e-9 * x, 1); };
    text += "peak of one core:";
    if (peak.float_operations > 0) text += sentence(" ", giga(peak.float_operations), " GFLOP/s in float,");
    if (peak.double_operations > 0) text += sentence(" ", giga(peak.double_operations), " GFLOP/s in double,");
    text += " copies";
    for (std::size_t i = 0; i < peak.bytes.size(); ++i)
        text +=
            sentence(i ? ", " : " ", giga(peak.bytes_per_second[i]), " GB/s of ", detail::bytes_text(peak.bytes[i]));
    return text + "\n";
}

SIGMA_IMPL std::string Profile::trace() const {
    std::string json = "{\"displayTimeUnit\": \"ns\", \"otherData\": {\"library\": \"sigma ";
    json += sentence(version(), "\", \"events_left_out\": ", events_left_out, "}, \"traceEvents\": [\n");
    json += "{\"ph\": \"M\", \"pid\": 1, \"tid\": 0, \"name\": \"process_name\", \"args\": {\"name\": \"sigma\"}}";
    int threads = 0;
    for (const Event& e : events) threads = std::max(threads, e.thread + 1);
    for (int t = 0; t < threads; ++t)
        json += sentence(",\n{\"ph\": \"M\", \"pid\": 1, \"tid\": ", t,
                         ", \"name\": \"thread_name\", \"args\": {\"name\": \"thread ", t, "\"}}");
    const auto text = [&](const char* key, const std::string& value) {
        json += sentence("\"", key, "\": ");
        storage::append_json_string(json, value);
    };
    const auto number = [&](const char* key, double value) {
        json += sentence(", \"", key, "\": ");
        detail::append_json_number(json, value);
    };
    for (const Event& e : events) {
        json += sentence(",\n{\"ph\": \"X\", \"pid\": 1, \"tid\": ", e.thread);
        number("ts", 1e6 * e.begin);
        number("dur", 1e6 * e.seconds);
        json += ", ";
        if (e.program < 0) {
            const ProfiledLoop& loop = loops[static_cast<std::size_t>(-1 - e.program)];
            constexpr const char* names[] = {"wait for data", "step",       "modifiers",      "wait for the device",
                                             "hooks",         "validation", "hooks of epochs"};
            text("name", e.row < 0 ? "iteration" : names[e.row]);
            json += ", \"cat\": \"loop\", \"args\": {";
            text("trainer", loop.trainer);
        } else {
            const ProfiledProgram& program = programs[static_cast<std::size_t>(e.program)];
            const ProfileRow& row = program.rows[static_cast<std::size_t>(e.row)];
            const double calls = std::max(static_cast<double>(row.calls), 1.0);
            text("name", row.layer.empty() ? row.kernel : row.layer + ": " + row.kernel);
            json += ", ";
            text("cat", row.part.empty() ? "kernel" : row.part);
            json += ", \"args\": {";
            text("program", program.name);
            json += ", ";
            text("layer", row.layer);
            number("kernel", row.number);
            number("bytes", row.bytes / calls);
            number("multiply_adds", row.multiply_adds / calls);
            number("operations", row.operations / calls);
        }
        json += "}}";
    }
    return json + "\n]}\n";
}

SIGMA_IMPL void Profile::write_trace(const std::string& file) const {
    const std::string json = trace();
    write_file_atomically(file, std::as_bytes(std::span(json)));
}

}  // namespace sigma
