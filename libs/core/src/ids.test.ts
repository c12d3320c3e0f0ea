import { describe, expect, it } from '@jest/globals';
import { isRequestId, isUuid, newId, newUlid } from './ids.ts';

describe('ids', () => {
  it('are UUIDs of version 7, all different, sorted by the millisecond of their making', () => {
    const ids = Array.from({ length: 1_000 }, newId);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(new Set(ids).size).toBe(1_000);
    const times = ids.map((id) => id.slice(0, 13));
    expect(times).toEqual([...times].sort());
    expect(Math.abs(parseInt((ids[0] ?? '').replaceAll('-', '').slice(0, 12), 16) - Date.now())).toBeLessThan(5_000);
  });

  it('with a prefix are ULIDs: 26 characters of base 32 whose order is the order of time', () => {
    const early = newUlid('org_', new Date('2026-01-01T00:00:00.000Z'));
    const late = newUlid('org_', new Date('2026-01-01T00:00:00.001Z'));
    expect(early).toMatch(/^org_[0-7][0-9A-HJKMNP-TV-Z]{25}$/);
    expect(early < late).toBe(true);
    expect(newUlid('org_')).not.toBe(newUlid('org_'));
  });

  it('are told from other texts in either case, alone and with hyphens', () => {
    const id = newId();
    for (const text of [id, id.toUpperCase()]) expect(isUuid(text)).toBe(true);
    for (const text of ['', `{${id}}`, `${id}\n`, id.replaceAll('-', ''), newUlid()]) expect(isUuid(text)).toBe(false);
  });

  it('of requests may be chosen outside in a form that no credential has', () => {
    const chosen = [newId(), newId().toUpperCase(), newUlid(), '0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331'];
    for (const id of chosen) expect(isRequestId(id)).toBe(true);
    const others = [
      '',
      'req-1',
      newUlid('org_'),
      `${newId()}\n`,
      `pk_${'a1'.repeat(24)}b`,
      'a1'.repeat(24) + 'b',
      'a1'.repeat(32),
      'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln',
      'sk_live_0123456789abcdef01234567',
    ];
    for (const id of others) expect(isRequestId(id)).toBe(false);
  });

  it('encode the time of a ULID as its specification says', () => {
    expect(newUlid('', new Date(1_469_918_176_385)).slice(0, 10)).toBe('01ARYZ6S41');
  });
});
