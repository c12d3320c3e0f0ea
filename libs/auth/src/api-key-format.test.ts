import { describe, expect, it } from '@jest/globals';
import {
  API_KEY_PREFIX,
  apiKeyHash,
  isWellFormedApiKey,
  looksLikeApiKey,
  newApiKey,
  shownApiKeyPrefix,
} from './api-key-format.ts';

describe('an API key', () => {
  it('is recognised by its prefix and well formed as made', () => {
    for (let round = 0; round < 100; round++) {
      const key = newApiKey();
      expect(key).toHaveLength(52);
      expect(looksLikeApiKey(key)).toBe(true);
      expect(isWellFormedApiKey(key)).toBe(true);
    }
  });

  it('is never made twice', () => {
    expect(new Set(Array.from({ length: 100 }, newApiKey)).size).toBe(100);
  });

  it('is refused without a look-up when any one character is wrong', () => {
    const key = newApiKey();
    for (let position = API_KEY_PREFIX.length; position < key.length; position++) {
      const other = key[position] === 'x' ? 'y' : 'x';
      expect(isWellFormedApiKey(key.slice(0, position) + other + key.slice(position + 1))).toBe(false);
    }
  });

  it('is refused when two neighbouring characters are swapped', () => {
    const key = newApiKey();
    for (let position = API_KEY_PREFIX.length; position < key.length - 1; position++) {
      const [one, two] = [key.charAt(position), key.charAt(position + 1)];
      if (one === two) continue;
      expect(isWellFormedApiKey(key.slice(0, position) + two + one + key.slice(position + 2))).toBe(false);
    }
  });

  it('is refused when cut, padded or written with other characters', () => {
    const key = newApiKey();
    for (const text of [
      '',
      'pk_',
      key.slice(0, -1),
      `${key}x`,
      ` ${key}`,
      `${key}\n`,
      key.replace('pk_', 'sk_'),
      'pk_'.padEnd(52, 'ä'),
    ]) {
      expect(isWellFormedApiKey(text)).toBe(false);
    }
  });

  it('shows only its prefix and eight characters', () => {
    expect(shownApiKeyPrefix('pk_ABCDEFGHIJKL')).toBe('pk_ABCDEFGH');
  });

  it('is stored as 32 bytes that depend on every character', () => {
    const key = newApiKey();
    expect(apiKeyHash(key)).toHaveLength(32);
    expect(apiKeyHash(key).equals(apiKeyHash(`${key.slice(0, -1)}x`))).toBe(key.endsWith('x'));
  });
});
