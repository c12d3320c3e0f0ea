/**
 * `npm run generate`: writes what is made from the .proto files, and removes what no longer is.
 * Everything under `generated/` is committed, and tests fail when it is stale.
 */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { buf } from './buf.ts';
import { contractOf } from './contract.ts';
import { generateTypes } from './generate-types.ts';
import { imageArguments, imageFile } from './image.ts';
import { lackingLimits } from './limits.ts';
import { loadProtos, protosDirectory } from './load.ts';

const directory = path.join(import.meta.dirname, 'generated');
const root = loadProtos(protosDirectory());
const files = generateTypes(root);
const lacking = lackingLimits(contractOf(root).operations);
if (lacking.length > 0) {
  process.stderr.write(`${lacking.join('\n')}\n`);
  process.exit(1);
}

mkdirSync(directory, { recursive: true });
for (const name of readdirSync(directory)) {
  if (name.endsWith('.ts') && !files.has(name)) rmSync(path.join(directory, name));
}
for (const [name, text] of files) writeFileSync(path.join(directory, name), text);
buf(...imageArguments(protosDirectory(), imageFile));
process.stdout.write(`generated ${[...files.keys()].join(', ')} and ${path.basename(imageFile)}\n`);
