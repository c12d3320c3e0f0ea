import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { rm } from 'node:fs/promises';
import { changedConfiguration } from './changed-configuration.ts';
import { startGatewayHere } from './gateway-here.ts';
import { startGatewayProcess } from './gateway-process.ts';
import { startPlatform, type PlatformUnderTest } from './platform-under-test.ts';

let platform: PlatformUnderTest;
beforeAll(async () => {
  platform = await startPlatform();
});
afterAll(() => platform.stop());

describe('a gateway that cannot start', () => {
  it('names everything that is wrong with its environment in one sentence each, and ends', async () => {
    await expect(startGatewayProcess({ OIDC_ISSUER: 'nowhere' })).rejects.toThrow(
      /gateway could not start: OIDC_ISSUER must be .* OIDC_AUDIENCE is missing.* SERVICE_PRIVATE_KEY is missing/,
    );
  });

  it('says that its port is taken, and ends', async () => {
    const env = { ...platform.env, PLATFORM_PORT: String(platform.gateway.port) };
    await expect(startGatewayProcess(env)).rejects.toThrow(/gateway could not start: .*EADDRINUSE/);
  });

  it.each([
    { GATEWAY_AUDIO_LIMIT_BYTES: String(32 * 1024 * 1024) },
    { GATEWAY_JSON_LIMIT_BYTES: String(8 * 1024 * 1024) },
  ])('does so rather than let bodies in that no call to a service can carry: %j', async (limit) => {
    await expect(startGatewayHere({ ...platform.env, ...limit })).rejects.toThrow('POLICY_PARAMS_VALIDATION_FAILED');
  });

  it('does so rather than run a policy of express-gateway, whose packages are not installed', async () => {
    const directory = await changedConfiguration((text) => text.replace('policies: [', 'policies: [oauth2, '));
    const env = { ...platform.env, GATEWAY_CONFIG_DIRECTORY: directory };
    await expect(startGatewayProcess(env)).rejects.toThrow(/gateway could not start/);
    await rm(directory, { recursive: true });
  });
});

describe('a gateway without identity and without NATS', () => {
  it('starts, is not ready, and answers 503 where it would need to know who is calling', async () => {
    const alone = await startGatewayHere({
      ...platform.env,
      IDENTITY_ADDRESS: undefined,
      NATS_URL: 'nats://127.0.0.1:1',
      // Compose hands on what is not set as empty, which counts as absent.
      GATEWAY_CORS_ORIGINS: '',
    });
    try {
      const asked = await fetch(`${alone.url}/client-groups/`, { headers: { origin: 'https://app.example.com' } });
      expect(asked.headers.get('access-control-allow-origin')).toBe('*');
      expect((await fetch(`${alone.url}/healthz`)).status).toBe(200);
      expect((await fetch(`${alone.url}/readyz`)).status).toBe(503);
      expect((await fetch(`${alone.url}/client-groups/`)).status).toBe(401);
      const headers = { authorization: `Bearer ${await platform.issuer.token()}` };
      expect((await fetch(`${alone.url}/client-groups/`, { headers })).status).toBe(503);
    } finally {
      await alone.stop();
    }
  });
});
