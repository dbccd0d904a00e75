// SPDX-License-Identifier: MIT
// Meshes through the compute pass and through a vertex stage, against the CPU.
import {bind, bufferOf, checkSame, computePipeline, difference, dispatch, joinShaders, joins, outputOf, paletteOf,
    palettes, readBuffer, readOutput, uniformOf, verticesOf, Worst} from './device.mjs';

// SPEC 16: CPU and GPU agree within this share of the largest coordinate.
const positionBound = 1e-6;
// Of directions, times their slack (mesh_case.c): 2^-24 for each of some 16 roundings of an entry, on both sides.
const directionBound = 1e-6;

export const sizesOf = facts => ({vertices: facts[0], instances: facts[1], influences: facts[3]});

export function meshResources(device, cases, one, source) {
    const palette = paletteOf(device, source, cases.floats(one.palette));
    return palette && {
        0: uniformOf(device, cases.words(one.mesh)),
        1: palette,
        2: bufferOf(device, cases.words(one.words)),
        3: bufferOf(device, cases.floats(one.morph_weights)),
    };
}

export async function skinMesh(device, cases, pipeline, one, source) {
    const {vertices, instances} = sizesOf(cases.words(one.mesh));
    const resources = meshResources(device, cases, one, source);
    if (!resources) return null;
    const all = vertices * instances;
    const sizes = {positions: 3 * all, normals: one.normals ? 3 * all : 0, tangents: one.tangents ? 4 * all : 0};
    const out = Object.entries(sizes).map(([, size]) => outputOf(device, size));
    dispatch(device, pipeline, {...resources, 4: out[0], 5: out[1], 6: out[2]}, Math.ceil(vertices / 64), instances);
    const result = {};
    for (const [i, [key, size]] of Object.entries(sizes).entries()) result[key] = await readOutput(device, out[i], size);
    return result;
}

function compare(cases, one, result, worst, name) {
    if (one.rests) checkSame(result.positions, cases.floats(one.positions), name);
    worst.add('positions, of the largest coordinate', difference(result.positions, cases.floats(one.positions)) / one.largest,
        positionBound, name);
    for (const [key, width] of [['normals', 3], ['tangents', 4]])
        if (one[key])
            worst.add(`${key}, of their slack`,
                difference(result[key], cases.floats(one[key]), width, cases.floats(one[`${key.slice(0, -1)}_slacks`])),
                directionBound, name);
}

export async function testMeshes(device, cases, folder) {
    const worst = new Worst();
    let done = 0;
    for (const source of palettes) {
        const pipeline = computePipeline(device, await joinShaders(device, folder, [source, ...joins.compute]));
        for (const one of cases.of('mesh')) {
            const result = await skinMesh(device, cases, pipeline, one, source);
            if (!result) continue; // larger than a uniform block
            compare(cases, one, result, worst, `${one.name}, ${source}`);
            done++;
        }
    }
    worst.print();
    return `${done} meshes`;
}

// ---- A vertex stage, in numbers -------------------------------------------------------------------------------

// Each vertex is drawn as one pixel, in the row of its instance, which holds what the function gave it.
const pixelEntry = (head, call) => `
struct Pixel {
    @builtin(position) clip: vec4<f32>,
    @location(0) @interpolate(flat, either) position: vec3<f32>,
    @location(1) @interpolate(flat, either) normal: vec3<f32>,
}
struct Texels {
    @location(0) position: vec4<f32>,
    @location(1) normal: vec4<f32>,
}
@group(1) @binding(0) var<uniform> size: vec2<f32>;
@vertex
fn pixel_vertex(${head}@builtin(vertex_index) vertex: u32, @builtin(instance_index) instance: u32) -> Pixel {
    let v = ${call};
    let place = (vec2<f32>(f32(vertex), f32(instance)) + 0.5) / size;
    return Pixel(vec4<f32>(2.0 * place.x - 1.0, 1.0 - 2.0 * place.y, 0.0, 1.0), v.position, v.normal);
}
@fragment
fn pixel_fragment(pixel: Pixel) -> Texels {
    return Texels(vec4<f32>(pixel.position, 1.0), vec4<f32>(pixel.normal, 1.0));
}
`;

// How joints and weights of a case are vertex attributes of four (or twice four) each.
export function attributesOf(device, cases, one) {
    const facts = cases.words(one.mesh), words = new DataView(cases.words(one.words).buffer);
    const {vertices, influences} = sizesOf(facts);
    const [joints, jointSize, weights, weightSize] = [facts[10], facts[12], facts[13], facts[15]];
    const sets = [0, 1].map(() => ({joints: new Uint16Array(4 * vertices), weights: new Float32Array(4 * vertices)}));
    for (let v = 0; v < vertices; v++)
        for (let i = 0; i < influences; i++) {
            const at = v * influences + i, set = sets[i >> 2], place = 4 * v + (i & 3);
            set.joints[place] = jointSize === 1 ? words.getUint8(joints + at) : words.getUint16(joints + 2 * at, true);
            set.weights[place] = weightSize === 4 ? words.getFloat32(weights + 4 * at, true)
                : weightSize === 2 ? words.getUint16(weights + 2 * at, true) / 65535 : words.getUint8(weights + at) / 255;
        }
    const floats = (at, width) => new Float32Array(words.buffer.slice(at, at + 4 * width * vertices));
    return [floats(facts[4], 3), floats(facts[6], 3), ...sets.flatMap(set => [set.joints, set.weights])]
        .map(array => verticesOf(device, array));
}

