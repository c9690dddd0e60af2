// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_element_type_must_be_float_or_double<int>
// first-error-of-g++: in model.hpp, what a class derives from is looked at where the class stands
// first-error-of-clang: in model.hpp, what a class derives from is looked at where the class stands
#include <sigma/sigma.hpp>
using namespace sigma;

struct Net : Network<Input(4) + Dense(3) + SoftmaxCE()> {};

#ifdef TWIN
Model<Net, double> model;
#else
Model<Net, int> model;
#endif
