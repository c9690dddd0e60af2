// SPDX-License-Identifier: BSL-1.0
// The network of the page on which one draws a digit, without a browser: what it reads, and that its file is what its header makes.
//     node --test tests/browser/digits.test.mjs
import assert from "node:assert/strict";
import {execFileSync, spawnSync} from "node:child_process";
import {mkdtempSync, readFileSync, rmSync, writeFileSync} from "node:fs";
import {tmpdir} from "node:os";
import {join} from "node:path";
import test from "node:test";
import {fileURLToPath} from "node:url";
import {gunzipSync} from "node:zlib";
import {examples, strokes_of} from "../../examples/57-web-page/page/digits.js";
import {load} from "../../examples/57-web-page/page/network.js";
import {picture} from "../../examples/57-web-page/page/picture.js";

const root = fileURLToPath(new URL("../..", import.meta.url)), folder = join(root, "examples/57-web-page/page");
const wasm = readFileSync(join(folder, "digits.wasm")), predict = await load(wasm, 784, 10);
const unpacked = (name, header) => gunzipSync(readFileSync(join(root, "data/mnist", name))).subarray(header);
const images = unpacked("t10k-images-idx3-ubyte.gz", 16), labels = unpacked("t10k-labels-idx1-ubyte.gz", 8);
const image = i => Float32Array.from(images.subarray(784 * i, 784 * (i + 1)), byte => byte / 255);
const read = pixels => { const shares = predict(pixels); return shares.indexOf(Math.max(...shares)); };
const installed = name => !spawnSync(name, ["--version"]).error;

test("the network has the accuracy that its page states, on images that it was not trained with", () => {
    let right = 0;
    for (let i = 9000; i < 10000; ++i) right += read(image(i)) === labels[i];
    const page = readFileSync(join(root, "docs/demo/digits.md"), "utf8");
    assert.equal(page.match(/\*\*([\d.]+) %\*\* of 1,000/)[1], (right / 10).toFixed(1));
    assert.equal(Number(page.match(/\| `digits.wasm` \| ([\d,]+) \|/)[1].replace(",", "")), wasm.length);
});

test("the network reads the examples, wherever they are drawn and however large", () => {
    for (const [digit, example] of examples.entries())
        for (const [scale, x, y] of [[1, 0, 0], [0.5, 0.5, 0], [0.4, 0.1, 0.6]]) {
            const strokes = strokes_of(example).map(points => points.map(point => [x + scale * point[0], y + scale * point[1]]));
            assert.equal(read(picture(strokes)), digit, `${digit} at ${x}, ${y}, scaled by ${scale}`);
        }
});

test("a drawing becomes a picture as those of MNIST are", () => {
    assert.ok(picture([]).every(light => light === 0));
    for (const strokes of [strokes_of(examples[7]), strokes_of(examples[4]), [[[0.9, 0.1]]], [[[0.1, 0.5], [0.9, 0.5]]]]) {
        const pixels = picture(strokes), lit = [...pixels.keys()].filter(i => pixels[i] > 0);
        const rows = lit.map(i => Math.floor(i / 28)), columns = lit.map(i => i % 28), mean = of => of.reduce((sum, x) => sum + x) / of.length;
        const extent = Math.max(Math.max(...rows) - Math.min(...rows), Math.max(...columns) - Math.min(...columns)) + 1;
        assert.ok(strokes[0].length === 1 ? extent <= 4 : extent >= 19 && extent <= 22, `${extent} pixels`);
        assert.ok(Math.abs(mean(rows) - 13.5) < 1 && Math.abs(mean(columns) - 13.5) < 1, `${mean(rows)}, ${mean(columns)}`);
    }
});

test("another number of numbers is rejected", () => assert.throws(() => predict(new Float32Array(783)), /expected 784 numbers, found 783/));

/// The predictions of 200 images, by a function from numbers to ten numbers.
const of_images = by => Float32Array.from(Array.from({length: 200}, (_, i) => [...by(image(50 * i))]).flat());

test("a program for 64-bit x86 predicts the same bits from the header", {skip: process.arch !== "x64" || !installed("g++")}, () => {
    const directory = mkdtempSync(join(tmpdir(), "sigma-digits-"));
    try {
        writeFileSync(join(directory, "program.cpp"), `#include "digits.hpp"
#include <cstdio>
int main() {
    static float in[digits::inputs], out[digits::outputs];
    while (std::fread(in, sizeof in, 1, stdin) == 1) digits::predict(in, out), std::fwrite(out, sizeof out, 1, stdout);
}
`);
        execFileSync("g++", ["-std=c++17", "-O2", "-I", folder, join(directory, "program.cpp"), "-o", join(directory, "program")]);
        const input = Buffer.concat(Array.from({length: 200}, (_, i) => Buffer.from(image(50 * i).buffer)));
        const output = execFileSync(join(directory, "program"), {input, maxBuffer: 1 << 20});
        assert.deepEqual(Buffer.from(of_images(predict).buffer), output);
    } finally {
        rmSync(directory, {recursive: true});
    }
});

test("em++ makes the network again from its header", {skip: installed("em++") ? false : "em++ is not installed: scripts/install-dependencies.sh wasm"}, async () => {
    const directory = mkdtempSync(join(tmpdir(), "sigma-digits-"));
    try {
        const [, command] = readFileSync(join(folder, "predict.cpp"), "utf8").match(/em\+\+ (.*) predict\.cpp -o digits\.wasm/);
        const said = spawnSync("em++", [...command.split(" "), "-Wall", "-Wextra", "-Werror", join(folder, "predict.cpp"), "-o", join(directory, "digits.wasm")], {encoding: "utf8"});
        assert.equal(said.status, 0, said.stderr);
        const again = await load(readFileSync(join(directory, "digits.wasm")), 784, 10);
        assert.deepEqual(of_images(again), of_images(predict));
    } finally {
        rmSync(directory, {recursive: true});
    }
});
