// SPDX-License-Identifier: MIT
// Holds textures of `sinew bake --vat` against ktx-parse, a reader and writer of KTX 2.0 that is not ours and comes with
// three.js: node ktx2.mjs KTX-PARSE.js TEXTURE.ktx2...
//
// What it reads is what the JSON beside the texture says, and what it then writes is the same file, byte for byte: header,
// data format descriptor, key/value data, alignment, texels. Prints a line a file; exits 1 where one fails.
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const [parser, ...files] = process.argv.slice(2);
const { read, write } = await import(pathToFileURL(path.resolve(parser)));
const formats = { float32: [109, 4], unorm16: [91, 2] }; // VK_FORMAT_R32G32B32A32_SFLOAT, VK_FORMAT_R16G16B16A16_UNORM
let failed = files.length === 0;
for (const file of files) {
    const bytes = fs.readFileSync(file);
    const said = JSON.parse(fs.readFileSync(file.replace(/\.ktx2$/, '.json'), 'utf8'));
    const image = read(new Uint8Array(bytes));
    const [format, size] = formats[said.texels];
    const faults = [];
    const expect = (what, got, want) => got === want || faults.push(`${what} is ${got}, not ${want}`);
    expect('vkFormat', image.vkFormat, format);
    expect('typeSize', image.typeSize, size);
    expect('pixelWidth', image.pixelWidth, said.width);
    expect('pixelHeight', image.pixelHeight, said.height);
    expect('levels', image.levels.length, 1);
    expect('bytes of the level', image.levels[0].levelData.byteLength, 4 * size * said.width * said.height);
    expect('samples', image.dataFormatDescriptor[0].samples.length, 4);
    expect('the file as it writes it', Buffer.compare(Buffer.from(write(image, { keepWriter: true })), bytes), 0);
    console.log(`${file}: ${faults.join('; ') || 'the same'}`);
    failed ||= faults.length > 0;
}
process.exit(failed ? 1 : 0);
