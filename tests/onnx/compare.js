// SPDX-License-Identifier: BSL-1.0
// node compare.js PACKAGES FOLDER MOST [LEVEL]: runs each NAME.onnx of the folder with ONNX Runtime on the inputs of NAME.json
// and compares what comes out with what stands there. Fails where an error is greater than MOST: the difference over the
// number, or over a tenth of the greatest number of its tensor where that is more.
"use strict";
const fs = require("fs"), Module = require("module"), path = require("path");

const version = "1.30.0";  // as in scripts/install-dependencies.sh

const [packages, folder, most, level = "all"] = process.argv.slice(2);
// Both packages stand side by side in the cache that scripts/install-dependencies.sh fills, which node does not know.
const found_by_node = Module._resolveFilename;
Module._resolveFilename = (name, ...rest) =>
    found_by_node(name === "onnxruntime-common" ? path.join(packages, `${name}-${version}`) : name, ...rest);
const ort = require(path.join(packages, `onnxruntime-node-${version}`));
// Without the last one sums of 8 bits are cut off at 16 where the processor has no VNNI.
const options = {logSeverityLevel: 3, graphOptimizationLevel: level, extra: {session: {x64quantprecision: "1"}}};

function greatestError(found, wanted) {
    const scale = wanted.reduce((m, x) => Math.max(m, Math.abs(x)), 0) / 10;
    let greatest = 0;
    for (let i = 0; i < wanted.length; ++i) {
        if (Number.isNaN(wanted[i]) && Number.isNaN(found[i])) continue;
        const error = found[i] === wanted[i] ? 0 : Math.abs(found[i] - wanted[i]) / Math.max(Math.abs(wanted[i]), scale);
        greatest = error <= greatest ? greatest : error;  // NaN stays
    }
    return greatest;
}

async function compare(name) {
    const cases = JSON.parse(fs.readFileSync(path.join(folder, name + ".json"), "utf8").replace(/\bnan\b/g, "null"));
    const session = await ort.InferenceSession.create(path.join(folder, name + ".onnx"), options);
    const numbers = cases.type === "float64" ? Float64Array : Float32Array;
    let states = {}, greatest = 0;
    for (const step of cases.steps) {
        const feeds = {}, records = step.inputs[0].extents[0];
        session.inputMetadata.forEach((meta, i) => {
            const units = meta.shape[meta.shape.length - 1];
            const given = step.inputs[i] || {values: Array(records * units).fill(0), extents: [records, units]};
            feeds[meta.name] = states[meta.name] || new ort.Tensor(cases.type, numbers.from(given.values), given.extents);
        });
        const results = await session.run(feeds);
        step.outputs.forEach((wanted, i) => {
            const found = results[session.outputNames[i]];
            if (found.dims.join() !== wanted.extents.join())
                throw new Error(`expected the shape ${wanted.extents}, found ${found.dims}`);
            greatest = Math.max(greatest, greatestError(found.data, wanted.values.map(x => x === null ? NaN : x)));
        });
        states = {};
        for (const output of session.outputNames)
            if (output.endsWith(".next")) states[output.slice(0, -5)] = results[output];
    }
    return greatest;
}

(async () => {
    let agree = 0, greatest = 0;
    const names = fs.readdirSync(folder).filter(f => f.endsWith(".json")).map(f => f.slice(0, -5)).sort(), problems = [];
    for (const name of names) {
        try {
            const error = await compare(name);
            if (!(error <= Number(most))) problems.push(`${name}: expected an error of at most ${most}, found ${error}`);
            else ++agree;
            console.log(`${name} ${error.toExponential(2)}`);
            greatest = Math.max(greatest, error);
        } catch (e) {
            problems.push(`${name}: ${e.message}`);
        }
    }
    for (const problem of problems) console.error(problem);
    console.log(`${agree} of ${names.length} networks agree; the greatest error is ${greatest.toExponential(2)}`);
    process.exit(problems.length || names.length === 0 ? 1 : 0);
})();
