/* SPDX-License-Identifier: BSL-1.0 */
#ifndef SIGMA_EXCHANGE_SIGMA_H
#define SIGMA_EXCHANGE_SIGMA_H

#include <stddef.h>

/*
 * Predictions of a saved model for programs in C, and for all languages that can call C: libsigma_c.so. A model that
 * save_model has written is loaded, and from then on only read: any number of threads may predict with it at a time.
 * Nothing throws or ends the program; what fails returns why.
 */

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define SIGMA_C __attribute__((visibility("default")))
#else
#define SIGMA_C
#endif

typedef struct sigma_model sigma_model;   /* a model */
typedef struct sigma_stream sigma_stream; /* what it remembers of one source of records */

typedef enum sigma_status {
    SIGMA_OK = 0,
    SIGMA_FILE = 1,     /* a file that is not there, damaged, or no model */
    SIGMA_ARGUMENT = 2, /* an argument out of its range, or a NULL */
    SIGMA_MEMORY = 3,   /* memory that there is not */
    SIGMA_FAILURE = 4   /* anything else */
} sigma_status;

/* The version of the library, "0.1.0". */
SIGMA_C const char* sigma_version(void);
/* One sentence on the last call of this thread that failed: what was expected and what was found. */
SIGMA_C const char* sigma_message(void);

/* *model is NULL where it fails. sigma_free takes NULL, too. */
SIGMA_C sigma_status sigma_load(const char* file, sigma_model** model);
SIGMA_C void sigma_free(sigma_model* model);

/* How many inputs and outputs there are, and how many numbers a record has in each; 0 where there is none such. */
SIGMA_C size_t sigma_inputs(const sigma_model* model);
SIGMA_C size_t sigma_outputs(const sigma_model* model);
SIGMA_C size_t sigma_input_size(const sigma_model* model, size_t input);
SIGMA_C size_t sigma_output_size(const sigma_model* model, size_t output);
/* The extents of a record, row-major, of which there are at most 5. Returns how many. */
SIGMA_C size_t sigma_input_shape(const sigma_model* model, size_t input, size_t extents[5]);
SIGMA_C size_t sigma_output_shape(const sigma_model* model, size_t output, size_t extents[5]);
/* "0-input", "price"; NULL where there is none such. They live as long as the model. */
SIGMA_C const char* sigma_input_name(const sigma_model* model, size_t input);
SIGMA_C const char* sigma_output_name(const sigma_model* model, size_t output);

/* From inputs[i], records x sigma_input_size(model, i) numbers, to outputs[i]. Each call begins anew. */
SIGMA_C sigma_status sigma_predict(const sigma_model* model, const float* const inputs[], float* const outputs[],
                                   size_t records);
/* What raw numbers of the first input become before they are predicted, as the training data did; `size` of them a
   record, which may be others than sigma_input_size. They are copied where the model's file says nothing. */
SIGMA_C sigma_status sigma_prepare(const sigma_model* model, const float* raw, size_t size, float* prepared,
                                   size_t records);
/* What numbers of the first output are in the units that the targets had, likewise. */
SIGMA_C sigma_status sigma_restore(const sigma_model* model, const float* predicted, float* restored, size_t records);

/* How many classes a record is taken for: one, or one for each of its rows; 0 where the model says none. */
SIGMA_C size_t sigma_answers(const sigma_model* model);
/* records x sigma_answers(model) numbers of classes: of the greatest probability, or 1 for yes and 0 for no. */
SIGMA_C sigma_status sigma_classify(const sigma_model* model, const float* const inputs[], size_t classes[],
                                    size_t records);
/* How many classes have names, and these; NULL where there is none. They live as long as the model. */
SIGMA_C size_t sigma_classes(const sigma_model* model);
SIGMA_C const char* sigma_class_name(const sigma_model* model, size_t number);

/* Streams of a model with stateful layers, each for one thread at a time; the model outlives them. A step is one record,
   the next of its sequence, until sigma_stream_forget begins another. */
SIGMA_C sigma_status sigma_stream_open(const sigma_model* model, sigma_stream** stream);
SIGMA_C sigma_status sigma_stream_step(sigma_stream* stream, const float* const inputs[], float* const outputs[]);
SIGMA_C void sigma_stream_forget(sigma_stream* stream);
SIGMA_C void sigma_stream_close(sigma_stream* stream);

#ifdef __cplusplus
}
#endif

#endif
