import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { waitFor } from '@platform-backend/testing';
import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expectOk, newCustomer } from '../src/people.ts';
import { sharedPlatform } from '../src/platform.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PROGRAMS = join(ROOT, 'e2e/clients');

const platform = sharedPlatform();

/** What a program writes. One that fails says why in either place. */
async function written(program: string, args: readonly string[], env: Record<string, string> = {}): Promise<string> {
  try {
    return (await promisify(execFile)(program, args, { env: { ...process.env, ...env } })).stdout;
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new Error(stdout + stderr, { cause: error });
  }
}

describe('a client that is generated from the description', () => {
  // Where its programs find the packages that they need.
  const folder = mkdtempSync(join(ROOT, 'e2e/.clients-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  let env: Record<string, string>;
  beforeAll(async () => {
    cpSync(PROGRAMS, folder, { recursive: true });
    const description = await fetch(`${platform.url}/openapi.json`);
    writeFileSync(join(folder, 'openapi.json'), await description.text());
    await written(process.execPath, [join(PROGRAMS, 'generate.mjs'), folder]);
    // All three are one program, so that they are checked at once; what is wrong with one fails every test below.
    await written(
      join(ROOT, 'node_modules/.bin/tsc'),
      ['-p', join(folder, 'tsconfig.json'), ...['--checkers', '1']],
      // As in the checks of npm test: less of a processor for more memory.
      { GOGC: '400' },
    );

    const carla = await newCustomer(platform, 'Carla');
    env = { PLATFORM_URL: platform.url, TOKEN: carla.token };
    const body = { title: 'Holidays', content: 'Everybody has thirty days of holidays in a year.' };
    expectOk(await carla.call('POST', '/conventions/', { body }));
    const search = () => carla.call<{ hits: unknown[] }>('POST', '/search/', { body: { query: 'holidays' } });
    await waitFor(async () => expectOk(await search()).hits.length > 0, { what: 'the index' });
  });

  it.each(['openapi-fetch', 'hey-api', 'orval'])(
    'has types that its use keeps to, reads, is refused, uploads and follows a stream: %s',
    async (client) => {
      const said = await written(process.execPath, [join(folder, `built/${client}.mjs`)], env);
      const { events, ...journey } = JSON.parse(said) as { events: string[] };
      expect(journey).toEqual({
        name: 'Carla',
        refusal: 'document_not_found',
        uploadedBytes: 38,
        text: expect.stringContaining('thirty days'),
      });
      expect([events[0], events.at(-1)]).toEqual(['started', 'finished']);
      expect(events).toContain('text');
    },
  );
});
