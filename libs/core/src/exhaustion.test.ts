import { describe, expect, it } from '@jest/globals';
import { exhaustionOf } from './exhaustion.ts';

const systemError = (code: string): Error => Object.assign(new Error(`${code}: of /a/path`), { code });

describe('an error of the system', () => {
  it.each([
    ['ENOSPC', 'storage_full', 30],
    ['EDQUOT', 'storage_full', 30],
    ['EMFILE', 'too_many_open_files', 5],
    ['ENFILE', 'too_many_open_files', 5],
  ])('%s is 503 %s, and says no path', (code, meant, retryAfterSeconds) => {
    const inside = new Error('the file could not be stored', { cause: systemError(code) });
    for (const error of [systemError(code), inside]) {
      const told = exhaustionOf(error);
      expect(told).toMatchObject({ kind: 'unavailable', code: meant, retryAfterSeconds });
      expect(told?.message).not.toContain('/a/path');
    }
  });

  it('is a defect where nothing has run out', () => {
    const circular: { cause?: unknown } = {};
    circular.cause = circular;
    for (const error of [systemError('ENOENT'), new Error('ENOSPC'), circular, 'ENOSPC', null, undefined])
      expect(exhaustionOf(error)).toBeUndefined();
  });
});
