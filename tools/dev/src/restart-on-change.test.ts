import { describe, expect, it } from '@jest/globals';
import { affectedBy } from './restart-on-change.ts';

const running = ['identity', 'gateway'];

describe('a change of source', () => {
  it('in an app restarts that app', () => {
    expect(affectedBy('apps', 'identity/src/areas.ts', running)).toEqual(['identity']);
    expect(affectedBy('apps', 'gateway/config/gateway.config.yml', running)).toEqual(['gateway']);
  });

  it('in a library or the contract restarts everything', () => {
    expect(affectedBy('libs', 'core/src/clock.ts', running)).toEqual(running);
    expect(affectedBy('protos', 'platform/identity/v1/members.proto', running)).toEqual(running);
  });

  it.each([
    ['a test beside its source', 'apps', 'identity/src/config.test.ts'],
    ['an integration test', 'libs', 'postgres/test/migrate.test.ts'],
    ['an installed package', 'apps', 'gateway/node_modules/express/package.json'],
    ['a text', 'apps', 'identity/README.md'],
    ['an app that does not run', 'apps', 'billing/src/main.ts'],
  ])('does not count when it is %s', (_what, folder, path) => {
    expect(affectedBy(folder, path, running)).toEqual([]);
  });
});
