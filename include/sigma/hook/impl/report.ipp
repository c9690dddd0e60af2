// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/number_text.hpp>
#include <sigma/hook/report.hpp>

#include <cmath>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sigma::detail {

/// A field of a table: between quotation marks where it holds a comma or one of them.
inline void append_field(std::string& to, std::string_view field) {
    if (field.find_first_of(",\"\n") == field.npos) {
        to += field;
        return;
    }
    to += '"';
    for (const char c : field) to.append(c == '"' ? 2 : 1, c);
    to += '"';
}

class ReportNode final : public ActionNode {
public:
    explicit ReportNode(std::vector<TextOrValue> items, std::string_view layout = {})
        : items_(std::move(items)), layout_(layout) {}
    ReportNode(const ReportNode& other)
        : ActionNode(other), items_(other.items_), layout_(other.layout_), decimals_(other.decimals_),
          to_(other.to_ ? other.to_->clone() : nullptr) {}
    detail::Owned<ActionNode> clone() const override { return std::make_unique<ReportNode>(*this); }
    void set_place(detail::Owned<ReportPlace> place) { to_ = std::move(place); }
    void set_decimals(int n) { decimals_ = n; }
    bool has_layout() const { return !layout_.empty(); }

    void run(HookContext& context) override {
        if (to_ && to_->numbers()) {
            numbers_.clear();
            for (const TextOrValue& item : items_)
                if (item.value) numbers_.push_back({item.text, context.get(item.value)});
            to_->write(context.counts()[Moment::iteration], numbers_);
            return;
        }
        if (rows()) {
            make_header();
            to_->start(line_);
            line_.clear();
            for (const TextOrValue& item : items_)
                if (item.value) append_cell(context.get(item.value)), line_ += ',';
            line_.pop_back();
        } else {
            line_.clear();
            if (has_layout()) append_by_layout(context);
            else
                for (const TextOrValue& item : items_) append(context, item);
        }
        if (to_) to_->write(line_);
        else context.print(line_);
    }
    void restart(HookContext&) override {
        if (to_) to_->restart();
    }
    void archive(Archive& a) override {
        if (to_) to_->archive(a);
    }
    void visit_values(const ValueVisitor& f) override {
        for (TextOrValue& item : items_)
            if (item.value) f(item.value);
    }
    std::string text() const override {
        std::string all = has_layout() ? sentence('"', layout_, '"') : std::string();
        for (const TextOrValue& item : items_) {
            const char* quote = item.value ? "" : "\"";
            all += sentence(all.empty() ? "" : ", ", quote, item.text, quote);
        }
        const bool rounded = !rows() && decimals_ != 3;
        return sentence("report(", all, ")", rounded ? sentence(".decimals(", decimals_, ")") : "",
                        to_ ? to_->text() : "");
    }

private:
    std::vector<TextOrValue> items_;
    std::string layout_;
    int decimals_ = 3;
    detail::Owned<ReportPlace> to_;  ///< none for the trainer's print
    std::string line_;
    std::vector<ReportedNumber> numbers_;

    bool rows() const { return to_ && to_->rows(); }
    void append_cell(double x) {
        if (!std::isnan(x)) append_exact(line_, x);
    }
    void append(const HookContext& context, const TextOrValue& item) {
        if (!line_.empty()) line_ += "  ";
        line_ += item.text;
        if (!item.value) return;
        line_ += ' ';
        const double x = context.get(item.value);
        if (item.value.record().is_count) append_exact(line_, static_cast<long long>(x));
        else append_number(line_, x, decimals_);
    }
    void append_by_layout(const HookContext& context) {
        auto next = items_.begin();
        for (std::string_view rest = layout_; !rest.empty();) {
            const LayoutPart part = next_part(rest);
            line_ += part.text;
            if (!part.is_value) continue;
            const TextOrValue& item = *next++;
            NumberFormat format = part.format;
            if (item.value.record().is_count) format.letter = 'd';
            append_formatted(line_, context.get(item.value), format);
        }
    }
    void make_header() {
        line_.clear();
        for (const TextOrValue& item : items_)
            if (item.value) append_field(line_, item.text), line_ += ',';
        line_.pop_back();
    }
};

SIGMA_IMPL ActionHandle make_report(std::initializer_list<TextOrValue> items) {
    return std::make_shared<ReportNode>(std::vector<TextOrValue>(items));
}
SIGMA_IMPL ActionHandle make_report(std::string_view layout, std::initializer_list<TextOrValue> items) {
    std::vector<TextOrValue> all(items);
    if (layout.find_first_of("{}") != layout.npos) return std::make_shared<ReportNode>(std::move(all), layout);
    all.insert(all.begin(), TextOrValue(std::string(layout)));
    return std::make_shared<ReportNode>(std::move(all));
}
SIGMA_IMPL ActionHandle report_to(const ActionHandle& report, detail::Owned<ReportPlace> place) {
    auto made = std::make_shared<ReportNode>(static_cast<const ReportNode&>(*report));
    made->set_place(std::move(place));
    return made;
}
SIGMA_IMPL ActionHandle report_decimals(const ActionHandle& report, Integer n) {
    if (!n.within(1, 6)) throw ArgumentError("decimals of report", "1 to 6", sentence(n.text()));
    auto made = std::make_shared<ReportNode>(static_cast<const ReportNode&>(*report));
    if (made->has_layout())
        throw ArgumentError("decimals of report", "none where there is a layout, which says them",
                            sentence(".decimals(", n.text(), ")"));
    made->set_decimals(static_cast<int>(n.value()));
    return made;
}

}  // namespace sigma::detail
