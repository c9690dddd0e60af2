// SPDX-License-Identifier: BSL-1.0
// expected-first-error: not_declared
// expected-report: ^passes in a group
#ifdef TWIN
int main() {}
#else
int main() { return not_declared; }
#endif
