// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_Archive_takes_numbers<.*use_tensor_for_a_vector_of_numbers
#include <sigma/sigma.hpp>
using namespace sigma;

void use(Archive& archive, std::string& text, double& number) {
#ifdef TWIN
    archive(number);
    static_cast<void>(text);
#else
    archive(number, text);
#endif
}
