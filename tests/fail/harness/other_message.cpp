// SPDX-License-Identifier: BSL-1.0
// expected-first-error: the extents 64 and 100 differ
// expected-report: does not match
#ifdef TWIN
int main() {}
#else
int main() { return not_declared; }
#endif
