import { describe, expect, it } from '@jest/globals';
import type { RunFile } from './run-file.ts';
import { readSettings } from './settings.ts';
import { welcome } from './welcome.ts';

const run: RunFile = {
  pid: 1,
  url: 'http://127.0.0.1:9090',
  startedAt: '2026-01-01T00:00:00.000Z',
  issuer: 'http://127.0.0.1:4000',
  audience: 'platform-api',
  tokenEndpoint: 'http://127.0.0.1:4000/token',
  services: {},
  databases: {},
  nats: 'nats://127.0.0.1:4222',
};

describe('the welcome', () => {
  it('shows how to get a token and a first request, for this port', () => {
    const text = welcome(readSettings({}), run);
    expect(text).toContain('  TOKEN=$(npm run -s token -- --email ada@example.com --name Ada)');
    expect(text).toContain('curl -s http://127.0.0.1:9090/organisations/ -H "Authorization: Bearer $TOKEN"');
  });

  it('names the home where the token command could not know it', () => {
    const text = welcome(readSettings({ PLATFORM_HOME: "/srv/ada's platform" }), run);
    expect(text).toContain(`TOKEN=$(PLATFORM_HOME='/srv/ada'\\''s platform' npm run -s token`);
  });

  it('says where tokens come from when the issuer is not ours', () => {
    const { tokenEndpoint: _ours, ...elsewhere } = { ...run, issuer: 'https://login.example.com' };
    expect(welcome(readSettings({}), elsewhere)).toContain('an access token of https://login.example.com');
  });
});
