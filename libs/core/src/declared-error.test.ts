import { describe, expect, it } from '@jest/globals';
import { declareError, isDeclaredError } from './declared-error.ts';
import { DomainError } from './domain-error.ts';

const shelfFull = declareError('conflict', 'shelf_full', 'A shelf has {max} books: {remedy}');
const shelfLocked = declareError('unavailable', 'shelf_locked', 'The shelf is locked', 5);

describe('a declared error', () => {
  it('is made as it is declared, anew each time', () => {
    const error = shelfLocked();
    expect(error).toBeInstanceOf(DomainError);
    expect(error).toMatchObject({ kind: 'unavailable', code: 'shelf_locked', message: 'The shelf is locked' });
    expect(error.retryAfterSeconds).toBe(5);
    expect(shelfLocked()).not.toBe(error);
  });

  it('has the values of this time in its text, and no other fields than an error has', () => {
    const error = shelfFull({ max: 10, remedy: 'take {one} out' });
    expect(error.message).toBe('A shelf has 10 books: take {one} out');
    expect(Object.keys(error).sort()).toEqual(['code', 'kind', 'name']);
    expect('cause' in error).toBe(false);
  });

  it('keeps its cause for the log, and takes another time to come back', () => {
    const cause = new Error('a key is lost');
    expect(shelfLocked({ cause, retryAfterSeconds: 60 })).toMatchObject({ cause, retryAfterSeconds: 60 });
  });

  it('is known by its declaration, unlike other functions', () => {
    expect([shelfFull, declareError, { kind: 'conflict' }, undefined].map(isDeclaredError)).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });
});
