// SPDX-License-Identifier: BSL-1.0
// expected-report: no line '// expected-first-error
#ifdef TWIN
int main() {}
#else
int main() { return not_declared; }
#endif
