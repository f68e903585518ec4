// SPDX-License-Identifier: Apache-2.0
// Computes a network with ONNX Runtime: node onnxruntime.js MODULES MODEL INPUTS OUTPUTS
// INPUTS and OUTPUTS are folders of .npy files; MODULES holds node_modules with onnxruntime-node.
'use strict';
const fs = require('fs');
const path = require('path');
const [modules, model, inputs, outputs] = process.argv.slice(2);
const ort = require(require.resolve('onnxruntime-node', {paths: [modules]}));

const types = {
  '<f4': ['float32', Float32Array], '<f8': ['float64', Float64Array], '<i8': ['int64', BigInt64Array],
  '<i4': ['int32', Int32Array], '<i2': ['int16', Int16Array], '|i1': ['int8', Int8Array],
  '|u1': ['uint8', Uint8Array], '|b1': ['bool', Uint8Array], '<f2': ['float16', Uint16Array],
};

function read(file) {
  const bytes = fs.readFileSync(file);
  const length = bytes.readUInt16LE(8);
  const header = bytes.toString('latin1', 10, 10 + length);
  const descr = /'descr': *'([^']+)'/.exec(header)[1];
  const dims = /'shape': *\(([^)]*)\)/.exec(header)[1].split(',').filter((x) => x.trim()).map(Number);
  const [type, Array_] = types[descr];
  const data = new Uint8Array(bytes.subarray(10 + length));  // a copy, aligned
  return new ort.Tensor(type, new Array_(data.buffer, 0, data.byteLength / Array_.BYTES_PER_ELEMENT), dims);
}

function write(file, tensor) {
  const descr = Object.keys(types).find((key) => types[key][0] === tensor.type);
  const shape = tensor.dims.join(', ') + (tensor.dims.length === 1 ? ',' : '');
  let header = `{'descr': '${descr}', 'fortran_order': False, 'shape': (${shape}), }`;
  header = header.padEnd(Math.ceil((header.length + 11) / 64) * 64 - 11) + '\n';
  const start = Buffer.alloc(10);
  start.write('\x93NUMPY\x01\x00', 'latin1');
  start.writeUInt16LE(header.length, 8);
  const data = Buffer.from(tensor.data.buffer, tensor.data.byteOffset, tensor.data.byteLength);
  fs.writeFileSync(file, Buffer.concat([start, Buffer.from(header, 'latin1'), data]));
}

async function main() {
  const session = await ort.InferenceSession.create(model, {logSeverityLevel: 3, intraOpNumThreads: 1});
  const feeds = {};
  for (const name of session.inputNames) {
    const file = path.join(inputs, name + '.npy');
    if (fs.existsSync(file)) feeds[name] = read(file);
  }
  const results = await session.run(feeds);
  fs.mkdirSync(outputs, {recursive: true});
  for (const name of session.outputNames) {
    write(path.join(outputs, name.replace(/[/:\\]/g, '_') + '.npy'), results[name]);
  }
}

main().catch((error) => {
  console.error(String(error).split('\n')[0]);
  process.exit(1);
});
