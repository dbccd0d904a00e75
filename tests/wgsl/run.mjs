// SPDX-License-Identifier: MIT
// Tests of the WGSL shaders: node run.mjs GROUP [SHADERS CASES]
//     probe      says which device there is; exits 77 where there is none
//     shaders    all joins of files compile without a message
//     meshes     meshes and crowds through the compute pass
//     vertices   the same through a vertex stage
//     points     clouds and springs
//     pictures   what is drawn
// SHADERS is src/gpu/shaders, CASES what wgsl_write_cases wrote. Exits 1 where something is wrong, and says what.
try {
    await import('webgpu'); // native code, which not every system can load
} catch (error) {
    console.log(`npm's webgpu does not load: ${error.message.split('\n')[0]}`);
    process.exit(77);
}
const {joinShaders, joins, NoDevice, openDevice, palettes, readCases} = await import('./device.mjs');
const {testMeshes, testVertexStage} = await import('./meshes.mjs');
const {testPictures} = await import('./pictures.mjs');
const {testPoints} = await import('./points.mjs');

async function testShaders(device, cases, folder) {
    let done = 0;
    for (const source of palettes)
        for (const names of Object.values(joins)) {
            await joinShaders(device, folder, [source, ...names]);
            done++;
        }
    for (const alone of ['spring', 'vat']) {
        await joinShaders(device, folder, [alone]);
        done++;
    }
    return `${done} modules`;
}

const groups = {
    probe: async device => device.label,
    shaders: testShaders,
    meshes: testMeshes,
    vertices: testVertexStage,
    points: testPoints,
    pictures: testPictures,
};

const [group, folder, caseFolder] = process.argv.slice(2);
try {
    const device = await openDevice();
    console.log(await groups[group](device, caseFolder && readCases(caseFolder), folder));
    process.exit(0);
} catch (error) {
    console.log(error instanceof NoDevice ? error.message : error.stack);
    process.exit(error instanceof NoDevice ? 77 : 1);
}
