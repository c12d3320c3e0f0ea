import { describe, expect, it } from '@jest/globals';
import { fieldsGiven } from './update-mask.ts';

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
