import { describe, expect, it } from '@jest/globals';
import { join } from 'node:path';
import { readSettings, repository } from './settings.ts';

describe('the starter’s settings', () => {
  it('are port 8080 and .platform in the repository, wherever it is called from', () => {
    expect(readSettings({})).toMatchObject({
      port: 8080,
      home: join(repository, '.platform'),
      homeAsTyped: '.platform',
      isDefault: true,
    });
  });

  it('take another port and home', () => {
    expect(readSettings({ PLATFORM_PORT: '9090', PLATFORM_HOME: '/srv/second' })).toMatchObject({
      port: 9090,
      home: '/srv/second',
      homeAsTyped: '/srv/second',
      isDefault: false,
    });
  });

  it.each(['http', '0', '70000', '80.5', '-1'])('refuse the port "%s"', (port) => {
    expect(() => readSettings({ PLATFORM_PORT: port })).toThrow('PLATFORM_PORT must be a whole number from 1 to 65535');
  });
});
