// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/error.hpp>
#include <sigma/hook/node.hpp>
#include <sigma/hook/report.hpp>

#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <memory>
#include <tuple>
#include <utility>

namespace sigma {

namespace detail {

/// A file that is opened at the first write. A copy opens the file again.
class ReportFile {
public:
    explicit ReportFile(std::string name) : name_(std::move(name)) {}
    ReportFile(const ReportFile& other) : name_(other.name_), worker_(other.worker_) {}

    const std::string& name() const { return name_; }
    bool is_open() const { return file_ != nullptr; }
    void close() { file_.reset(); }
    void of_worker(int number) { worker_ = number; }
    /// Opens the file. Throws DataError if that fails.
    void open(const char* mode) {
        file_.reset(std::fopen(placed().c_str(), mode));
        if (!file_) refuse();
    }
    bool is_empty() { return std::fseek(file_.get(), 0, SEEK_END) == 0 && std::ftell(file_.get()) == 0; }
    /// Writes a line and flushes, so that other programs can read it at once.
    void write(std::string_view line) {
        if (std::fwrite(line.data(), 1, line.size(), file_.get()) != line.size() ||
            std::fputc('\n', file_.get()) == EOF || std::fflush(file_.get()) != 0)
            refuse();
    }

private:
    struct Close {
        void operator()(std::FILE* file) const { std::fclose(file); }
    };
    std::string name_;
    int worker_ = 0;
    std::unique_ptr<std::FILE, Close> file_;

    /// Returns the name of the file: "curve.csv", or "curve-worker-2.csv" for a worker.
    std::string placed() const {
        if (worker_ == 0) return name_;
        const std::size_t folder = name_.rfind('/'), dot = name_.rfind('.');
        const bool extended = dot != name_.npos && (folder == name_.npos || dot > folder + 1) && dot > 0;
        const std::size_t end = extended ? dot : name_.size();
        return sentence(std::string_view(name_).substr(0, end), "-worker-", worker_,
                        std::string_view(name_).substr(end));
    }

    [[noreturn]] void refuse() const { throw DataError(name_, "", "a file that can be written", std::strerror(errno)); }
};

class LineFile final : public ReportPlace {
public:
    explicit LineFile(std::string name) : file_(std::move(name)) {}
    detail::Owned<ReportPlace> clone() const override { return std::make_unique<LineFile>(*this); }
    void write(std::string_view line) override {
        if (!file_.is_open()) file_.open("a");
        file_.write(line);
    }
    void of_worker(int number) override { file_.of_worker(number); }
    std::string text() const override { return sentence(".to(file(\"", file_.name(), "\"))"); }

private:
    ReportFile file_;
};

class TableFile final : public ReportPlace {
public:
    explicit TableFile(std::string name) : file_(std::move(name)) {}
    detail::Owned<ReportPlace> clone() const override { return std::make_unique<TableFile>(*this); }
    bool rows() const override { return true; }
    void start(std::string_view header) override {
        if (file_.is_open()) return;
        file_.open(begun_ ? "a" : "w");
        if (!begun_ || file_.is_empty()) file_.write(header);  // a resumed run may have another file
        begun_ = true;
    }
    void write(std::string_view line) override { file_.write(line); }
    void restart() override {
        file_.close();
        begun_ = false;
    }
    void of_worker(int number) override { file_.of_worker(number); }
    void archive(Archive& a) override { a(begun_); }
    std::string text() const override { return sentence(".to(csv(\"", file_.name(), "\"))"); }

private:
    ReportFile file_;
    bool begun_ = false;
};

class LineCall final : public ReportPlace {
public:
    explicit LineCall(AnyFunction<void(std::string_view)> f) : function_(std::move(f)) {}
    detail::Owned<ReportPlace> clone() const override { return std::make_unique<LineCall>(*this); }
    void write(std::string_view line) override { function_(line); }
    std::string text() const override { return ".to(a function)"; }

private:
    AnyFunction<void(std::string_view)> function_;
};

SIGMA_IMPL detail::Owned<ReportPlace> to_csv(const ReportToCsv& table) {
    return std::make_unique<TableFile>(table.name);
}
SIGMA_IMPL detail::Owned<ReportPlace> to_file(std::string name) { return std::make_unique<LineFile>(std::move(name)); }
SIGMA_IMPL detail::Owned<ReportPlace> to_call(AnyFunction<void(std::string_view)> f) {
    return std::make_unique<LineCall>(std::move(f));
}

/// Returns a field of a table, in quotation marks if it contains a comma, a quotation mark or the end of a line.
inline void append_field(std::string& to, std::string_view field) {
    if (field.find_first_of(",\"\r\n") == field.npos) {
        to += field;
        return;
    }
    to += '"';
    for (const char c : field) to.append(c == '"' ? 2 : 1, c);
    to += '"';
}

struct ReportNode {
    std::vector<TextOrValue> items{};
    std::string layout{};
    int decimals = 3;
    Cloned<ReportPlace> to{};  ///< null for the trainer's print
    std::string line{};
    std::vector<ReportedNumber> reported{};

