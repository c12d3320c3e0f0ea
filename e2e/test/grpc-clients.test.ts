import { describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { newOrganisation, newPerson } from '../src/people.ts';
import { sharedPlatform } from '../src/platform.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const BUF = createRequire(import.meta.url).resolve('@bufbuild/buf/bin/buf');
const platform = sharedPlatform();
const { services } = JSON.parse(readFileSync(join(platform.home, 'run.json'), 'utf8')) as {
  services: Record<string, { address: string }>;
};
const run = async (program: string, args: readonly string[], env: Record<string, string> = {}): Promise<string> => {
  const options = { cwd: tmpdir(), env: { ...process.env, ...env } };
  return (await promisify(execFile)(process.execPath, [program, ...args], options)).stdout.trim();
};
const bufCurl = (service: string, path: string, ...args: string[]): Promise<string> =>
  run(BUF, [
    'curl',
    '--protocol',
    'grpc',
    '--http2-prior-knowledge',
    ...args,
    `http://${services[service]?.address}${path}`,
  ]);

describe('a client of gRPC that has no .proto file', () => {
  it('learns from each service of npm start what it serves', async () => {
    for (const service of ['identity', 'billing', 'content', 'pipelines', 'notebooks']) {
      const listed = (await bufCurl(service, '', '--list-services')).split('\n');
      expect(listed.length).toBeGreaterThan(0);
      expect(listed.filter((name) => !name.startsWith(`platform.${service}.v1.`))).toEqual([]);
    }
  });

  it('calls a service as the person whose assertion the token command prints, and as nobody without it', async () => {
    const ada = await newPerson(platform, 'Ada');
    const organisation = await newOrganisation(ada);
    const header = await run(
      join(ROOT, 'tools/dev/src/token.ts'),
      ['--email', ada.email, '--org', organisation.id, '--assertion'],
      { PLATFORM_HOME: platform.home, NODE_OPTIONS: '' },
    );
    const path = '/platform.identity.v1.OrganisationService/GetCurrentOrganisation';
    expect(JSON.parse(await bufCurl('identity', path, '-H', header))).toMatchObject({ id: organisation.id });
    await expect(bufCurl('identity', path)).rejects.toThrow(/unauthenticated/i);
  });
});
