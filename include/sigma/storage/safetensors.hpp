// SPDX-License-Identifier: BSL-1.0
#pragma once

// Tensors and texts in one file that other programs read too: https://github.com/huggingface/safetensors
#include <sigma/storage/safetensors_file.hpp>
#include <sigma/storage/safetensors_writer.hpp>