    auto fields() { return std::tie(items, to); }
    void restart(HookContext& context) {
        if (!to) return;
        to->of_worker(context.view().worker());
        to->restart();
    }
    void run(HookContext& context) {
        if (to && to->numbers()) {
            reported.clear();
            for (const TextOrValue& item : items)
                if (item.value) reported.push_back({item.text, context.get(item.value)});
            to->write(context.counts()[Moment::iteration], reported);
            return;
        }
        line.clear();
        if (rows()) {
            for (const TextOrValue& item : items)
                if (item.value) append_field(line, item.text), line += ',';
            line.pop_back();
            to->start(line);
            line.clear();
            for (const TextOrValue& item : items)
                if (item.value) append_cell(context.get(item.value)), line += ',';
            line.pop_back();
        } else if (!layout.empty()) {
            append_by_layout(context);
        } else {
            for (const TextOrValue& item : items) append(context, item);
        }
        if (to) to->write(line);
        else context.print(line);
    }
    bool rows() const { return to && to->rows(); }
    void append_cell(double x) {
        if (!std::isnan(x)) append_exact(line, x);
    }
    void append(const HookContext& context, const TextOrValue& item) {
        if (!line.empty()) line += "  ";
        line += item.text;
        if (!item.value) return;
        line += ' ';
        const double x = context.get(item.value);
        if (item.value.record().is_count) append_exact(line, static_cast<long long>(x));
        else append_number(line, x, decimals);
    }
    void append_by_layout(const HookContext& context) {
        auto next = items.begin();
        for (std::string_view rest = layout; !rest.empty();) {
            const LayoutPart part = next_part(rest);
            line += part.text;
            if (!part.is_value) continue;
            const TextOrValue& item = *next++;
            NumberFormat format = part.format;
            if (item.value.record().is_count) format.letter = 'd';
            append_formatted(line, context.get(item.value), format);
        }
    }
    std::string text() const {
        std::string all = layout.empty() ? std::string() : sentence('"', layout, '"');
        for (const TextOrValue& item : items) {
            const char* quote = item.value ? "" : "\"";
            all += sentence(all.empty() ? "" : ", ", quote, item.text, quote);
        }
        const bool rounded = !rows() && decimals != 3;
        return sentence("report(", all, ")", rounded ? sentence(".decimals(", decimals, ")") : "",
                        to ? to->text() : "");
    }
};

inline const ReportNode& as_report(const ActionHandle& report) {
    return static_cast<const ActionNodeOf<ReportNode>&>(*report).self;
}

SIGMA_IMPL ActionHandle make_report(std::initializer_list<TextOrValue> items) { return make_action(ReportNode{items}); }
SIGMA_IMPL ActionHandle make_report(std::string_view layout, std::initializer_list<TextOrValue> items) {
    ReportNode made{items};
    if (layout.find_first_of("{}") != layout.npos) made.layout = layout;
    else made.items.insert(made.items.begin(), TextOrValue(std::string(layout)));
    return make_action(std::move(made));
}
SIGMA_IMPL ActionHandle report_to(const ActionHandle& report, Owned<ReportPlace> place) {
    const ReportNode& of = as_report(report);
    return make_action(ReportNode{of.items, of.layout, of.decimals, std::move(place)});
}
SIGMA_IMPL ActionHandle report_decimals(const ActionHandle& report, Integer n) {
    if (!n.within(1, 6)) throw ArgumentError("decimals of report", "1 to 6", sentence(n.text()));
    ReportNode made = as_report(report);
    if (!made.layout.empty())
        throw ArgumentError("decimals of report", "digits in the layout, such as {:.2f}",
                            sentence(".decimals(", n.text(), ")"));
    made.decimals = static_cast<int>(n.value());
    return make_action(std::move(made));
}

}  // namespace detail

SIGMA_IMPL ReportToCsv csv(std::string name) { return {std::move(name)}; }

SIGMA_IMPL std::string ReportRegistry::text() const {
    std::string all;
    for (const std::string& pattern : patterns_) all += sentence(all.empty() ? "" : ", ", "\"", pattern, "\"");
    return sentence(word(), "(", all, ")");
}

}  // namespace sigma
