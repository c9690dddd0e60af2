// SPDX-License-Identifier: BSL-1.0
#pragma once

namespace sigma::on_gpu {

/// The text of convolution and its adjoints as matrix products. The left operand is read directly from the image. A
/// block computes bm × bn elements of the result, a thread tm × tn of them. It follows image_kernels.
///
/// G has as constants: the convolution (as on_cpu::ConvolutionArguments), bm, bn, bk, tm, tn, threads, the number of
/// elements of the left operand (va) and of the right one (vb) that are read at once, and whether the result is written
/// in the same way (packs).
inline constexpr const char* convolution_kernels = R"cuda(
#ifndef SIGMA_CONVOLUTION_KERNELS
#define SIGMA_CONVOLUTION_KERNELS

// P has the operands: row(m) describes a row of the tile, a(row, k), b(k, n), store(m, n, sums). Each sum is one chain
// in the order of k, so that results do not depend on tiles.
template <class T, class G, class P> SIGMA_DEVICE void sigma_tiles(P p) {
    constexpr int V = 16 / int(sizeof(T)), va = G::va, vb = G::vb;
    constexpr int bm = G::bm, bn = G::bn, bk = G::bk, tm = G::tm, tn = G::tn;
    constexpr int across = bn / tn, workers = bm / tm * across;
    constexpr int a_pieces = bm * bk / va, b_pieces = bn * bk / vb;
    constexpr int a_shares = SIGMA_SHARES(a_pieces, G::threads), b_shares = SIGMA_SHARES(b_pieces, G::threads);
    constexpr int shares = SIGMA_SHARES(workers, G::threads);
    constexpr bool a_along_k = P::a_along_k && va > 1;
    SIGMA_SHARED sigma_pack<T> a_tile[2][bk][bm / V + 1];
    SIGMA_SHARED sigma_pack<T> b_tile[2][bk][bn / V + 1];
    SIGMA_SHARED typename P::Row rows[bm];
    SIGMA_OWN sigma_some<T, va> a_next[a_shares];
    SIGMA_OWN sigma_some<T, vb> b_next[b_shares];
    SIGMA_OWN T sums[shares][tm][tn];

    const auto load = [&](int first) {
        SIGMA_UNROLL
        for (int s = 0; s < a_shares; ++s) {
            const int piece = SIGMA_THREAD + s * SIGMA_STEP(G::threads);
            if (sigma_is_beyond<a_pieces, G::threads>(piece)) break;
            const int m = a_along_k ? piece / (bk / va) : piece % (bm / va) * va;
            const int k = a_along_k ? piece % (bk / va) * va : piece / (bm / va);
            a_next[SIGMA_OWN_AT(piece, s)] = p.a(rows[m], first + k);
        }
        SIGMA_UNROLL
        for (int s = 0; s < b_shares; ++s) {
            const int piece = SIGMA_THREAD + s * SIGMA_STEP(G::threads);
            if (sigma_is_beyond<b_pieces, G::threads>(piece)) break;
            b_next[SIGMA_OWN_AT(piece, s)] = p.b(first + piece / (bn / vb), piece % (bn / vb) * vb);
        }
    };
    const auto keep = [&](int side) {
        SIGMA_UNROLL
        for (int s = 0; s < a_shares; ++s) {
            const int piece = SIGMA_THREAD + s * SIGMA_STEP(G::threads);
            if (sigma_is_beyond<a_pieces, G::threads>(piece)) break;
            const int m = a_along_k ? piece / (bk / va) : piece % (bm / va) * va;
            const int k = a_along_k ? piece % (bk / va) * va : piece / (bm / va);
            SIGMA_UNROLL
            for (int i = 0; i < va; ++i) {
                if (a_along_k) a_tile[side][k + i][m / V].v[m % V] = a_next[SIGMA_OWN_AT(piece, s)].v[i];
                else a_tile[side][k][m / V].v[m % V + i] = a_next[SIGMA_OWN_AT(piece, s)].v[i];
            }
        }
        SIGMA_UNROLL
        for (int s = 0; s < b_shares; ++s) {
            const int piece = SIGMA_THREAD + s * SIGMA_STEP(G::threads);
            if (sigma_is_beyond<b_pieces, G::threads>(piece)) break;
            const int k = piece / (bn / vb), n = piece % (bn / vb) * vb;
            SIGMA_UNROLL
            for (int i = 0; i < vb; ++i) b_tile[side][k][n / V].v[n % V + i] = b_next[SIGMA_OWN_AT(piece, s)].v[i];
        }
    };

    for (long long tile = SIGMA_BLOCK; tile < p.tiles; tile += SIGMA_BLOCKS) {
        p.begin(tile);
        SIGMA_SYNC();  // no thread reads the rows of the previous tile any more
        for (int m = SIGMA_THREAD; m < bm; m += SIGMA_THREADS) rows[m] = p.row(m);
        SIGMA_SYNC();
        SIGMA_UNROLL
        for (int s = 0; s < shares; ++s) {
            const int worker = SIGMA_THREAD + s * SIGMA_STEP(G::threads);
            if (sigma_is_beyond<workers, G::threads>(worker)) break;
            SIGMA_UNROLL
            for (int i = 0; i < tm; ++i) {
                SIGMA_UNROLL
                for (int j = 0; j < tn; ++j) sums[SIGMA_OWN_AT(worker, s)][i][j] = T(0);
            }
        }
        // The next terms are loaded while these are multiplied. One barrier per step is enough: the sides alternate.
        for (int first = 0, side = 0;; first += bk, side ^= 1) {
            const bool more = first < p.terms;
            if (more) load(first);
            SIGMA_UNROLL
            for (int s = 0; s < shares; ++s) {
                if (first == 0) break;
                const int worker = SIGMA_THREAD + s * SIGMA_STEP(G::threads);
                if (sigma_is_beyond<workers, G::threads>(worker)) break;
                const int down = worker / across, right = worker % across;
                SIGMA_UNROLL_SOME
                for (int k = 0; k < bk; ++k) {
                    sigma_pack<T> a[tm / V], b[tn / V];
                    SIGMA_UNROLL
                    for (int i = 0; i < tm / V; ++i) a[i] = a_tile[side][k][i * (bm / tm) + down];
                    SIGMA_UNROLL
                    for (int j = 0; j < tn / V; ++j) b[j] = b_tile[side][k][j * across + right];
                    SIGMA_UNROLL
                    for (int i = 0; i < tm; ++i) {
                        SIGMA_UNROLL
                        for (int j = 0; j < tn; ++j)
                            sums[SIGMA_OWN_AT(worker, s)][i][j] += a[i / V].v[i % V] * b[j / V].v[j % V];
                    }
                }
            }
            if (!more) break;
            keep(side ^ 1);
            SIGMA_SYNC();
        }
        SIGMA_UNROLL
        for (int s = 0; s < shares; ++s) {
            const int worker = SIGMA_THREAD + s * SIGMA_STEP(G::threads);
            if (sigma_is_beyond<workers, G::threads>(worker)) break;
            const int down = worker / across, right = worker % across;
            SIGMA_UNROLL
            for (int i = 0; i < tm; ++i) {
                SIGMA_UNROLL
                for (int j = 0; j < tn / V; ++j) {
                    sigma_some<T, V> some;
                    SIGMA_UNROLL
                    for (int e = 0; e < V; ++e) some.v[e] = sums[SIGMA_OWN_AT(worker, s)][i][j * V + e];
                    p.store((i / V * (bm / tm) + down) * V + i % V, (j * across + right) * V, some);
                }
            }
        }
    }
}

// Returns whether a pixel is one of the zeros around x.
template <class G> SIGMA_DEVICE bool sigma_is_outside(int i, int j) {
    return G::padded && (unsigned(i) >= unsigned(G::height) || unsigned(j) >= unsigned(G::width));
}

// Rows: positions of y; terms: (kh, kw, c); columns: outputs of a group.
template <class T, class G> struct sigma_forward {
    static constexpr bool a_along_k = true;
    static constexpr int channels = G::channels / G::groups, outputs = G::outputs / G::groups;
    static constexpr int positions = G::result_height * G::result_width;
    static constexpr int column_tiles = (outputs + G::bn - 1) / G::bn;
    struct Row { long long at; int i, j; };  // position in x of the first tap, and its row and column; row `none`
    static constexpr int none = -(1 << 30);
    const T *x, *w;
    T* y;
    long long images, tiles;
    bool x_whole, w_whole, y_whole;
    int terms, group, column, rows, position;
    long long first, image;

    SIGMA_METHOD sigma_forward(const T* x_, const T* w_, T* y_, long long images_)
        : x(x_), w(w_), y(y_), images(images_),
          tiles((images_ * positions + G::bm - 1) / G::bm * G::groups * column_tiles),
          x_whole(sigma_is_aligned(x_)), w_whole(sigma_is_aligned(w_)), y_whole(G::packs && sigma_is_aligned(y_)),
          terms(G::kernel_height * G::kernel_width * channels) {}
    SIGMA_METHOD void begin(long long tile) {
        column = int(tile % column_tiles) * G::bn;
        tile /= column_tiles;
        group = int(tile % G::groups);
        first = tile / G::groups * G::bm;
        image = first / positions;
        position = int(first - image * positions);
        const long long left = images * positions - first;
        rows = left < G::bm ? int(left) : G::bm;
    }
    SIGMA_METHOD Row row(int m) const {
        if (m >= rows) return {0, none, 0};
        const unsigned at = unsigned(position + m), n = at / positions, q = at - n * positions;
        const unsigned line = q / G::result_width;
        const int i = int(line) * G::stride0 - G::before0, j = int(q - line * G::result_width) * G::stride1 - G::before1;
        return {(image + n) * G::image + (i * (long long)G::row + j * G::pixel + group * channels), i, j};
    }
    SIGMA_METHOD sigma_some<T, G::va> a(const Row& r, int k) const {
        if (r.i == none || k >= terms) return sigma_zeros<T, G::va>();
        const unsigned tap = unsigned(k) / channels, c = unsigned(k) - tap * channels;
        const unsigned kh = tap / G::kernel_width, kw = tap - kh * G::kernel_width;
        if (sigma_is_outside<G>(r.i + int(kh) * G::dilation0, r.j + int(kw) * G::dilation1))
            return sigma_zeros<T, G::va>();
        const unsigned from = kh * (G::dilation0 * G::row) + kw * (G::dilation1 * G::pixel) + c;
        return sigma_load_some<G::va>(x + (r.at + (long long)from), x_whole, G::va);
    }
    SIGMA_METHOD sigma_some<T, G::vb> b(int k, int n) const {
        const int left = outputs - column - n;
        if (k >= terms || left <= 0) return sigma_zeros<T, G::vb>();
        const T* const line = w + (long long)k * G::weights_row;
        return sigma_load_some<G::vb>(line + (group * outputs + column + n), w_whole, left);
    }
    template <int V> SIGMA_METHOD void store(int m, int n, const sigma_some<T, V>& some) const {
        const int left = outputs - column - n;
        if (m >= rows || left <= 0) return;
        sigma_store_some(y + (first + m) * G::y_pixel + (group * outputs + column + n), some, y_whole, left);
    }
};

// Rows: pixels of x at the same place between positions of y, one phase of strides after the other; terms: the taps of
// the kernel that reach a position there, and the outputs of a group; columns: channels of a group. w is transposed.
template <class T, class G> struct sigma_backward {
    static constexpr bool a_along_k = true;
    static constexpr int channels = G::channels / G::groups, outputs = G::outputs / G::groups;
    static constexpr int high = (G::height + G::stride0 - 1) / G::stride0;
    static constexpr int wide = (G::width + G::stride1 - 1) / G::stride1;
    static constexpr int pixels = high * wide, phases = G::stride0 * G::stride1;
    static constexpr int column_tiles = (channels + G::bn - 1) / G::bn;
    struct Row { long long at; int i, j; };  // image of y; position of y that the first tap reaches
    struct Taps { int first, count, at; };   // the first tap, their number, the position it reaches
    const T *y, *w;
    T* x;
    long long images, tiles;
    bool y_whole, w_whole, x_whole;
    int terms, group, column, rows, pixel, top, left_side;
    Taps down, across;
    long long first, image;

    SIGMA_METHOD sigma_backward(const T* y_, const T* w_, T* x_, long long images_)
        : y(y_), w(w_), x(x_), images(images_),
          tiles((images_ * pixels + G::bm - 1) / G::bm * phases * G::groups * column_tiles),
          y_whole(sigma_is_aligned(y_)), w_whole(sigma_is_aligned(w_)), x_whole(G::packs && sigma_is_aligned(x_)) {}
    // Returns the taps t with t * dilation = phase modulo the stride; they are `every` apart.
    static SIGMA_METHOD Taps taps(int phase, int taps, int stride, int dilation, int every) {
        int t = 0;
        while (t < every && (t * dilation - phase) % stride != 0) ++t;
        if (t >= every || t >= taps) return {0, 0, 0};
        return {t, (taps - 1 - t) / every + 1, (phase - t * dilation) / stride};
    }
    SIGMA_METHOD void begin(long long tile) {
        column = int(tile % column_tiles) * G::bn;
        tile /= column_tiles;
        group = int(tile % G::groups);
        tile /= G::groups;
        const int phase = int(tile % phases);
        first = tile / phases * G::bm;
        top = phase / G::stride1;
        left_side = phase % G::stride1;
        down = taps(top + G::before0, G::kernel_height, G::stride0, G::dilation0, G::every0);
        across = taps(left_side + G::before1, G::kernel_width, G::stride1, G::dilation1, G::every1);
        terms = down.count * across.count * outputs;
        image = first / pixels;
        pixel = int(first - image * pixels);
        const long long left = images * pixels - first;
        rows = left < G::bm ? int(left) : G::bm;
    }
    struct Place { long long n; int h, w; };
    SIGMA_METHOD Place place(int m) const {
        const unsigned at = unsigned(pixel + m), n = at / pixels, q = at - n * pixels, i = q / wide;
        return {image + n, int(i), int(q - i * wide)};
    }
    SIGMA_METHOD Row row(int m) const {
        const Place p = place(m);
        if (m >= rows) return {0, -1, -1};
        return {p.n * G::y_image + group * outputs, p.h + down.at, p.w + across.at};
    }
    struct Term { int down, across, output; };
    SIGMA_METHOD Term term(int k) const {
        const unsigned tap = unsigned(k) / outputs;
        const unsigned count = G::stride1 == 1 ? unsigned(G::kernel_width) : unsigned(across.count), d = tap / count;
        return {int(d), int(tap - d * count), int(unsigned(k) - tap * outputs)};
    }
    SIGMA_METHOD sigma_some<T, G::va> a(const Row& r, int k) const {
        if (k >= terms) return sigma_zeros<T, G::va>();
        const Term t = term(k);
        const int i = r.i - t.down * (G::every0 * G::dilation0 / G::stride0);
        const int j = r.j - t.across * (G::every1 * G::dilation1 / G::stride1);
        if (unsigned(i) >= unsigned(G::result_height) || unsigned(j) >= unsigned(G::result_width))
            return sigma_zeros<T, G::va>();
        return sigma_load_some<G::va>(y + r.at + ((i * G::result_width + j) * G::y_pixel + t.output), y_whole, G::va);
    }
    SIGMA_METHOD sigma_some<T, G::vb> b(int k, int n) const {
        const int left = channels - column - n;
        if (k >= terms || left <= 0) return sigma_zeros<T, G::vb>();
        const Term t = term(k);
        const int kh = down.first + t.down * G::every0, kw = across.first + t.across * G::every1;
        const long long line = (long long)(kh * G::outputs + group * outputs + t.output) * G::kernel_width + kw;
        return sigma_load_some<G::vb>(w + line * G::weights_row + (column + n), w_whole, left);
    }
    template <int V> SIGMA_METHOD void store(int m, int n, const sigma_some<T, V>& some) const {
        const int left = channels - column - n;
        if (m >= rows || left <= 0) return;
        const Place p = place(m);
        const int h = p.h * G::stride0 + top, v = p.w * G::stride1 + left_side;
        if (h >= G::height || v >= G::width) return;
        T* const to = x + p.n * G::image + (h * G::row + v * G::pixel);
        sigma_store_some(to + (group * channels + column + n), some, x_whole, left);
    }
};

// Rows: (kh, kw, c); terms: positions of y in all images, divided into parts; columns: outputs of a group. Part i is
// stored at i * G::part, with rows G::result_row apart.
template <class T, class G> struct sigma_weights {
    static constexpr bool a_along_k = false;
    static constexpr int channels = G::channels / G::groups, outputs = G::outputs / G::groups;
    static constexpr int positions = G::result_height * G::result_width;
    static constexpr int lines = G::kernel_height * G::kernel_width * channels;
    static constexpr int column_tiles = (outputs + G::bn - 1) / G::bn, row_tiles = (lines + G::bm - 1) / G::bm;
    struct Row { int at, i, j; };  // offset from the first pixel of a position in x, and in rows and columns; row `none`
    static constexpr int none = -(1 << 30);
    const T *x, *y;
    T *result, *to;
    long long all, share, tiles;
    bool x_whole, y_whole, result_whole;
    int terms, group, column, line, position;
    long long first, image;

    SIGMA_METHOD sigma_weights(const T* x_, const T* y_, T* result_, long long images)
        : x(x_), y(y_), result(result_), to(result_), all(images * positions),
          share((images * positions + G::parts - 1) / G::parts),
          tiles((long long)G::parts * G::groups * row_tiles * column_tiles), x_whole(sigma_is_aligned(x_)),
          y_whole(sigma_is_aligned(y_)), result_whole(G::packs && sigma_is_aligned(result_)) {
        share = (share + G::bk - 1) / G::bk * G::bk;
    }
    SIGMA_METHOD void begin(long long tile) {
        column = int(tile % column_tiles) * G::bn;
        tile /= column_tiles;
        line = int(tile % row_tiles) * G::bm;
        tile /= row_tiles;
        group = int(tile % G::groups);
        const long long part = tile / G::groups;
        first = part * share;
        const long long left = all - first;
        terms = left < 0 ? 0 : left < share ? int(left) : int(share);
        image = first / positions;
        position = int(first - image * positions);
        to = result + part * G::part;
    }
    SIGMA_METHOD Row row(int m) const {
        const unsigned at = unsigned(line + m), tap = at / channels, c = at - tap * channels;
        if (at >= unsigned(lines)) return {0, none, 0};
        const unsigned kh = tap / G::kernel_width, kw = tap - kh * G::kernel_width;
        const int i = int(kh) * G::dilation0 - G::before0, j = int(kw) * G::dilation1 - G::before1;
        return {i * int(G::row) + j * G::pixel + int(c) + group * channels, i, j};
    }
    SIGMA_METHOD sigma_some<T, G::va> a(const Row& r, int k) const {
        if (r.i == none || k >= terms) return sigma_zeros<T, G::va>();
        const unsigned at = unsigned(position) + unsigned(k), n = at / positions, q = at - n * positions;
        const unsigned i = q / G::result_width, j = q - i * G::result_width;
        if (sigma_is_outside<G>(int(i) * G::stride0 + r.i, int(j) * G::stride1 + r.j)) return sigma_zeros<T, G::va>();
        const unsigned from = i * (G::stride0 * G::row) + j * (G::stride1 * G::pixel);
        return sigma_load_some<G::va>(x + ((image + n) * G::image + (long long)from + r.at), x_whole, G::va);
    }
    SIGMA_METHOD sigma_some<T, G::vb> b(int k, int n) const {
        const int left = outputs - column - n;
        if (k >= terms || left <= 0) return sigma_zeros<T, G::vb>();
        return sigma_load_some<G::vb>(y + (first + k) * G::y_pixel + (group * outputs + column + n), y_whole, left);
    }
    template <int V> SIGMA_METHOD void store(int m, int n, const sigma_some<T, V>& some) const {
        const int left = outputs - column - n;
        if (line + m >= lines || left <= 0) return;
        T* const row = to + (long long)(line + m) * G::result_row;
        sigma_store_some(row + (group * outputs + column + n), some, result_whole, left);
    }
};
#endif
)cuda";

}  // namespace sigma::on_gpu
