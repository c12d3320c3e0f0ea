/**
 * `npm run generate`: writes what is made from the .proto files and from the Unicode Character Database, and removes what no
 * longer is. Everything under `generated/` is committed, and tests fail when it is stale.
 */
import { command, runCommand } from '@platform-backend/command-line';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

await runCommand(
  command({
    name: 'npm run generate --',
    usage: `npm run generate

Writes what is made from the .proto files, types and descriptors, and removes what no longer is.`,
    run: generate,
  }),
);

async function generate(): Promise<void> {
  const [
    { loadProtos, protosDirectory, readOperations },
    { domains },
    { generatedBinaries, generatedFiles },
    { lackingLimits },
  ] = await Promise.all([
    import('@platform-backend/contract'),
    import('./domain-package.ts'),
    import('./generated-files.ts'),
    import('./limits.ts'),
  ]);
  const lacking = lackingLimits(readOperations(loadProtos(protosDirectory)));
  if (lacking.length > 0) {
    process.stderr.write(`${lacking.join('\n')}\n`);
    process.exitCode = 1;
    return;
  }

  const files = [...generatedFiles(), ...generatedBinaries()];
  for (const domain of domains()) {
    rmSync(path.join(protosDirectory, 'platform', domain, 'generated'), { recursive: true, force: true });
  }
  for (const [name, content] of files) {
    const file = path.join(protosDirectory, '..', name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
  process.stdout.write(`generated ${String(files.length)} files\n`);
}
