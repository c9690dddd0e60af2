// SPDX-License-Identifier: BSL-1.0
#pragma once

// Operations of whole blocks (see tape/operation.hpp) for every device: code for the processor and text for a GPU, for
// scalar numbers of type V. SIGMA_DEVICE and SIGMA_MEMBER select the device. A function has the name of its operation,
// and gets the blocks of the result and the operands, and the option of the operation. It may use the functions that
// tape/formulas.hpp uses, and settled_sum. It needs no memory of its own.
//   argsort            a heap of the first of all elements so far, the last of them on top; positions decide between
//                      equal elements, which makes any order of exchanges stable
//   lu                 Gaussian elimination with the greatest pivot of each column; a column of zeros stays
//   cofactors          for P·A = L·U: the adjugate of U without a division, then solutions for L and P
#define SIGMA_BLOCK_FORMULAS                                                                                          \
    template <class V>                                                                                                \
    struct Block {                                                                                                    \
        V* data;                                                                                                      \
        long long rows, columns, row, column; /* how many, and elements from one to the next */                       \
        SIGMA_MEMBER V& operator()(long long i, long long j) const { return data[i * row + j * column]; }             \
        SIGMA_MEMBER V& operator[](long long i) const { return data[i * column]; }                                    \
    };                                                                                                                \
    template <class V>                                                                                                \
    SIGMA_DEVICE void running_sums(Block<V> y, Block<V> b, bool transposed) {                                         \
        V total = V(0), part = V(0);                                                                                  \
        for (long long k = 0; k < y.columns; ++k) {                                                                   \
            const long long i = transposed ? y.columns - 1 - k : k;                                                   \
            part += b[i];                                                                                             \
            y[i] = total + part;                                                                                      \
            if (k % 256 == 255) total = settled_sum(total, part);                                                     \
        }                                                                                                             \
    }                                                                                                                 \
    template <class V>                                                                                                \
    SIGMA_DEVICE void linear_recurrence(Block<V> y, Block<V> a, Block<V> b, Block<V>, bool transposed) {              \
        if (a.column == 0 && a[0] == V(1)) return running_sums(y, b, transposed);                                     \
        V before = V(0);                                                                                              \
        for (long long k = 0; k < y.columns; ++k) {                                                                   \
            const long long i = transposed ? y.columns - 1 - k : k;                                                   \
            before = k == 0 ? b[i] : a[transposed ? i + 1 : i] * before + b[i];                                       \
            y[i] = before;                                                                                            \
        }                                                                                                             \
    }                                                                                                                 \
    template <class V>                                                                                                \
    SIGMA_DEVICE bool stands_before(const Block<V>& x, V i, V j, bool descending) {                                   \
        const V p = x[static_cast<long long>(i)], q = x[static_cast<long long>(j)];                                   \
        if (p < q) return !descending;                                                                                \
        if (p > q) return descending;                                                                                 \
        return (p != p) == (q != q) ? i < j : (p != p) == descending; /* equal, or NaN */                             \
    }                                                                                                                 \
    template <class V>                                                                                                \
    SIGMA_DEVICE void sink(const Block<V>& heap, const Block<V>& x, long long at, long long end, bool descending) {   \
        const V sinking = heap[at];                                                                                   \
        for (long long child = 2 * at + 1; child < end; child = 2 * at + 1) {                                         \
            if (child + 1 < end && stands_before(x, heap[child], heap[child + 1], descending)) ++child;               \
            if (!stands_before(x, sinking, heap[child], descending)) break;                                           \
            heap[at] = heap[child];                                                                                   \
            at = child;                                                                                               \
        }                                                                                                             \
        heap[at] = sinking;                                                                                           \
    }                                                                                                                 \
    template <class V>                                                                                                \
    SIGMA_DEVICE void argsort(Block<V> y, Block<V> x, Block<V>, Block<V>, bool descending) {                          \
        for (long long i = 0; i < y.columns; ++i) y[i] = V(i);                                                        \
        for (long long i = y.columns / 2; i-- > 0;) sink(y, x, i, y.columns, descending);                             \
        for (long long i = y.columns; i < x.columns; ++i) {                                                           \
            if (!stands_before(x, V(i), y[0], descending)) continue;                                                  \
            y[0] = V(i);                                                                                              \
            sink(y, x, 0, y.columns, descending);                                                                     \
        }                                                                                                             \
        for (long long end = y.columns - 1; end > 0; --end) {                                                         \
            const V last = y[0];                                                                                      \
            y[0] = y[end];                                                                                            \
            y[end] = last;                                                                                            \
            sink(y, x, 0, end, descending);                                                                           \
        }                                                                                                             \
    }                                                                                                                 \
    template <class V>                                                                                                \
    SIGMA_DEVICE long long named_by(V id, long long count) { /* -1: no number that is none's is used as an address */ \
        return id >= V(0) && id < V(count) ? static_cast<long long>(id) : -1;                                         \
    }                                                                                                                 \
    template <class V>                                                                                                \
    SIGMA_DEVICE void gather_along(Block<V> y, Block<V> x, Block<V> ids, Block<V>, bool) {                            \
        for (long long i = 0; i < y.columns; ++i) {                                                                   \
            const long long from = named_by(ids[i], x.columns);                                                       \
            y[i] = from < 0 ? V(nan("")) : x[from];                                                                   \
        }                                                                                                             \
    }                                                                                                                 \
    template <class V>                                                                                                \
    SIGMA_DEVICE void scatter_add_along(Block<V> y, Block<V> x, Block<V> ids, Block<V>, bool) {                       \
        for (long long i = 0; i < y.columns; ++i) y[i] = V(0);                                                        \
        for (long long i = 0; i < x.columns; ++i) {                                                                   \
            const long long to = named_by(ids[i], y.columns);                                                         \
            if (to >= 0) y[to] += x[i];                                                                               \
        }                                                                                                             \
    }                                                                                                                 \
    template <class V>                                                                                                \
    SIGMA_DEVICE void exchange_rows(const Block<V>& x, long long i, V other) {                                        \
        const long long k = named_by(other, x.rows);                                                                  \
        if (k < 0 || k == i) return;                                                                                  \
        for (long long j = 0; j < x.columns; ++j) {                                                                   \
            const V kept = x(i, j);                                                                                   \
            x(i, j) = x(k, j);                                                                                        \
            x(k, j) = kept;                                                                                           \
        }                                                                                                             \
    }                                                                                                                 \
    template <class V>                                                                                                \
    SIGMA_DEVICE void subtract_row(const Block<V>& x, long long i, V factor, long long other) {                       \
        for (long long j = 0; j < x.columns; ++j) x(i, j) -= factor * x(other, j);                                    \
    }                                                                                                                 \
    template <class V>                                                                                                \
    SIGMA_DEVICE void lu(Block<V> f, Block<V> a, Block<V>, Block<V>, bool) {                                          \
        const long long n = a.rows;                                                                                   \
        for (long long i = 0; i < n; ++i)                                                                             \
            for (long long j = 0; j < n; ++j) f(i, j) = a(i, j);                                                      \
        const Block<V> square = {f.data, n, n, f.row, f.column};                                                      \
        for (long long k = 0; k < n; ++k) {                                                                           \
            long long pivot = k;                                                                                      \
            for (long long i = k + 1; i < n; ++i)                                                                     \
                if (abs(f(i, k)) > abs(f(pivot, k))) pivot = i;                                                       \
            f(k, n) = V(pivot);                                                                                       \
            exchange_rows(square, k, V(pivot));                                                                       \
            for (long long i = k + 1; i < n; ++i) {                                                                   \
                if (f(i, k) == V(0)) continue;                                                                        \
                f(i, k) = f(i, k) / f(k, k);                                                                          \
                for (long long j = k + 1; j < n; ++j) f(i, j) -= f(i, k) * f(k, j);                                   \
            }                                                                                                         \
        }                                                                                                             \
    }                                                                                                                 \
    template <class V>                                                                                                \
    SIGMA_DEVICE void solve(Block<V> x, Block<V>, Block<V> b, Block<V> f, bool transposed) {                          \
        const long long n = x.rows;                                                                                   \
        for (long long i = 0; i < n; ++i)                                                                             \
            for (long long j = 0; j < x.columns; ++j) x(i, j) = b(i, j);                                              \
        for (long long i = 0; i < n && !transposed; ++i) exchange_rows(x, i, f(i, n));                                \
        for (long long i = 0; i < n; ++i) { /* L, or the transposed U */                                              \
            for (long long k = 0; k < i; ++k) subtract_row(x, i, transposed ? f(k, i) : f(i, k), k);                  \
            for (long long j = 0; j < x.columns && transposed; ++j) x(i, j) = x(i, j) / f(i, i);                      \
        }                                                                                                             \
        for (long long i = n; i-- > 0;) { /* U, or the transposed L */                                                \
            for (long long k = i + 1; k < n; ++k) subtract_row(x, i, transposed ? f(k, i) : f(i, k), k);              \
            for (long long j = 0; j < x.columns && !transposed; ++j) x(i, j) = x(i, j) / f(i, i);                     \
        }                                                                                                             \
        for (long long i = n; i-- > 0 && transposed;) exchange_rows(x, i, f(i, n));                                   \
    }                                                                                                                 \
    template <class V>                                                                                                \
    SIGMA_DEVICE void determinant(Block<V> y, Block<V> a, Block<V> f, Block<V>, bool) {                               \
        V product = V(1);                                                                                             \
        for (long long i = 0; i < a.rows; ++i) product *= f(i, a.rows) == V(i) ? f(i, i) : -f(i, i);                  \
        y(0, 0) = product;                                                                                            \
    }                                                                                                                 \
    template <class V>                                                                                                \
    SIGMA_DEVICE void log_determinant(Block<V> y, Block<V> a, Block<V> f, Block<V>, bool sign_alone) {                \
        V sign = V(1), logarithm = V(0);                                                                              \
        for (long long i = 0; i < a.rows; ++i) {                                                                      \
            const V pivot = f(i, a.rows) == V(i) ? f(i, i) : -f(i, i);                                                \
            sign *= pivot > V(0) ? V(1) : pivot < V(0) ? V(-1) : pivot; /* 0, or NaN */                               \
            logarithm += log(abs(pivot));                                                                             \
        }                                                                                                             \
        y(0, 0) = sign_alone ? sign : logarithm;                                                                      \
    }                                                                                                                 \
    template <class V>                                                                                                \
    SIGMA_DEVICE void cofactors(Block<V> y, Block<V> a, Block<V> f, Block<V>, bool) {                                 \
        const long long n = a.rows;                                                                                   \
        V sign = V(1);                                                                                                \
        for (long long i = 0; i < n; ++i) sign = f(i, n) == V(i) ? sign : -sign;                                      \
        for (long long j = 0; j < n; ++j) { /* row j: column j of the adjugate of U */                                \
            V after = sign, before = V(1);                                                                            \
            for (long long k = j + 1; k < n; ++k) after *= f(k, k);                                                   \
            for (long long i = 0; i < n; ++i) y(j, i) = i == j ? V(1) : V(0);                                         \
            for (long long i = j; i-- > 0;) {                                                                         \
                V between = V(1);                                                                                     \
                for (long long k = i + 1; k <= j; ++k) {                                                              \
                    y(j, i) -= f(i, k) * y(j, k) * between;                                                           \
                    between *= f(k, k);                                                                               \
                }                                                                                                     \
            }                                                                                                         \
            for (long long i = 0; i <= j; ++i) {                                                                      \
                y(j, i) *= before * after;                                                                            \
                before *= f(i, i);                                                                                    \
            }                                                                                                         \
        }                                                                                                             \
        for (long long i = n; i-- > 0;)                                                                               \
            for (long long k = i + 1; k < n; ++k) subtract_row(y, i, f(k, i), k);                                     \
        for (long long i = n; i-- > 0;) exchange_rows(y, i, f(i, n));                                                 \
    }
