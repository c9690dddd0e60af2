// SPDX-License-Identifier: BSL-1.0
// expected-first-error: not_declared
// expected-report: the correct twin does not compile
#ifdef TWIN
int main() { return not_declared_either; }
#else
int main() { return not_declared; }
#endif
