// SPDX-License-Identifier: MIT
// Meshes drawn into a picture by the vertex stage. What must be covered is worked out here, from the triangles as the
// CPU skins them.
import {bind, indicesOf, joinShaders, joins, readBuffer, uniformOf} from './device.mjs';
import {attributeLayouts, attributesOf, meshResources, sizesOf} from './meshes.mjs';

const side = 128; // pixels
// How far from an edge a pixel's centre must be for us to know whether it is covered: drivers keep corners to 1/16 of a
// pixel or finer.
const edge = 0.1;

// From the box [low, high] of x and y to clip space; z of a figure some metres deep to the middle of 0 ... 1.
function cameraOf(boxes) {
    const low = [0, 1].map(i => Math.min(...boxes.map(b => b.low[i])));
    const high = [0, 1].map(i => Math.max(...boxes.map(b => b.high[i])));
    const size = 1.1 * Math.max(high[0] - low[0], high[1] - low[1]), s = 2 / size;
    return new Float32Array([s, 0, 0, 0, 0, s, 0, 0, 0, 0, -0.1, 0,
        -s * (low[0] + high[0]) / 2, -s * (low[1] + high[1]) / 2, 0.5, 1]);
}

function boxOf(positions) {
    const low = [Infinity, Infinity], high = [-Infinity, -Infinity];
    for (let i = 0; i < positions.length; i += 3)
        for (const k of [0, 1]) {
            low[k] = Math.min(low[k], positions[i + k]);
            high[k] = Math.max(high[k], positions[i + k]);
        }
    return {low, high};
}

// For each pixel 2 where a triangle holds its centre, 1 where one passes within `edge` of it, else 0.
function coverageOf(positions, vertices, instances, indices, camera) {
    const pixels = new Uint8Array(side * side);
    const place = v => [0, 1].map(k => {
        const clip = camera[5 * k] * positions[3 * v + k] + camera[12 + k];
        return side * (k ? 1 - clip : clip + 1) / 2;
    });
    for (let instance = 0; instance < instances; instance++)
        for (let t = 0; t < indices.length; t += 3) {
            const corners = [0, 1, 2].map(k => place(instance * vertices + indices[t + k]));
            const [a, b, c] = corners;
            const turn = Math.sign((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]));
            const range = k => [Math.max(0, Math.floor(Math.min(a[k], b[k], c[k]) - 1)),
                Math.min(side - 1, Math.ceil(Math.max(a[k], b[k], c[k]) + 1))];
            const [x0, x1] = range(0), [y0, y1] = range(1);
            for (let y = y0; y <= y1; y++)
                for (let x = x0; x <= x1; x++) {
                    let nearest = Infinity; // to the edges, below 0 outside
                    for (let k = 0; k < 3; k++) {
                        const p = corners[k], q = corners[(k + 1) % 3], d = [q[0] - p[0], q[1] - p[1]];
                        nearest = Math.min(nearest,
                            turn * (d[0] * (y + 0.5 - p[1]) - d[1] * (x + 0.5 - p[0])) / (Math.hypot(...d) || 1));
                    }
                    const at = y * side + x;
                    if (turn !== 0 && nearest > edge) pixels[at] = 2;
                    else if (nearest > -edge) pixels[at] = Math.max(pixels[at], 1);
                }
        }
    return pixels;
}

async function draw(device, cases, pipeline, one, source, way, camera) {
    const facts = cases.words(one.mesh), {instances, influences} = sizesOf(facts);
    const resources = meshResources(device, cases, one, source), view = uniformOf(device, camera);
    const bound = way === 'draw' ? {...resources, 7: view}
        : {1: resources[1], 7: view, 8: uniformOf(device, new Uint32Array([facts[2], influences, 0, 0]))};
    const texture = device.createTexture({size: [side, side], format: 'rgba8unorm',
        usage: GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.COPY_SRC});
    const indices = cases.words(one.indices);
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginRenderPass({colorAttachments:
        [{view: texture.createView(), loadOp: 'clear', storeOp: 'store', clearValue: [0, 0, 0, 0]}]});
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, bind(device, pipeline, bound));
    if (way !== 'draw') attributesOf(device, cases, one).forEach((buffer, i) => pass.setVertexBuffer(i, buffer));
    pass.setIndexBuffer(indicesOf(device, indices), 'uint32');
    pass.drawIndexed(indices.length, instances);
    pass.end();
    const copy = device.createBuffer({size: 4 * side * side, usage: GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST});
    encoder.copyTextureToBuffer({texture}, {buffer: copy, bytesPerRow: 4 * side}, [side, side]);
    device.queue.submit([encoder.finish()]);
    return new Uint8Array(await readBuffer(device, copy));
}

