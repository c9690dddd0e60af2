/* SPDX-License-Identifier: BSL-1.0 */
/* flower MODEL: which iris it is. */
#include <sigma/exchange/sigma.h>
#include <stdio.h>

// [c]
int main(int count, char** arguments) {
    sigma_model* model;
    if (count < 2 || sigma_load(arguments[1], &model) != SIGMA_OK) {
        fprintf(stderr, "%s\n", sigma_message());
        return 1;
    }
    const float measured[4] = {5.1f, 3.5f, 1.4f, 0.2f};
    float prepared[4];
    const float* inputs[] = {prepared};
    size_t kind;
    sigma_status status = sigma_prepare(model, measured, 4, prepared, 1);
    if (status == SIGMA_OK) status = sigma_classify(model, inputs, &kind, 1);
    puts(status == SIGMA_OK ? sigma_class_name(model, kind) : sigma_message());
    sigma_free(model);
    return status == SIGMA_OK ? 0 : 1;
}
// [c]
