import { describe, expect, it } from '@jest/globals';
import { changedFields } from './decision.ts';

describe('the fields that a change is told by', () => {
  it('are those that differ, before and after', () => {
    expect(changedFields({ name: 'a', archived: false }, { name: 'b', archived: false })).toEqual({
      before: { name: 'a' },
      after: { name: 'b' },
    });
  });

  it('are none when values are equal though not the same object', () => {
    expect(changedFields({ list: [{ a: 'b' }] }, { list: [{ a: 'b' }] })).toEqual({ before: {}, after: {} });
  });

  it('show null where there was nothing', () => {
    expect(changedFields({}, { policy: { hard_stop: true } })).toEqual({
      before: { policy: null },
      after: { policy: { hard_stop: true } },
    });
  });
});
