import { describe, expect, it } from '@jest/globals';
import { valueCipher } from './value-cipher.ts';

const [first, second] = ['a secret of the tests', 'another one of the tests'];

describe('an encrypted value', () => {
  it('is read with the key, and with the key before it', () => {
    const encrypted = valueCipher(first).encrypt('org', 'TOKEN', 'é');
    expect(valueCipher(first).decrypt('org', 'TOKEN', encrypted)).toBe('é');
    expect(valueCipher(second, first).decrypt('org', 'TOKEN', encrypted)).toBe('é');
    expect(valueCipher(second).decrypt('org', 'TOKEN', encrypted)).toBeUndefined();
  });

  it('is no value of another variable or organisation, and none that was changed', () => {
    const { encrypt, decrypt } = valueCipher(first);
    const encrypted = Buffer.from(encrypt('org', 'TOKEN', 'a token'));
    expect(decrypt('org', 'OTHER', encrypted)).toBeUndefined();
    expect(decrypt('other', 'TOKEN', encrypted)).toBeUndefined();
    encrypted.writeUInt8(encrypted.readUInt8(encrypted.length - 1) ^ 1, encrypted.length - 1);
    expect(decrypt('org', 'TOKEN', encrypted)).toBeUndefined();
    expect(decrypt('org', 'TOKEN', Buffer.alloc(3))).toBeUndefined();
    expect(encrypted.includes('a token')).toBe(false);
  });
});
