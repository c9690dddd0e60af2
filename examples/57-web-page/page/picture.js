// SPDX-License-Identifier: BSL-1.0
// Drawings as the pictures of MNIST: white on black, 28 x 28 pixels, the digit 20 pixels large, its center of mass in the middle.

const side = 28, size = 20, margin = (side - size) / 2, pen = 1.2;  // pixels; `pen` is half the width of a line
const smallest = 0.15;                  // of the drawing's area: a smaller drawing, such as a dot, is not enlarged to the full size

/// The lightness of 28 x 28 pixels, from 0 to 1, with lines from point to point of each stroke. Points are in pixels.
function painted(strokes) {
    const pixels = new Float32Array(side * side);
    for (const points of strokes)
        for (let i = 0; i < points.length; ++i) {
            const [ax, ay] = points[Math.max(0, i - 1)], dx = points[i][0] - ax, dy = points[i][1] - ay, square = dx * dx + dy * dy;
            for (let row = 0; row < side; ++row)
                for (let column = 0; column < side; ++column) {
                    const x = column + 0.5 - ax, y = row + 0.5 - ay;
                    const along = square > 0 ? Math.min(1, Math.max(0, (x * dx + y * dy) / square)) : 0;
                    const light = Math.min(1, Math.max(0, pen + 0.5 - Math.hypot(x - along * dx, y - along * dy)));
                    pixels[row * side + column] = Math.max(pixels[row * side + column], light);
                }
        }
    return pixels;
}

/// The picture of strokes. Each is a list of points [x, y], which are shares of the drawing's area, from 0 to 1.
export function picture(strokes) {
    const points = strokes.flat();
    if (points.length === 0) return new Float32Array(side * side);
    const [left, right, top, bottom] = [0, 0, 1, 1].map((axis, i) => Math[i % 2 ? "max" : "min"](...points.map(point => point[axis])));
    const scale = (size - 2 * pen) / Math.max(right - left, bottom - top, smallest);
    const placed = (x, y) => strokes.map(stroke => stroke.map(point => [x + scale * (point[0] - (left + right) / 2), y + scale * (point[1] - (top + bottom) / 2)]));
    let sum = 0, x = 0, y = 0;
    painted(placed(side / 2, side / 2)).forEach((light, i) => {
        sum += light;
        x += light * (i % side + 0.5);
        y += light * (Math.floor(i / side) + 0.5);
    });
    const shifted = mean => side / 2 + Math.min(margin, Math.max(-margin, side / 2 - mean));
    return painted(placed(shifted(x / sum), shifted(y / sum)));
}
