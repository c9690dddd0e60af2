// SPDX-License-Identifier: BSL-1.0
// With others behind it the compiler may miss something else.
// expected-first-error: expected .}
// expected-report: ^passes
#ifdef TWIN
int main() {}
#else
int main() {
#endif
