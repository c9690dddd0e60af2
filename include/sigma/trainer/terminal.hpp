// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Output on a terminal: progress, confusion matrices, pictures with predictions. Include it yourself:
/// `<sigma/trainer/terminal.hpp>`.

#include <sigma/trainer/terminal/classification_report.hpp>
#include <sigma/trainer/terminal/confusion.hpp>
#include <sigma/trainer/terminal/draw.hpp>
#include <sigma/trainer/terminal/draw_maximised.hpp>
#include <sigma/trainer/terminal/progress.hpp>
#include <sigma/trainer/terminal/show_progress.hpp>
