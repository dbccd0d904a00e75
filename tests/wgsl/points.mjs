// SPDX-License-Identifier: MIT
// Clouds and springs against the CPU.
import {bufferOf, checkSame, computePipeline, difference, dispatch, joinShaders, joins, outputOf, paletteOf, palettes,
    readBuffer, readOutput, uniformOf, Worst} from './device.mjs';

const positionBound = 1e-6; // of the largest coordinate
// Of normals, rotations and scales: one joint's matrix, some ten roundings of numbers near 1 on both sides.
const detailBound = 2e-6;

const outputs = [['positions', 3], ['normals', 3], ['rotations', 4], ['scales', 3]];

async function poseCloud(device, cases, pipeline, one, source) {
    const [points, , instances] = cases.words(one.cloud);
    const palette = paletteOf(device, source, cases.floats(one.palette));
    if (!palette) return null;
    const out = outputs.map(([key, width]) => outputOf(device, one[key] ? width * points * instances : 0));
    dispatch(device, pipeline, {
        0: uniformOf(device, cases.words(one.cloud)),
        1: palette,
        2: bufferOf(device, cases.words(one.words)),
        3: out[0], 4: out[1], 5: out[2], 6: out[3],
    }, Math.ceil(points / 64), instances);
    const result = {buffer: out[0]};
    for (const [i, [key, width]] of outputs.entries())
        result[key] = await readOutput(device, out[i], one[key] ? width * points * instances : 0);
    return result;
}

async function testClouds(device, cases, folder, worst) {
    let done = 0;
    for (const source of palettes) {
        const pipeline = computePipeline(device, await joinShaders(device, folder, [source, ...joins.cloud]));
        for (const one of cases.of('cloud')) {
            const result = await poseCloud(device, cases, pipeline, one, source), name = `${one.name}, ${source}`;
            if (!result) continue;
            for (const [key] of outputs) {
                if (!one[key]) continue;
                const expected = cases.floats(one[key]);
                if (one.rests) checkSame(result[key], expected, `${name}, ${key}`);
                const size = key === 'positions' ? one.largest : 1;
                worst.add(`${key} of clouds`, difference(result[key], expected) / size,
                    key === 'positions' ? positionBound : detailBound, name);
            }
            done++;
        }
    }
    return done;
}

// ---- Springs ------------------------------------------------------------------------------------------------

// State and targets of so many points; `targets` is a buffer already.
function springBuffers(device, first, targets) {
    const points = first.length / 3;
    return {
        1: targets,
        2: bufferOf(device, first),
        3: bufferOf(device, new Float32Array(3 * points)),
        4: bufferOf(device, new Uint32Array(3 * points)),
        5: bufferOf(device, new Uint32Array(1)),
    };
}

async function testSprings(device, cases, folder, worst) {
    const pipeline = computePipeline(device, await joinShaders(device, folder, ['spring']));
    let done = 0;
    for (const one of cases.of('spring')) {
        const first = cases.floats(one.first_positions);
        const buffers = springBuffers(device, first, bufferOf(device, first));
        let lost = 0;
        for (const [s, step] of one.steps.entries()) {
            device.queue.writeBuffer(buffers[1], 0, cases.floats(step.targets));
            for (const run of step.runs) {
                const facts = cases.words(run.step);
                dispatch(device, pipeline, {...buffers, 0: uniformOf(device, facts)}, Math.ceil(facts[1] / 64));
            }
            lost += step.lost;
            const name = `${one.name}, step ${s}`, read = async i => new Float32Array(await readBuffer(device, buffers[i]));
            worst.add('positions of springs', difference(await read(2), cases.floats(step.positions)) / one.largest,
                positionBound, name);
            // in a second at most as far as the largest coordinate, times the highest w of the springs
            worst.add('velocities of springs', difference(await read(3), cases.floats(step.velocities)) / one.largest / 28,
                positionBound, name);
            const counted = new Uint32Array(await readBuffer(device, buffers[5]))[0];
            if (counted !== lost) throw new Error(`${name}: ${counted} targets were lost, and should be ${lost}`);
            done++;
        }
    }
    return done;
}

// What a cloud writes is what springs want: their first step puts them there, bit for bit.
async function testCloudIntoSprings(device, cases, folder) {
    const cloud = computePipeline(device, await joinShaders(device, folder, ['palette_storage', ...joins.cloud]));
    const spring = computePipeline(device, await joinShaders(device, folder, ['spring']));
    const one = cases.of('cloud').find(c => !c.rests), posed = await poseCloud(device, cases, cloud, one, 'palette_storage');
    const points = posed.positions.length / 3;
    const buffers = springBuffers(device, new Float32Array(3 * points), posed.buffer);
    dispatch(device, spring, {...buffers, 0: uniformOf(device, new Uint32Array([0, points, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]))},
        Math.ceil(points / 64));
    checkSame(new Float32Array(await readBuffer(device, buffers[2])), posed.positions, 'a cloud into springs');
}

export async function testPoints(device, cases, folder) {
    const worst = new Worst();
    const clouds = await testClouds(device, cases, folder, worst);
    const steps = await testSprings(device, cases, folder, worst);
    await testCloudIntoSprings(device, cases, folder);
    worst.print();
    return `${clouds} clouds, ${steps} steps of springs`;
}
