import { describe, expect, it } from '@jest/globals';
import { readUuid } from './uuid.ts';

const uuid = '3fa85f64-5717-4562-b3fc-2c963f66afa6';

describe('reading UUIDs', () => {
  it.each([uuid, uuid.toUpperCase(), uuid.replaceAll('-', ''), `{${uuid}}`, `urn:uuid:${uuid}`])(
    '%s is read',
    (text) => {
      expect(readUuid(text)).toBe(uuid);
    },
  );

  it.each([
    ['', 'invalid length: expected length 32 for simple format, found 0'],
    ['abc', 'invalid length: expected length 32 for simple format, found 3'],
    ['xyz', 'invalid character: found `x` at 1'],
    [`${uuid}}`, 'invalid character: found `}` at 37'],
    [`{${uuid.slice(0, -1)}g}`, 'invalid character: found `g` at 36'],
    ['urn:uuid:é', 'invalid character: found `é` at 10'],
    ['éa', 'invalid character: found `é` at 1'],
    [`${uuid.slice(0, -1)}😀`, 'invalid character: found `😀` at 36'],
    ['-', 'invalid group count: expected 5, found 2'],
    ['{abc}', 'invalid group count: expected 5, found 1'],
    ['----', 'invalid group length in group 0: expected 8, found 0'],
    ['3fa85f64-571-74562-b3fc-2c963f66afa6', 'invalid group length in group 1: expected 4, found 3'],
    [`${uuid}0`, 'invalid group length in group 4: expected 12, found 13'],
    [`{${uuid}0}`, 'invalid group length in group 4: expected 12, found 15'],
    [`{${'a'.repeat(36)}}`, 'invalid length: expected length 32 for simple format, found 36'],
  ])('%s: %s', (text, error) => {
    expect(readUuid(text)).toMatchObject({
      type: 'uuid_parsing',
      msg: `Input should be a valid UUID, ${error}`,
      ctx: { error },
    });
  });

  it('refuses what is no text', () => {
    for (const value of [null, 5, true, [], {}]) expect(readUuid(value)).toMatchObject({ type: 'uuid_type' });
  });
});
