import { describe, expect, it } from '@jest/globals';
import { secretHash } from './secret-hash.ts';

describe('the hash of a secret', () => {
  it('is short, says nothing of the secret, and tells it from any other', () => {
    const secret = 'a'.repeat(8 * 1024);
    expect(secretHash(secret)).toMatch(/^[\w-]{43}$/);
    expect(secretHash('abc')).not.toContain('abc');
    expect(secretHash(secret)).not.toBe(secretHash(`${secret}a`));
  });
});
