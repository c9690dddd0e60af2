/* SPDX-License-Identifier: BSL-1.0 */
#ifndef SIGMA_EXCHANGE_SIGMA_H
#define SIGMA_EXCHANGE_SIGMA_H

/**
 * @file
 * C interface of libsigma_c.so: predictions of saved models in C, and in all languages that can call C. Include it
 * yourself.
 *
 * A program loads a model that `save_model` has written. Several threads may predict with one model at once. No
 * function throws or ends the program: a function that fails returns a sigma_status.
 */

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define SIGMA_C __attribute__((visibility("default")))
#else
#define SIGMA_C
#endif

/** A loaded model. */
typedef struct sigma_model sigma_model;
/** The states of a model with stateful layers for one sequence of records. */
typedef struct sigma_stream sigma_stream;

/** The result of a function. sigma_message describes the error. */
typedef enum sigma_status {
    SIGMA_OK = 0,       /**< Success. */
    SIGMA_FILE = 1,     /**< The file does not exist, is damaged, or is not a model. */
    SIGMA_ARGUMENT = 2, /**< An argument is out of range, or NULL. */
    SIGMA_MEMORY = 3,   /**< Not enough memory. */
    SIGMA_FAILURE = 4   /**< Any other error. */
} sigma_status;

/** Returns the version of the library, such as "0.1.0". */
SIGMA_C const char* sigma_version(void);
/** Returns a text about the last call of this thread that failed, or "" if no call has failed. The text is valid until
    the next call of this thread that fails. */
SIGMA_C const char* sigma_message(void);

/**
 * Loads a model.
 * @param file   path of a file that `save_model` has written
 * @param model  receives the model, or NULL after an error
 * @return SIGMA_OK, SIGMA_FILE, SIGMA_ARGUMENT or SIGMA_MEMORY
 *
 * @par Example
 * @code{.txt}
 * sigma_model* model;
 * if (sigma_load("digits.sigma", &model) != SIGMA_OK) puts(sigma_message());
 * @endcode
 */
SIGMA_C sigma_status sigma_load(const char* file, sigma_model** model);
/** Frees a model. NULL is allowed. */
SIGMA_C void sigma_free(sigma_model* model);

/** Returns the number of inputs; 0 if the model is NULL. */
SIGMA_C size_t sigma_inputs(const sigma_model* model);
/** Returns the number of outputs; 0 if the model is NULL. */
SIGMA_C size_t sigma_outputs(const sigma_model* model);
/** Returns the number of elements of one record of an input; 0 if there is no such input. */
SIGMA_C size_t sigma_input_size(const sigma_model* model, size_t input);
/** Returns the number of elements of one record of an output; 0 if there is no such output. */
SIGMA_C size_t sigma_output_size(const sigma_model* model, size_t output);
/** Writes the extents of one record of an input (row-major, at most 5), and returns their number; 0 if there is no such
    input. */
SIGMA_C size_t sigma_input_shape(const sigma_model* model, size_t input, size_t extents[5]);
/** Writes the extents of one record of an output (row-major, at most 5), and returns their number; 0 if there is no
    such output. */
SIGMA_C size_t sigma_output_shape(const sigma_model* model, size_t output, size_t extents[5]);
/** Returns the name of an input, such as "0-input", or NULL if there is no such input. The text lives as long as the
    model. */
SIGMA_C const char* sigma_input_name(const sigma_model* model, size_t input);
/** Returns the name of an output, such as "price", or NULL if there is no such output. The text lives as long as the
    model. */
SIGMA_C const char* sigma_output_name(const sigma_model* model, size_t output);

/**
 * Predicts records. Stateful layers start with states of zero in each call.
 * @param model    the model
 * @param inputs   for each input i a pointer to records x sigma_input_size(model, i) numbers
 * @param outputs  for each output i a pointer to memory for records x sigma_output_size(model, i) numbers
 * @param records  number of records
 */
SIGMA_C sigma_status sigma_predict(const sigma_model* model, const float* const inputs[], float* const outputs[],
                                   size_t records);
/**
 * Applies the preprocessing of the training data to the first input. Copies the numbers if the file contains none.
 * @param model     the model
 * @param raw       records x size raw numbers
 * @param size      elements of a raw record. May differ from sigma_input_size(model, 0).
 * @param prepared  memory for records x sigma_input_size(model, 0) numbers
 * @param records   number of records
 */
SIGMA_C sigma_status sigma_prepare(const sigma_model* model, const float* raw, size_t size, float* prepared,
                                   size_t records);
/**
 * Converts predictions of the first output back to the units of the raw targets. Copies the numbers if the file
 * contains no preprocessing of targets.
 * @param model      the model
 * @param predicted  records x sigma_output_size(model, 0) numbers
 * @param restored   memory for as many numbers
 * @param records    number of records
 */
SIGMA_C sigma_status sigma_restore(const sigma_model* model, const float* predicted, float* restored, size_t records);

/** Returns the number of predicted classes of a record: 1, or one for each of its rows. 0 if the model does not predict
    classes. */
SIGMA_C size_t sigma_answers(const sigma_model* model);
/**
 * Predicts the classes of records: the class with the greatest probability, or 1 for yes and 0 for no.
 * @param model    the model
 * @param inputs   as for sigma_predict
 * @param classes  memory for records x sigma_answers(model) numbers of classes
 * @param records  number of records
 */
SIGMA_C sigma_status sigma_classify(const sigma_model* model, const float* const inputs[], size_t classes[],
                                    size_t records);
/** Returns the number of classes with names; 0 if the classes have no names. */
SIGMA_C size_t sigma_classes(const sigma_model* model);
/** Returns the name of a class, or NULL if it has no name. The text lives as long as the model. */
SIGMA_C const char* sigma_class_name(const sigma_model* model, size_t number);

/**
 * Opens a stream: the states of stateful layers for one sequence of records. One thread at a time may use a stream. The
 * model must outlive its streams.
 * @param model   the model
 * @param stream  receives the stream, or NULL after an error
 */
SIGMA_C sigma_status sigma_stream_open(const sigma_model* model, sigma_stream** stream);
/**
 * Predicts the next record of a sequence.
 * @param stream   the stream
 * @param inputs   for each input a pointer to one record
 * @param outputs  for each output a pointer to memory for one prediction
 */
SIGMA_C sigma_status sigma_stream_step(sigma_stream* stream, const float* const inputs[], float* const outputs[]);
/** Resets the states: the next record is the first of a sequence. NULL is allowed. */
SIGMA_C void sigma_stream_forget(sigma_stream* stream);
/** Closes a stream. NULL is allowed. */
SIGMA_C void sigma_stream_close(sigma_stream* stream);

#ifdef __cplusplus
}
#endif

#endif
