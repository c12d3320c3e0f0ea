import { describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sharedPlatform } from '../src/platform.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const platform = sharedPlatform();
const { services } = JSON.parse(readFileSync(join(platform.home, 'run.json'), 'utf8')) as {
  services: Record<string, { metricsAddress: string }>;
};

/** What every image runs as its HEALTHCHECK. */
const healthCheck = (environment: Record<string, string>) =>
  spawnSync('bash', ['deploy/healthcheck.sh'], { cwd: ROOT, env: environment, encoding: 'utf8' });

describe('the health check of the images', () => {
  it('is content with a gateway that is ready', () => {
    expect(healthCheck({ APP: 'gateway', PLATFORM_PORT: String(platform.port) })).toMatchObject({
      status: 0,
      stderr: '',
    });
  });

  it('is content with a service that serves', () => {
    expect(healthCheck({ APP: 'identity', METRICS_LISTEN: services['identity']?.metricsAddress ?? '' })).toMatchObject({
      status: 0,
      stderr: '',
    });
  });

  it.each([
    ['a gateway', { APP: 'gateway', PLATFORM_PORT: '1' }],
    ['a service', { APP: 'identity', METRICS_LISTEN: '127.0.0.1:1' }],
  ])('fails with one sentence for %s that is not there', (_, environment) => {
    const { status, stderr } = healthCheck(environment);
    expect([status, stderr.trim().split('\n')]).toEqual([1, [expect.any(String)]]);
  });
});
