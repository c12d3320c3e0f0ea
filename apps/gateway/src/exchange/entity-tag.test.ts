import { describe, expect, it } from '@jest/globals';
import { statesNotToMatch, statesToMatch } from './entity-tag.ts';

const state = 'a'.repeat(22);

describe('what a service compares with for If-Match', () => {
  it('is nothing where there is no condition, and anything for a star', () => {
    expect(statesToMatch(undefined)).toBeUndefined();
    expect(statesToMatch(' * ')).toBe('*');
  });

  it('is the state of each tag, whatever else the tag is of', () => {
    expect(statesToMatch(`"${state}"`)).toBe(state);
    expect(statesToMatch(`"${state}.0123456789a" , "${'b'.repeat(22)}"`)).toBe(`${state} ${'b'.repeat(22)}`);
  });

  it('matches nothing for weak tags, for what is no tag and for an empty list', () => {
    for (const header of ['', `W/"${state}"`, state, '"', `"${state} *"`, '"*"'])
      expect(statesToMatch(header)).toBe('-');
  });
});

describe('what a service compares with for If-None-Match', () => {
  it('is the state of each tag, weak or not, and anything for a star', () => {
    expect(statesNotToMatch(undefined)).toBeUndefined();
    expect(statesNotToMatch(' * ')).toBe('*');
    expect(statesNotToMatch(`W/"${state}.0" , "${'b'.repeat(22)}"`)).toBe(`${state} ${'b'.repeat(22)}`);
    expect(statesNotToMatch('')).toBe('-');
  });
});
