// SPDX-License-Identifier: MIT
// Holds written glTF files against the Khronos validator: node validate.mjs [WRITTEN SOURCE]...
//
// A written file has no error, and no warning that its source (the file that it was made from, or "-") does not earn
// as well: a picture with an odd colour space stays one. Prints a line a file; exits 1 where one fails.
import fs from 'node:fs';
import path from 'node:path';
import validator from 'gltf-validator';

async function validate(file) {
    const folder = path.dirname(path.resolve(file));
    const report = await validator.validateBytes(new Uint8Array(fs.readFileSync(file)), {
        uri: path.basename(file),
        maxIssues: 0, // all of them
        externalResourceFunction: async uri =>
            new Uint8Array(fs.readFileSync(path.resolve(folder, decodeURIComponent(uri)))),
    });
    return report.issues.messages;
}

const files = process.argv.slice(2);
let failed = files.length === 0 || files.length % 2 !== 0;
for (let i = 0; i + 1 < files.length; i += 2) {
    const [written, source] = [files[i], files[i + 1]];
    const messages = await validate(written);
    const excused = new Set(source === '-' ? [] : (await validate(source)).map(m => m.code));
    const bad = messages.filter(m => m.severity === 0 || (m.severity === 1 && !excused.has(m.code)));
    console.log(`${written}: ${bad.length} of ${messages.length} remarks count`);
    for (const m of bad.slice(0, 5)) console.log(`  ${m.code} at ${m.pointer ?? m.offset}: ${m.message}`);
    failed ||= bad.length > 0;
}
process.exit(failed ? 1 : 0);
