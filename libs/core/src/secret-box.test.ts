import { describe, expect, it } from '@jest/globals';
import { secretsNotSetUp } from './errors.ts';
import { secretBox, SecretUnreadable } from './secret-box.ts';

const [before, now] = ['the key of before', 'the key of now'];

describe('a secret box', () => {
  it('opens what it has sealed for the same thing, and shows nothing of it', () => {
    const box = secretBox({ key: now });
    const sealed = box.seal('Bearer hunter2', 'org/server');
    expect(sealed).not.toContain('hunter2');
    expect(Buffer.from(sealed.slice(3), 'base64url').toString('latin1')).not.toContain('hunter2');
    expect(box.open(sealed, 'org/server')).toBe('Bearer hunter2');
    expect(box.seal('Bearer hunter2', 'org/server')).not.toBe(sealed);
    expect(() => box.open(sealed, 'other/server')).toThrow(SecretUnreadable);
  });

  it('opens what the other key has sealed, while keys are replaced', () => {
    const sealed = secretBox({ key: before }).seal('x', 'c');
    expect(secretBox({ key: now, otherKey: before }).open(sealed, 'c')).toBe('x');
    expect(() => secretBox({ key: now }).open(sealed, 'c')).toThrow(SecretUnreadable);
  });

  it('seals anew what the other key has sealed, after which that one is not needed, and nothing else', () => {
    const [old, present] = [secretBox({ key: before }), secretBox({ key: now })];
    const both = secretBox({ key: now, otherKey: before });
    const resealed = both.reseal(old.seal('x', 'c'), 'c');
    expect(present.open(resealed, 'c')).toBe('x');
    expect(both.reseal(resealed, 'c')).toBe(resealed);
    expect(() => both.reseal(old.seal('x', 'c'), 'another')).toThrow(SecretUnreadable);
    expect(() => present.reseal(old.seal('x', 'c'), 'c')).toThrow(SecretUnreadable);
    expect(() => secretBox({ key: undefined, otherKey: before }).reseal(old.seal('x', 'c'), 'c')).toThrow(
      secretsNotSetUp().message,
    );
  });

  it('opens nothing that was changed', () => {
    const sealed = secretBox({ key: now }).seal('some secret', 'c');
    for (const broken of ['', 'v1.', `v2${sealed.slice(2)}`, `${sealed.slice(0, -4)}AAAA`])
      expect(() => secretBox({ key: now }).open(broken, 'c')).toThrow(SecretUnreadable);
  });

  it('keeps nothing without a key', () => {
    expect(() => secretBox({ key: undefined }).seal('x', 'c')).toThrow(secretsNotSetUp().message);
    expect(() => secretBox({ key: undefined, otherKey: before }).seal('x', 'c')).toThrow(secretsNotSetUp().message);
  });
});
