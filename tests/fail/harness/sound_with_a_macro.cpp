// SPDX-License-Identifier: BSL-1.0
// expected-first-error: not_declared
// expected-report: ^passes alone
#ifdef TWIN
#define MAIN main() {}
#else
#define MAIN main() { return not_declared; }
#endif
int MAIN
