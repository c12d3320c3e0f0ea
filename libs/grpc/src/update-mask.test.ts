import { describe, expect, it } from '@jest/globals';
import { fieldsGiven } from './update-mask.ts';

describe('the fields of an update', () => {
  const fields = { name: 'new', expiresAt: null };

  it('are those that the mask names, null included', () => {
    expect(fieldsGiven({ paths: ['expires_at'] }, fields)).toEqual({ expiresAt: null });
    expect(fieldsGiven({ paths: ['name', 'expires_at'] }, fields)).toEqual({ name: 'new', expiresAt: null });
  });

  it('are none without a mask or with names that are none', () => {
    expect(fieldsGiven(null, fields)).toEqual({});
    expect(fieldsGiven({ paths: ['constructor', '__proto__', 'other'] }, fields)).toEqual({});
  });
});
