// SPDX-License-Identifier: BSL-1.0
// [network]
/// Loads the bytes of a .wasm file, and returns a function from numbers to their prediction.
export async function load(bytes, inputs, outputs) {
    const {instance} = await WebAssembly.instantiate(bytes);
    const {memory, input, predict} = instance.exports;
    return numbers => {
        if (numbers.length !== inputs) throw new RangeError(`expected ${inputs} numbers, found ${numbers.length}`);
        new Float32Array(memory.buffer, input(), inputs).set(numbers);
        return new Float32Array(memory.buffer, predict(), outputs).slice();
    };
}
// [network]
