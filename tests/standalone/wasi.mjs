// SPDX-License-Identifier: BSL-1.0
// Runs a program that em++ -sSTANDALONE_WASM has compiled, and prints what it prints.
//     node wasi.mjs PROGRAM.wasm
import {readFileSync, writeSync} from "node:fs";

let memory, text = "";
const imports = {
    fd_write(file, parts, count, written) {
        const view = new DataView(memory.buffer);
        let total = 0;
        for (let i = 0; i < count; ++i) {
            const place = view.getUint32(parts + 8 * i, true), size = view.getUint32(parts + 8 * i + 4, true);
            text += new TextDecoder().decode(new Uint8Array(memory.buffer, place, size));
            total += size;
        }
        view.setUint32(written, total, true);
        return 0;
    },
    proc_exit(code) {
        writeSync(1, text);
        process.exit(code);
    },
};
const {exports} = new WebAssembly.Instance(new WebAssembly.Module(readFileSync(process.argv[2])), {wasi_snapshot_preview1: imports});
memory = exports.memory;
exports._start();
writeSync(1, text);
