/**
 * `npm run generate`: writes what is made from the .proto files, and removes what no longer is.
 * Everything under `generated/` is committed, and tests fail when it is stale.
 */
import { loadProtos, protosDirectory, readOperations } from '@platform-backend/contract';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { buf } from './buf.ts';
import { domains } from './domain-package.ts';
import { generatedFiles, imageArguments, imageFile } from './generated-files.ts';
import { lackingLimits } from './limits.ts';

const lacking = lackingLimits(readOperations(loadProtos(protosDirectory)));
if (lacking.length > 0) {
  process.stderr.write(`${lacking.join('\n')}\n`);
  process.exit(1);
}

const files = generatedFiles();
for (const domain of domains()) rmSync(path.dirname(imageFile(domain)), { recursive: true, force: true });
for (const [name, text] of files) {
  const file = path.join(protosDirectory, '..', name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
}
for (const domain of domains()) buf(...imageArguments(domain, imageFile(domain)));
process.stdout.write(`generated ${String(files.size + domains().length)} files\n`);
