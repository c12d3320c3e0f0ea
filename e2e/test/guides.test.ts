import { describe, expect } from '@jest/globals';
import { missingPrograms } from '@platform-backend/system-programs';
import { itWhere, type Lack } from '@platform-backend/testing/where';
import { execFile } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { shellBlocksIn } from '../src/documented-commands.ts';
import { kernelsForOneLack } from '../src/kernels-here.ts';
import { expectOk, newOrganisation, newPerson } from '../src/people.ts';
import { sharedPlatform } from '../src/platform.ts';
import { smallPdf } from '../src/small-pdf.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** Its commands are for Compose with Keycloak. */
const ELSEWHERE = ['authentication.md'];

const guides = globSync('docs/guides/*.md', { cwd: ROOT })
  .filter((file) => !ELSEWHERE.includes(basename(file)))
  .map((file) => ({ guide: basename(file), blocks: shellBlocksIn(readFileSync(join(ROOT, file), 'utf8')) }))
  .filter(({ blocks }) => blocks.length > 0);

const platform = sharedPlatform();
const curlLack = missingPrograms('curl');
const lacks: Readonly<Record<string, Lack>> = { 'notebooks.md': curlLack ?? (await kernelsForOneLack()) };

/** A terminal in which a command that is refused ends everything, as whoever follows a guide would stop. */
const TERMINAL = `set -euo pipefail
curl() { command curl --fail-with-body "$@"; }
npm() { command npm --prefix "$ROOT" "$@"; }
`;

/** Stands behind the answers of each block. */
const END = '--- the end of a block';

describe('a guide', () => {
  for (const { guide, blocks } of guides) {
    itWhere(
      lacks[guide] ?? curlLack,
      `can be followed from its first command to its last, and is answered as its tables say: ${guide}`,
      async () => {
        const reader = await newPerson(platform, 'Rita');
        await newOrganisation(reader);
        // As an organisation of npm start has them from its beginning.
        expectOk(await reader.call('POST', '/credits/purchases/', { body: { credits: 100 } }));
        const folder = mkdtempSync(join(tmpdir(), 'platform-guide-'));
        writeFileSync(join(folder, 'handbook.pdf'), smallPdf(['Everybody has thirty days of holidays in a year.']));
        const env = { ...process.env, ROOT, TOKEN: reader.token, PLATFORM_HOME: platform.home };
        const commands = blocks.map(({ commands: own }) => `${own}echo; echo ${END}\n`).join('');
        const script = TERMINAL + commands.replaceAll('http://127.0.0.1:8080', platform.url);
        try {
          const typed = await promisify(execFile)('bash', ['-c', script], { cwd: folder, env }).catch(
            (error: unknown) => error as { stdout: string; stderr: string; code: number },
          );
          const refused = 'code' in typed ? typed.stdout.slice(-2_000) : '';
          expect(refused + typed.stderr).toBe('');
          const answers = typed.stdout.split(END);
          for (const [index, { answered }] of blocks.entries())
            for (const cell of answered) expect(answers[index]).toContain(cell);
        } finally {
          rmSync(folder, { recursive: true });
        }
      },
    );
  }
});
