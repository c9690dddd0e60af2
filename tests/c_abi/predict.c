/* SPDX-License-Identifier: BSL-1.0 */
/* A program in C99 that knows sigma.h alone: predict DIRECTORY, of c_abi_models. */
#include <math.h>
#include <pthread.h>
#include <sigma/exchange/sigma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REQUIRE(condition)                                                                         \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: %s (%s)\n", __FILE__, __LINE__, #condition, sigma_message());  \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

enum { most = 4 };

typedef struct Case {
    sigma_model* model;
    size_t records;
    float *inputs[most], *outputs[most], *wanted[most];
} Case;

static float* numbers(FILE* file, size_t count) {
    float* const all = calloc(count + 1, sizeof(float));
    REQUIRE(all != NULL);
    for (size_t i = 0; file != NULL && i < count; ++i) REQUIRE(fscanf(file, "%f", &all[i]) == 1);
    return all;
}

static Case load(const char* directory, const char* name) {
    char path[4096];
    Case c;
    memset(&c, 0, sizeof(c));
    snprintf(path, sizeof(path), "%s/%s.sigma", directory, name);
    REQUIRE(sigma_load(path, &c.model) == SIGMA_OK);
    snprintf(path, sizeof(path), "%s/%s.txt", directory, name);
    FILE* const file = fopen(path, "r");
    REQUIRE(file != NULL && fscanf(file, "%zu", &c.records) == 1);
    for (size_t i = 0; i < sigma_inputs(c.model); ++i)
        c.inputs[i] = numbers(file, c.records * sigma_input_size(c.model, i));
    for (size_t i = 0; i < sigma_outputs(c.model); ++i) {
        c.wanted[i] = numbers(file, c.records * sigma_output_size(c.model, i));
        c.outputs[i] = numbers(NULL, c.records * sigma_output_size(c.model, i));
    }
    fclose(file);
    return c;
}
static void compare(const Case* c) {
    for (size_t i = 0; i < sigma_outputs(c->model); ++i)
        for (size_t k = 0; k < c->records * sigma_output_size(c->model, i); ++k)
            REQUIRE(fabsf(c->outputs[i][k] - c->wanted[i][k]) < 1e-6f);
}
static void release(Case* c) {
    for (int i = 0; i < most; ++i) free(c->inputs[i]), free(c->outputs[i]), free(c->wanted[i]);
    sigma_free(c->model);
}

static void* predict_often(void* of) {
    const Case* const shared = of;
    Case own = *shared;
    own.outputs[0] = numbers(NULL, own.records * sigma_output_size(own.model, 0));
    for (int i = 0; i < 500; ++i) {
        REQUIRE(sigma_predict(own.model, (const float* const*)own.inputs, own.outputs, own.records) == SIGMA_OK);
        compare(&own);
    }
    free(own.outputs[0]);
    return NULL;
}

static void dense(const char* directory) {
    Case c = load(directory, "dense");
    size_t extents[5];
    REQUIRE(sigma_inputs(c.model) == 1 && sigma_outputs(c.model) == 1);
    REQUIRE(sigma_input_shape(c.model, 0, extents) == 2 && extents[0] == 2 && extents[1] == 3);
    REQUIRE(sigma_output_shape(c.model, 0, extents) == 1 && extents[0] == 3);
    REQUIRE(sigma_predict(c.model, (const float* const*)c.inputs, c.outputs, c.records) == SIGMA_OK);
    compare(&c);
    REQUIRE(sigma_answers(c.model) == 1);
    size_t classes[16];
    REQUIRE(c.records <= 16);
    REQUIRE(sigma_classify(c.model, (const float* const*)c.inputs, classes, c.records) == SIGMA_OK);
    for (size_t r = 0; r < c.records; ++r)
        for (size_t k = 0; k < 3; ++k) REQUIRE(c.wanted[0][3 * r + k] <= c.wanted[0][3 * r + classes[r]]);
    REQUIRE(sigma_classes(c.model) == 0 && sigma_class_name(c.model, 0) == NULL);
    REQUIRE(sigma_prepare(c.model, c.inputs[0], 6, c.inputs[0], c.records) == SIGMA_OK);
    pthread_t threads[3];
    for (int i = 0; i < 3; ++i) REQUIRE(pthread_create(&threads[i], NULL, predict_often, &c) == 0);
    for (int i = 0; i < 3; ++i) pthread_join(threads[i], NULL);
    release(&c);
}

