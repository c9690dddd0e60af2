// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/words.hpp>

/// Words of data that were called otherwise; see core/words.hpp.
namespace sigma::data {

struct write_csv_of_file_with_columns;
struct write_csv_of_memory_with_columns;
struct write_idx_of_file;
struct write_text_of_file_with_windows;
struct write_standardize_in_the_pipeline;
struct write_training_and_testing_from_mnist;
struct write_training_and_testing_from_fashion_mnist;

error_word_is_written_otherwise<write_csv_of_file_with_columns> read_csv(...);
error_word_is_written_otherwise<write_csv_of_memory_with_columns> parse_csv(...);
error_word_is_written_otherwise<write_idx_of_file> read_idx(...);
error_word_is_written_otherwise<write_text_of_file_with_windows> text_sequences(...);
error_word_is_written_otherwise<write_standardize_in_the_pipeline> scaling_of(...);
error_word_is_written_otherwise<write_training_and_testing_from_mnist> mnist_test(...);
error_word_is_written_otherwise<write_training_and_testing_from_fashion_mnist> fashion_mnist_test(...);

}  // namespace sigma::data
