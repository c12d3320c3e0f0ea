import { describe, expect, it } from '@jest/globals';
import { integer, optional, readConfiguration, text } from '@platform-backend/core';
import { settingsReadBy } from './app-settings.ts';

describe('finding out what an app reads', () => {
  it('tells the variables it cannot do without from those it can', () => {
    const read = (env: NodeJS.ProcessEnv) =>
      readConfiguration(env, { NAME: text(), LIMIT: integer({ default: 1 }), HINT: optional(text()) });
    expect(settingsReadBy(read)).toEqual({ known: ['NAME', 'LIMIT', 'HINT'], required: ['NAME'] });
  });

  it('passes on a failure that is not about the configuration', () => {
    const read = () => {
      throw new Error('broken');
    };
    expect(() => settingsReadBy(read)).toThrow('broken');
  });
});
