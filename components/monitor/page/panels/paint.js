// SPDX-License-Identifier: BSL-1.0

/// Converts numbers to shades of gray: positive is light, negative is dark; without negative numbers, 0 is black.
export function shades(values, count) {
    let most = 1e-12, signed = false;
    for (let i = 0; i < count; ++i) {
        const x = values[i] ?? 0;
        most = Math.max(most, Math.abs(x));
        if (x < 0) signed = true;
    }
    return Uint8ClampedArray.from({length: count}, (_, i) => signed ? 127.5 + 127.5 * (values[i] ?? 0) / most : 255 * (values[i] ?? 0) / most);
}

export function paint(canvas, values, rows, columns) {
    canvas.width = columns;
    canvas.height = rows;
    const g = canvas.getContext("2d"), picture = g.createImageData(columns, rows);
    shades(values, rows * columns).forEach((light, i) => picture.data.set([light, light, light, 255], 4 * i));
    g.putImageData(picture, 0, 0);
}
