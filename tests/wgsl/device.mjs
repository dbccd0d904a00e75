// SPDX-License-Identifier: MIT
// A device of WebGPU, shaders joined from their files, buffers in and out, and comparisons.
import fs from 'node:fs';
import path from 'node:path';
import {create, globals} from 'webgpu';

Object.assign(globalThis, globals);

export class NoDevice extends Error {}

// With the limits that every device has: what needs more would not run everywhere.
let gpu; // devices do not keep it alive
export async function openDevice() {
    gpu = create([]);
    const adapter = await gpu.requestAdapter();
    if (!adapter) throw new NoDevice('there is no Vulkan driver that Dawn takes');
    const device = await adapter.requestDevice();
    device.label = [adapter.info.vendor, adapter.info.architecture, adapter.info.description].join(' ').trim();
    device.addEventListener('uncapturederror', event => {
        console.error(`the device says: ${event.error.message}`);
        process.exit(1);
    });
    return device;
}

// What there is to join, and the folder it is in.
export const joins = {
    compute: ['skin', 'words', 'mesh', 'skin_compute'],
    draw: ['skin', 'words', 'mesh', 'draw', 'skin_draw'],
    attributes: ['skin', 'draw', 'skin_attributes'],
    cloud: ['skin', 'words', 'cloud'],
};
export const palettes = ['palette_storage', 'palette_uniform', 'palette_texture'];

export async function joinShaders(device, folder, names, more = '') {
    const code = names.map(name => fs.readFileSync(path.join(folder, `${name}.wgsl`), 'utf8')).join('\n') + more;
    const module = device.createShaderModule({label: names.join(' '), code});
    const {messages} = await module.getCompilationInfo();
    if (messages.length) {
        const m = messages[0];
        throw new Error(`${names.join(' ')}: ${m.type}: ${m.message} (line ${m.lineNum}: ${code.split('\n')[m.lineNum - 1]})`);
    }
    return module;
}

// ---- Buffers ------------------------------------------------------------------------------------------------

const {STORAGE, UNIFORM, COPY_SRC, COPY_DST, MAP_READ, VERTEX, INDEX} = GPUBufferUsage;

// A buffer that holds these bytes, and zeros up to a multiple of 4.
export function bufferOf(device, bytes, usage = STORAGE | COPY_SRC | COPY_DST) {
    const size = Math.max(4, Math.ceil(bytes.byteLength / 4) * 4);
    const buffer = device.createBuffer({size, usage, mappedAtCreation: true});
    new Uint8Array(buffer.getMappedRange()).set(new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength));
    buffer.unmap();
    return buffer;
}

export const uniformOf = (device, bytes) => bufferOf(device, bytes, UNIFORM | COPY_DST);
export const verticesOf = (device, bytes) => bufferOf(device, bytes, VERTEX);
export const indicesOf = (device, bytes) => bufferOf(device, bytes, INDEX);

const guard = {words: 16, value: 0xdecade01};

// Room for so many floats, with guard words behind them; everything is a pattern until it is written.
export function outputOf(device, floats) {
    return bufferOf(device, new Uint32Array(floats + guard.words).fill(guard.value));
}

export async function readBuffer(device, buffer) {
    const copy = device.createBuffer({size: buffer.size, usage: MAP_READ | COPY_DST});
    const encoder = device.createCommandEncoder();
    encoder.copyBufferToBuffer(buffer, 0, copy, 0, buffer.size);
    device.queue.submit([encoder.finish()]);
    await copy.mapAsync(GPUMapMode.READ);
    const bytes = copy.getMappedRange().slice(0);
    copy.destroy();
    return bytes;
}

export async function readOutput(device, buffer, floats) {
    const bytes = await readBuffer(device, buffer);
    const behind = new Uint32Array(bytes, 4 * floats);
    if (behind.some(word => word !== guard.value)) throw new Error('written past the end of an output');
    return new Float32Array(bytes, 0, floats);
}

// The palette in what the source wants; null where it does not fit.
export function paletteOf(device, source, floats) {
    if (source === 'palette_storage') return {buffer: bufferOf(device, floats)};
    if (source === 'palette_uniform') {
        if (floats.length > 4096) return null;
        const block = new Float32Array(4096);
        block.set(floats);
        return {buffer: uniformOf(device, block)};
    }
    const width = 64, height = Math.ceil(floats.length / 4 / width);
    const texels = new Float32Array(4 * width * height);
    texels.set(floats);
    const texture = device.createTexture({size: [width, height], format: 'rgba32float',
        usage: GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.COPY_DST});
    device.queue.writeTexture({texture}, texels, {bytesPerRow: 16 * width}, [width, height]);
    return texture.createView();
}

// Resources by binding.
export function bind(device, pipeline, resources, group = 0) {
    return device.createBindGroup({layout: pipeline.getBindGroupLayout(group),
        entries: Object.entries(resources).map(([binding, resource]) =>
            ({binding: Number(binding), resource: resource instanceof GPUBuffer ? {buffer: resource} : resource}))});
}

// A compute pipeline; its entry is the join's only one.
export const computePipeline = (device, module) =>
    device.createComputePipeline({layout: 'auto', compute: {module}});

export function dispatch(device, pipeline, resources, x, y = 1) {
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, bind(device, pipeline, resources));
    pass.dispatchWorkgroups(x, y);
    pass.end();
    device.queue.submit([encoder.finish()]);
}

// ---- Cases --------------------------------------------------------------------------------------------------

export function readCases(folder) {
    const list = JSON.parse(fs.readFileSync(path.join(folder, 'cases.json'), 'utf8'));
    const data = fs.readFileSync(path.join(folder, 'cases.bin'));
    const of = kind => list.filter(one => one.kind === kind);
    const bytes = range => data.buffer.slice(data.byteOffset + range.at, data.byteOffset + range.at + range.size);
    return {of, floats: range => new Float32Array(bytes(range)), words: range => new Uint32Array(bytes(range))};
}

// ---- Comparisons --------------------------------------------------------------------------------------------

// The worst of each kind of number, for the report, and what was too far.
export class Worst {
    constructor() { this.worst = new Map(); }

    add(kind, value, most, name) {
        const before = this.worst.get(kind);
        if (!before || !(value <= before.value)) this.worst.set(kind, {value, name, most});
        if (!(value <= most)) throw new Error(`${name}: ${kind} differ by ${value}, and may by ${most}`);
    }

    print() {
        for (const [kind, {value, name, most}] of this.worst)
            console.log(`worst ${kind}: ${value.toExponential(2)} of ${most.toExponential(2)} (${name})`);
    }
}

// The largest difference of numbers, each over the slack of its vector of `width`. What is not a number is infinitely
// far from all but its like.
export function difference(actual, expected, width = 1, slacks = null) {
    if (actual.length !== expected.length) throw new Error(`${actual.length} numbers of ${expected.length}`);
    let most = 0;
    for (let i = 0; i < actual.length; i++) {
        const d = Math.abs(actual[i] - expected[i]) / (slacks ? slacks[Math.floor(i / width)] : 1);
        if (Number.isNaN(d) && Object.is(actual[i], expected[i])) continue;
        if (!(d <= most)) most = Number.isNaN(d) ? Infinity : d;
    }
    return most;
}

// The same bits, but that -0 may be 0.
export function checkSame(actual, expected, name) {
    for (let i = 0; i < expected.length; i++)
        if (actual[i] !== expected[i]) throw new Error(`${name}: number ${i} is ${actual[i]}, and was ${expected[i]}`);
    if (actual.length !== expected.length) throw new Error(`${name}: ${actual.length} numbers of ${expected.length}`);
}