export const attributeLayouts = [['float32x3', 12], ['float32x3', 12], ['uint16x4', 8], ['float32x4', 16], ['uint16x4', 8],
    ['float32x4', 16]].map(([format, arrayStride], shaderLocation) =>
    ({arrayStride, attributes: [{format, offset: 0, shaderLocation}]}));

async function pixelPipeline(device, folder, source, way) {
    const entry = way === 'draw' ? pixelEntry('', 'sinew_skin_mesh_vertex(vertex, instance)')
        : pixelEntry('a: sinew_vertex_attributes, ', 'sinew_skin_attributes(a, instance)');
    const module = await joinShaders(device, folder, [source, ...joins[way]], entry);
    return device.createRenderPipeline({
        layout: 'auto',
        vertex: {module, entryPoint: 'pixel_vertex', buffers: way === 'draw' ? [] : attributeLayouts},
        fragment: {module, entryPoint: 'pixel_fragment', targets: [{format: 'rgba32float'}, {format: 'rgba32float'}]},
        primitive: {topology: 'point-list'},
    });
}

async function drawPixels(device, cases, pipeline, one, source, way) {
    const facts = cases.words(one.mesh), {vertices, instances, influences} = sizesOf(facts);
    const resources = meshResources(device, cases, one, source);
    if (!resources) return null;
    const bound = way === 'draw' ? resources
        : {1: resources[1], 8: uniformOf(device, new Uint32Array([facts[2], influences, 0, 0]))};
    const targets = [0, 1].map(() => device.createTexture({size: [vertices, instances], format: 'rgba32float',
        usage: GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.COPY_SRC}));
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginRenderPass({colorAttachments: targets.map(texture =>
        ({view: texture.createView(), loadOp: 'clear', storeOp: 'store', clearValue: [0, 0, 0, 0]}))});
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, bind(device, pipeline, bound));
    pass.setBindGroup(1, bind(device, pipeline, {0: uniformOf(device, new Float32Array([vertices, instances]))}, 1));
    if (way !== 'draw') attributesOf(device, cases, one).forEach((buffer, i) => pass.setVertexBuffer(i, buffer));
    pass.draw(vertices, instances);
    pass.end();
    const stride = Math.ceil(16 * vertices / 256) * 256;
    const copies = targets.map(texture => {
        const buffer = device.createBuffer({size: stride * instances, usage: GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST});
        encoder.copyTextureToBuffer({texture}, {buffer, bytesPerRow: stride}, [vertices, instances]);
        return buffer;
    });
    device.queue.submit([encoder.finish()]);
    const result = [];
    for (const copy of copies) {
        const texels = new Float32Array(await readBuffer(device, copy)), floats = [];
        for (let y = 0; y < instances; y++)
            for (let x = 0; x < vertices; x++) {
                const at = y * stride / 4 + 4 * x;
                if (texels[at + 3] !== 1) throw new Error(`${one.name}: vertex ${x} of instance ${y} was not drawn`);
                floats.push(texels[at], texels[at + 1], texels[at + 2]);
            }
        result.push(new Float32Array(floats));
    }
    return {positions: result[0], normals: result[1]};
}

// Meshes that fit a texture, with the sources of palettes in turn; as attributes those without morph targets.
export async function testVertexStage(device, cases, folder) {
    const worst = new Worst(), pipelines = new Map();
    let done = 0;
    for (const one of cases.of('mesh')) {
        const facts = cases.words(one.mesh), {vertices, influences} = sizesOf(facts);
        if (vertices > device.limits.maxTextureDimension2D) continue;
        const plain = influences >= 1 && influences <= 8 && facts[13] !== 0xffffffff && facts[17] === 0;
        for (const way of plain ? ['draw', 'attributes'] : ['draw']) {
            const fits = palettes.filter(p => p !== 'palette_uniform' || one.palette.size <= 16384);
            const source = fits[done % fits.length], key = `${way}, ${source}`;
            if (!pipelines.has(key)) pipelines.set(key, await pixelPipeline(device, folder, source, way));
            const result = await drawPixels(device, cases, pipelines.get(key), one, source, way);
            compare(cases, {...one, tangents: null}, result, worst, `${one.name}, ${key}`);
            done++;
        }
    }
    worst.print();
    return `${done} draws`;
}
