import { describe, expect, it } from '@jest/globals';
import { integer, optional, settingsOfService, text } from '@platform-backend/core';
import { settingNames } from './app-settings.ts';

describe('the variables that an app reads', () => {
  it('are those it cannot do without, and others', () => {
    const settings = { NAME: text(), LIMIT: integer({ default: 1 }), HINT: optional(text()) };
    expect(settingNames(settings)).toEqual({ known: ['NAME', 'LIMIT', 'HINT'], required: ['NAME'] });
  });

  it('bear the name under which they are read', () => {
    expect(settingNames(settingsOfService('shop', { URL: text() })).required).toEqual(['SHOP_URL']);
  });
});