static void costs(const char* directory) {
    Case c = load(directory, "costs");
    REQUIRE(sigma_inputs(c.model) == 2 && sigma_outputs(c.model) == 2);
    REQUIRE(sigma_input_size(c.model, 1) == 2 && sigma_input_size(c.model, 2) == 0);
    REQUIRE(strcmp(sigma_input_name(c.model, 1), "side") == 0 && sigma_input_name(c.model, 2) == NULL);
    REQUIRE(strcmp(sigma_output_name(c.model, 1), "price") == 0);
    REQUIRE(sigma_predict(c.model, (const float* const*)c.inputs, c.outputs, c.records) == SIGMA_OK);
    compare(&c);
    REQUIRE(sigma_answers(c.model) == 0);
    size_t classes[16];
    REQUIRE(sigma_classify(c.model, (const float* const*)c.inputs, classes, 1) == SIGMA_ARGUMENT);
    release(&c);
}

static void streams(const char* directory) {
    Case c = load(directory, "stateful");
    sigma_stream* stream = NULL;
    REQUIRE(sigma_stream_open(c.model, &stream) == SIGMA_OK);
    for (int sequence = 0; sequence < 2; ++sequence) {
        for (size_t r = 0; r < c.records; ++r) {
            const float* const in[] = {c.inputs[0] + 3 * r};
            float* const out[] = {c.outputs[0] + 2 * r};
            REQUIRE(sigma_stream_step(stream, in, out) == SIGMA_OK);
        }
        compare(&c);
        sigma_stream_forget(stream);
    }
    sigma_stream_close(stream);
    release(&c);
}

/* Raw numbers, prepared as those were that it was trained with. */
static void flowers(const char* directory) {
    Case c = load(directory, "iris");
    char path[4096];
    snprintf(path, sizeof(path), "%s/flowers.txt", directory);
    FILE* const file = fopen(path, "r");
    REQUIRE(file != NULL);
    size_t right = 0, all = 0;
    float raw[4], prepared[4];
    size_t wanted, found;
    while (fscanf(file, "%f %f %f %f %zu", &raw[0], &raw[1], &raw[2], &raw[3], &wanted) == 5) {
        const float* const in[] = {prepared};
        REQUIRE(sigma_prepare(c.model, raw, 4, prepared, 1) == SIGMA_OK);
        REQUIRE(sigma_classify(c.model, in, &found, 1) == SIGMA_OK);
        right += found == wanted;
        ++all;
    }
    fclose(file);
    REQUIRE(all == 150 && right > 140);
    REQUIRE(sigma_classes(c.model) == 3 && strcmp(sigma_class_name(c.model, 0), "Iris-setosa") == 0);
    REQUIRE(sigma_restore(c.model, prepared, prepared, 1) == SIGMA_OK); /* nothing was done to classes */
    release(&c);
}

static void errors(const char* directory) {
    char path[4096];
    sigma_model* model = (sigma_model*)&path;
    REQUIRE(sigma_load("/nowhere/no.sigma", &model) == SIGMA_FILE && model == NULL);
    REQUIRE(strstr(sigma_message(), "/nowhere/no.sigma") != NULL);
    snprintf(path, sizeof(path), "%s/dense.txt", directory);
    REQUIRE(sigma_load(path, &model) == SIGMA_FILE && model == NULL);
    REQUIRE(sigma_load(NULL, &model) == SIGMA_ARGUMENT);
    REQUIRE(strcmp(sigma_message(), "sigma_load: expected the name of a file, found NULL") == 0);
    REQUIRE(sigma_load(path, NULL) == SIGMA_ARGUMENT);
    REQUIRE(sigma_predict(NULL, NULL, NULL, 1) == SIGMA_ARGUMENT);
    REQUIRE(sigma_inputs(NULL) == 0 && sigma_input_size(NULL, 0) == 0 && sigma_input_name(NULL, 0) == NULL);
    REQUIRE(sigma_answers(NULL) == 0 && sigma_classes(NULL) == 0);
    sigma_free(NULL);
    sigma_stream_close(NULL);
    sigma_stream_forget(NULL);
    Case c = load(directory, "dense");
    const float* const none[] = {NULL};
    REQUIRE(sigma_predict(c.model, none, c.outputs, 1) == SIGMA_ARGUMENT);
    REQUIRE(sigma_predict(c.model, (const float* const*)c.inputs, NULL, 1) == SIGMA_ARGUMENT);
    REQUIRE(sigma_predict(c.model, (const float* const*)c.inputs, c.outputs, (size_t)-1) == SIGMA_ARGUMENT);
    REQUIRE(sigma_predict(c.model, (const float* const*)c.inputs, c.outputs, 0) == SIGMA_OK);
    REQUIRE(sigma_prepare(c.model, c.inputs[0], 5, c.outputs[0], 1) == SIGMA_ARGUMENT);
    release(&c);
}

int main(int count, char** arguments) {
    if (count != 2) return 2;
    REQUIRE(strlen(sigma_version()) >= 5);
    dense(arguments[1]);
    costs(arguments[1]);
    streams(arguments[1]);
    flowers(arguments[1]);
    errors(arguments[1]);
    puts("predicts as the library does");
    return 0;
}
