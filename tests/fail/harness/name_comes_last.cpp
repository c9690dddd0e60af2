// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_of_it
// expected-report: the name comes after
#ifdef TWIN
int main() {}
#else
struct error_of_it;
struct a_name_that_goes_on_a_name_that_goes_on_a_name_that_goes_on_a_name_that_goes_on_a_name_that_goes_on_a_name_that_goes_on_a_name_that_goes_on_a_name_that_goes_on_;
template <class, class>
struct both;
int main() { both<a_name_that_goes_on_a_name_that_goes_on_a_name_that_goes_on_a_name_that_goes_on_a_name_that_goes_on_a_name_that_goes_on_a_name_that_goes_on_a_name_that_goes_on_, error_of_it> x; }
#endif
