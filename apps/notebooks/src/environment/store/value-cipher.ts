import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { ValueCipher } from '../domain/environment.ts';

const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

const keyOf = (secret: string): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, '', 'environment variables of notebooks', 32));

/** AES-256 in GCM with the first of these secrets; what any of them has encrypted is read. */
export function valueCipher(secret: string, ...others: readonly string[]): ValueCipher {
  const key = keyOf(secret);
  const keys = [key, ...others.map(keyOf)];
  /** An encrypted value is of this variable alone. */
  const subjectOf = (organisationId: string, name: string): Buffer =>
    Buffer.from(JSON.stringify([organisationId, name]));
  return {
    encrypt(organisationId, name, value) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(ALGORITHM, key, nonce).setAAD(subjectOf(organisationId, name));
      const text = Buffer.concat([cipher.update(value, 'utf8'), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), text]);
    },
    decrypt(organisationId, name, encrypted) {
      const bytes = Buffer.from(encrypted.buffer, encrypted.byteOffset, encrypted.byteLength);
      for (const known of keys) {
        try {
          const decipher = createDecipheriv(ALGORITHM, known, bytes.subarray(0, NONCE_BYTES), {
            authTagLength: TAG_BYTES,
          }).setAAD(subjectOf(organisationId, name));
          decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
          const text = decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES));
          return Buffer.concat([text, decipher.final()]).toString('utf8');
        } catch {
          // Another key's, or nobody's.
        }
      }
      return undefined;
    },
  };
}
