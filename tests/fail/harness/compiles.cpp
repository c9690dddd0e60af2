// SPDX-License-Identifier: BSL-1.0
// expected-first-error: some error
// expected-report: ^compiles, but must not
#ifdef TWIN
#endif
int main() {}
