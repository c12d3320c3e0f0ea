import { describe, expect, it } from '@jest/globals';
import { refusalCode } from '../domain/examples.ts';
import { fieldsGiven, idOf, pageRequest, required } from './request-fields.ts';

describe('an id in a request', () => {
  it('is brought to the form the store has', () => {
    expect(idOf('0192A000-0000-7000-8000-00000000ABCD', 'Member')).toBe('0192a000-0000-7000-8000-00000000abcd');
  });

  it('that cannot be one is simply not found', () => {
    for (const text of ['', 'x', '0192a000000070008000000000000000', "' OR 1=1 --"]) {
      expect(refusalCode(() => idOf(text, 'Member'))).toBe('member_not_found');
    }
  });
});

describe('the fields of an update', () => {
  interface Change {
    name: string;
    expiresAt: Date | null;
  }
  const fields = { name: { name: 'new' }, expires_at: { expiresAt: null } };

  it('are those that the mask names, null included', () => {
    expect(fieldsGiven<Change>({ paths: ['expires_at'] }, fields)).toEqual({ expiresAt: null });
    expect(fieldsGiven<Change>({ paths: ['name', 'expires_at'] }, fields)).toEqual({ name: 'new', expiresAt: null });
  });

  it('are none without a mask or with names that are none', () => {
    expect(fieldsGiven<Change>(null, fields)).toEqual({});
    expect(fieldsGiven<Change>({ paths: ['constructor', '__proto__', 'other'] }, fields)).toEqual({});
  });
});

describe('a page request', () => {
  it('is 50 long when it does not say', () => {
    expect(pageRequest({ limit: 0, cursor: '', includeTotal: false }).limit).toBe(50);
  });

  it('is refused beyond 200 and below zero', () => {
    for (const limit of [201, -1]) {
      expect(refusalCode(() => pageRequest({ limit, cursor: '', includeTotal: false }))).toBe('validation_failed');
    }
  });
});

describe('a required value', () => {
  it('may be anything but absent', () => {
    expect(required('', 'name')).toBe('');
    expect(required(0, 'name')).toBe(0);
    expect(refusalCode(() => required(null, 'name'))).toBe('validation_failed');
  });
});
