import { describe, expect, it } from '@jest/globals';
import { idempotencyKeyReader } from './idempotency-key.ts';

const read = idempotencyKeyReader(['a key for tests']);
const secretOf = (key: string): string | undefined => {
  const found = read({ 'idempotency-key': key });
  return found.ok ? found.secret : undefined;
};

describe('reading an Idempotency-Key', () => {
  it('makes of it what stands for it and does not show it', () => {
    const secret = secretOf('order 17 of ada@example.com');
    expect(secret).toMatch(/^[\w-]{43}$/);
    expect(secretOf('order 17 of ada@example.com')).toBe(secret);
    expect(secretOf('order 18 of ada@example.com')).not.toBe(secret);
    expect(idempotencyKeyReader(['another'])({ 'idempotency-key': 'order 17 of ada@example.com' })).not.toEqual({
      ok: true,
      secret,
    });
  });

  it('takes an empty one for none', () => {
    expect([read({}), read({ 'idempotency-key': '' })]).toEqual([
      { ok: true, secret: undefined },
      { ok: true, secret: undefined },
    ]);
  });

  it('refuses one of more than 255 characters', () => {
    expect(secretOf('k'.repeat(255))).toBeDefined();
    expect(read({ 'idempotency-key': 'k'.repeat(256) })).toMatchObject({
      ok: false,
      status: 422,
      detail: [{ type: 'string_too_long', loc: ['header', 'idempotency-key'], ctx: { max_length: 255 } }],
    });
  });
});
