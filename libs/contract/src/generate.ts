/**
 * `npm run generate`: writes what is made from the .proto files, and removes what no longer is.
 * Everything under `generated/` is committed, and tests fail when it is stale.
 */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { buf } from './buf.ts';
import { generateTypes } from './generate-types.ts';
import { imageArguments, imageFile } from './image.ts';
import { loadProtos, protosDirectory } from './load.ts';

const directory = path.join(import.meta.dirname, 'generated');
const files = generateTypes(loadProtos(protosDirectory()));

mkdirSync(directory, { recursive: true });
for (const name of readdirSync(directory)) {
  if (name.endsWith('.ts') && !files.has(name)) rmSync(path.join(directory, name));
}
for (const [name, text] of files) writeFileSync(path.join(directory, name), text);
buf(...imageArguments(protosDirectory(), imageFile));
process.stdout.write(`generated ${[...files.keys()].join(', ')} and ${path.basename(imageFile)}\n`);
