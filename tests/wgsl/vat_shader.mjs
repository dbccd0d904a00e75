// SPDX-License-Identifier: MIT
// Runs src/gpu/shaders/vat.wgsl on a device of WebGPU (npm's webgpu, which is looked for beside this file) and prints what it
// makes of vertices: node vat_shader.mjs vat.wgsl TEXTURE.ktx2 float|uint < INPUT, with the input, the output and the exit
// statuses of tests/gpu/vat_shader.c.
import fs from 'node:fs';

function stop(status, what) {
    console.error(`vat_shader: ${what}`);
    process.exit(status);
}

const [source, file, kind] = process.argv.slice(2);
if (kind === 'norm') stop(77, 'textures of 16 bits are whole numbers in WebGPU');
let webgpu;
try {
    webgpu = await import('webgpu'); // native code, which not every system can load
} catch (error) {
    stop(77, error.message.split('\n')[0]);
}
Object.assign(globalThis, webgpu.globals);
const gpu = webgpu.create([]);
const adapter = await gpu.requestAdapter();
if (!adapter) stop(77, 'no adapter: is a Vulkan driver installed?');
const device = await adapter.requestDevice();
device.addEventListener('uncapturederror', event => stop(1, event.error.message));

// ---- What is asked ------------------------------------------------------------------------------------------

const input = fs.readFileSync(0, 'utf8').trim().split(/\s+/), palettes = input.shift() === 'palettes';
const take = count => input.splice(0, count).map(Number);
const [stride, ...how] = take(palettes ? 1 : 9);
const [first, frames, duration, loop] = take(4);
const times = take(take(1)[0]);
const count = take(1)[0], values = new Float32Array(take(count * (palettes ? 14 : 1)));

// ---- The shader ---------------------------------------------------------------------------------------------

const code = `${fs.readFileSync(source, 'utf8')}
@group(0) @binding(0) var frames: texture_2d<${kind === 'uint' ? 'u32' : 'f32'}>;
@group(0) @binding(1) var<uniform> how: sinew_vat_layout;
@group(0) @binding(2) var<uniform> clip: sinew_vat_clip;
@group(0) @binding(3) var<storage, read> times: array<f32>;
@group(0) @binding(4) var<storage, read> vertices: array<f32>;
@group(0) @binding(5) var<storage, read_write> shown: array<f32>;
fn number(at: u32) -> f32 { return vertices[at]; }
@compute @workgroup_size(64)
fn run(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x >= ${count}u) { return; }
    let moment = sinew_vat_at(clip, times[id.y]);
    ${palettes ? `let at = 14u * id.x;
    let v = sinew_vat_skin(frames, how.stride, moment,
        vec4<u32>(u32(number(at + 6u)), u32(number(at + 7u)), u32(number(at + 8u)), u32(number(at + 9u))),
        vec4<f32>(number(at + 10u), number(at + 11u), number(at + 12u), number(at + 13u)),
        vec3<f32>(number(at), number(at + 1u), number(at + 2u)),
        vec3<f32>(number(at + 3u), number(at + 4u), number(at + 5u)));`
        : `let v = sinew_vat_vertex${kind === 'uint' ? '_u16' : ''}(frames, how, moment, u32(number(id.x)));`}
    let to = 6u * (id.y * ${count}u + id.x);
    shown[to] = v.position.x; shown[to + 1u] = v.position.y; shown[to + 2u] = v.position.z;
    shown[to + 3u] = v.normal.x; shown[to + 4u] = v.normal.y; shown[to + 5u] = v.normal.z;
}`;
const module = device.createShaderModule({code});
const {messages} = await module.getCompilationInfo();
if (messages.length) stop(1, `${messages[0].message} (${code.split('\n')[messages[0].lineNum - 1]})`);
const pipeline = device.createComputePipeline({layout: 'auto', compute: {module}});

// ---- Resources ----------------------------------------------------------------------------------------------

const {UNIFORM, STORAGE, COPY_SRC, COPY_DST, MAP_READ} = GPUBufferUsage;

function bufferOf(array, usage) {
    const buffer = device.createBuffer({size: Math.max(16, array.byteLength), usage: usage | COPY_DST});
    device.queue.writeBuffer(buffer, 0, array);
    return buffer;
}

function uniforms() {
    const layout = new DataView(new ArrayBuffer(48)), clip = new DataView(new ArrayBuffer(16));
    const [lowX, lowY, lowZ, sizeX, sizeY, sizeZ, scale, base] = palettes ? Array(8).fill(0) : how;
    [lowX, lowY, lowZ, 0, sizeX, sizeY, sizeZ, scale, base].forEach((x, k) => layout.setFloat32(4 * k, x, true));
    layout.setUint32(12, stride, true);
    clip.setUint32(0, first, true);
    clip.setUint32(4, frames, true);
    clip.setFloat32(8, duration, true);
    clip.setUint32(12, loop, true);
    return [layout, clip].map(view => bufferOf(new Uint8Array(view.buffer), UNIFORM));
}

function textureOf(path) {
    const ktx = fs.readFileSync(path), width = ktx.readUInt32LE(20), height = ktx.readUInt32LE(24);
    const texture = device.createTexture({size: [width, height], format: kind === 'uint' ? 'rgba16uint' : 'rgba32float',
        usage: GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.COPY_DST});
    const texels = new Uint8Array(ktx.subarray(Number(ktx.readBigUInt64LE(80))));
    device.queue.writeTexture({texture}, texels, {bytesPerRow: (kind === 'uint' ? 8 : 16) * width}, [width, height]);
    return texture.createView();
}

const size = 24 * count * times.length;
const out = device.createBuffer({size: Math.max(16, size), usage: STORAGE | COPY_SRC});
const copy = device.createBuffer({size: Math.max(16, size), usage: MAP_READ | COPY_DST});
const [layout, clip] = uniforms();
const bound = [textureOf(file), layout, clip, bufferOf(new Float32Array(times), STORAGE), bufferOf(values, STORAGE), out];
const group = device.createBindGroup({layout: pipeline.getBindGroupLayout(0),
    entries: bound.map((resource, binding) => ({binding, resource: binding ? {buffer: resource} : resource}))});
const encoder = device.createCommandEncoder();
if (count && times.length) {
    const pass = encoder.beginComputePass();
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, group);
    pass.dispatchWorkgroups(Math.ceil(count / 64), times.length);
    pass.end();
}
encoder.copyBufferToBuffer(out, 0, copy, 0, copy.size);
device.queue.submit([encoder.finish()]);
await copy.mapAsync(GPUMapMode.READ);
const shown = new Float32Array(copy.getMappedRange(), 0, size / 4);
const lines = [];
for (let i = 0; i < shown.length; i += 6) lines.push([...shown.subarray(i, i + 6)].join(' '));
process.stdout.write(lines.map(line => `${line}\n`).join(''), () => process.exit(0));
