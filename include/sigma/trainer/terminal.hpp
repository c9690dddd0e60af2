// SPDX-License-Identifier: BSL-1.0
#pragma once

// What a program shows while it trains and after: progress, a confusion matrix, pictures with their predictions.

#include <sigma/trainer/terminal/classification_report.hpp>
#include <sigma/trainer/terminal/confusion.hpp>
#include <sigma/trainer/terminal/draw.hpp>
#include <sigma/trainer/terminal/draw_maximised.hpp>
#include <sigma/trainer/terminal/progress.hpp>
#include <sigma/trainer/terminal/show_progress.hpp>
