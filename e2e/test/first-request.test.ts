import { describe, expect, it } from '@jest/globals';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { send } from '../src/http.ts';
import { sharedPlatform } from '../src/platform.ts';
import type { Organisation } from '../src/resources.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const platform = sharedPlatform();
const environment = { ...process.env, PLATFORM_HOME: platform.home };

describe('a newcomer', () => {
  it('pastes what npm start printed, and it works', () => {
    // The lines to paste are the indented commands; a backslash continues one on the next line.
    const commands = platform.output.replaceAll(/\\\n\s*/g, ' ').match(/^ {2}(?:TOKEN=|curl ).*$/gm) ?? [];
    expect(commands.length).toBeGreaterThanOrEqual(3);
    const script = commands.map((command) => `${command.trim()}; echo`).join('\n');
    const output = execFileSync('bash', ['-c', script], { cwd: ROOT, env: environment, encoding: 'utf8' });
    const [created, current] = output
      .trim()
      .split(/\n+/)
      .map((line) => JSON.parse(line) as Organisation);
    expect(created?.id).toMatch(/^org_[0-9A-Z]{26}$/);
    expect(current).toEqual(created);
    expect(current?.members).toMatchObject([
      { user: { email: 'ada@example.com', name: 'Ada' }, permission_level: 'OWNER' },
    ]);
  });

  it('finds the whole interface described', async () => {
    const { status, body } = await send<{ openapi: string; info: { version: string }; paths: object }>(
      platform.url,
      'GET',
      '/openapi.json',
    );
    expect([status, body.openapi.slice(0, 3), body.info.version]).toEqual([200, '3.1', '0.13.96']);
    expect(Object.keys(body.paths)).toEqual(
      expect.arrayContaining(['/client-groups/', '/conventions/{convention_id}', '/inference/transcribe']),
    );
  });

  it.each(['/healthz', '/readyz'])('sees at %s that all is well', async (path) => {
    expect((await send(platform.url, 'GET', path)).status).toBe(200);
  });

  it('walks through the API with npm run demo', () => {
    const { status, stdout, stderr } = spawnSync('npm', ['run', '-s', 'demo'], {
      cwd: ROOT,
      env: environment,
      encoding: 'utf8',
    });
    expect([status, stderr]).toEqual([0, expect.not.stringContaining('stopped')]);
    expect(stdout).toContain('Every answer was the promised one.');
    expect(stdout).toMatch(/POST \/client-groups\/\n {4}api-key: pk_/);
  });

  it('is told by npm run demo what to do when nothing runs', () => {
    const empty = mkdtempSync(join(tmpdir(), 'platform-empty-'));
    const { status, stderr } = spawnSync('npm', ['run', '-s', 'demo'], {
      cwd: ROOT,
      env: { ...environment, PLATFORM_HOME: empty },
      encoding: 'utf8',
    });
    rmSync(empty, { recursive: true });
    expect(status).toBe(1);
    expect(stderr).toContain('Start it with "npm start"');
  });
});
