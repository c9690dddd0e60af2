// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/number_text.hpp>
#include <sigma/trainer/terminal/show_progress.hpp>

namespace sigma {

namespace detail {

SIGMA_IMPL void show(ProgressPrinter& printer, const Progress& now, bool over, const HookContext& context) {
    printer.set_subject(&context.view());
    if (!over) printer.update(now);
    else if (printer.interactive()) printer.end_of_epoch(now);
    else context.print(terminal::progress_line(now, terminal::has_utf8(), 0));
}

SIGMA_IMPL void append_metric(std::string& to, std::string_view name, double x) {
    to += sentence("  ", name, " ");
    append_number(to, x, 4);
}

}  // namespace detail

SIGMA_IMPL ShowProgress<> show_progress(std::FILE* file) { return {file, terminal::is_interactive(file)}; }

}  // namespace sigma
