import { describe, expect, it } from '@jest/globals';
import { byVariable, integer, optional, secret, settingsOfService, text } from '@platform-backend/core';
import { configurationPage, undescribed, type Programs } from './configuration-page.ts';

const level = text({ default: 'info', description: 'how much is logged' });

const programs: Programs = {
  start: { name: '`npm start`', variables: { PORT: integer({ default: 80, description: 'where it listens' }) } },
  processes: [
    {
      name: 'shop',
      page: '../apps/shop/README.md',
      variables: {
        LEVEL: level,
        ...byVariable(
          settingsOfService('shop', { LIMIT_BYTES: integer({ default: 2 ** 20, description: 'a basket' }) }),
        ),
        KEY: secret(text({ mustBe: 'a | b', description: 'either' })),
      },
    },
    { name: 'bank', variables: { LEVEL: level, VAULT: optional(text()) } },
  ],
  jobs: [],
};

describe('the page about configuration', () => {
  const lines = configurationPage(programs).split('\n');

  it('says of each variable its default, its values and what it means', () => {
    expect(lines).toContain('| `PORT` | 80 | a whole number | where it listens |');
    expect(lines).toContain('| `SHOP_LIMIT_BYTES` | 1048576 (1 MiB) | a whole number | a basket |');
    expect(lines).toContain('| `KEY` | required | a \\| b | either |');
    expect(lines).toContain('| `VAULT` | none | text |  |');
  });

  it('describes once what several processes read alike', () => {
    expect(lines.filter((line) => line.includes('`LEVEL`'))).toEqual([
      '| `LEVEL` | `info` | text | how much is logged | every process |',
    ]);
  });

  it('has every variable named that nobody has described, with its program', () => {
    expect(undescribed(programs)).toEqual(['VAULT of bank']);
  });
});