// Compares alpha with the coverage; `grey` is what covered pixels have, where they have all one.
function checkPicture(picture, coverage, grey, name) {
    let covered = 0;
    for (let i = 0; i < coverage.length; i++) {
        const there = picture[4 * i + 3] === 255, x = i % side, y = Math.floor(i / side);
        if (coverage[i] === 2 && !there) throw new Error(`${name}: pixel ${x}, ${y} is not covered, and should be`);
        if (coverage[i] === 0 && there) throw new Error(`${name}: pixel ${x}, ${y} is covered, and should not be`);
        if (there && grey !== null && Math.abs(picture[4 * i] - grey) > 1)
            throw new Error(`${name}: pixel ${x}, ${y} is ${picture[4 * i]}, and should be ${grey}`);
        covered += there;
    }
    return covered;
}

const count = (pixels, test) => pixels.reduce((sum, _, i) => sum + (test(i) ? 1 : 0), 0);

export async function testPictures(device, cases, folder) {
    const named = name => cases.of('mesh').find(one => one.name === name);
    // of each pair: what it is at rest, and moving
    const pairs = [
        ['strip of 65, linear, at rest', 'strip of 65, linear, bent', 225], // 0.7725 + 0.11 of 255, facing +z
        ['strip of 65, dual, at rest', 'strip of 65, dual, bent', 225],
        ['creature, linear, at rest', 'creature, linear, walking', null],
        ['creature, dual, at rest', 'a crowd of creatures', null],
        ['strip of 65, dual, at rest', 'a crowd of strips', 225],
    ];
    let done = 0;
    for (const [way, source] of [['draw', 'palette_storage'], ['attributes', 'palette_uniform'], ['draw', 'palette_texture']]) {
        const module = await joinShaders(device, folder, [source, ...joins[way]]);
        const pipeline = device.createRenderPipeline({
            layout: 'auto',
            vertex: {module, buffers: way === 'draw' ? [] : attributeLayouts},
            fragment: {module, targets: [{format: 'rgba8unorm'}]},
            primitive: {topology: 'triangle-list'},
        });
        for (const [resting, moving, grey] of pairs) {
            const both = [named(resting), named(moving)];
            if (way !== 'draw' && both.some(one => cases.words(one.mesh)[17] > 0)) continue; // morph targets
            const camera = cameraOf(both.map(one => boxOf(cases.floats(one.positions)))), pictures = [];
            for (const one of both) {
                const {vertices, instances} = sizesOf(cases.words(one.mesh)), name = `${one.name}, ${way}, ${source}`;
                const coverage = coverageOf(cases.floats(one.positions), vertices, instances, cases.words(one.indices), camera);
                const picture = await draw(device, cases, pipeline, one, source, way, camera);
                const covered = checkPicture(picture, coverage, grey, name);
                const known = count(coverage, i => coverage[i] === 2);
                if (known < 100) throw new Error(`${name}: only ${known} pixels tell`);
                pictures.push(picture);
                console.log(`${name}: ${covered} pixels covered, ${known} of them for sure`);
                done++;
            }
            const changed = count(pictures[0].filter((_, i) => i % 4 === 3), i => pictures[0][4 * i + 3] !== pictures[1][4 * i + 3]);
            if (changed < 100) throw new Error(`${moving}: ${changed} pixels are others than at rest`);
        }
    }
    return `${done} pictures`;
}
