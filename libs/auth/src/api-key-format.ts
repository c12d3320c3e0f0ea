import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

/**
 * How a client API key looks: `pk_`, 32 random bytes in 43 characters, and a checksum in 6, all base 62. A double
 * click selects all of it, a leak scanner can find it by the prefix, and a mistyped one is refused without a look-up.
 */
export const API_KEY_PREFIX = 'pk_';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const SECRET_BYTES = 32;
const SECRET_LENGTH = 43;
const CHECKSUM_LENGTH = 6;
const SHAPE = new RegExp(`^${API_KEY_PREFIX}[0-9A-Za-z]{${SECRET_LENGTH + CHECKSUM_LENGTH}}$`);

/** The prefix and eight characters: enough to recognise a key by, with more than 200 bits left to guess. */
const SHOWN_LENGTH = API_KEY_PREFIX.length + 8;

/** A new key with 256 bits of chance. */
export function newApiKey(): string {
  const secret = API_KEY_PREFIX + base62(randomBytes(SECRET_BYTES), SECRET_LENGTH);
  return secret + checksum(secret);
}

/** Whether text claims to be an API key rather than a token. Says nothing about whether it is one. */
export const looksLikeApiKey = (text: string): boolean => text.startsWith(API_KEY_PREFIX);

/** Whether text can be a key at all; false for nearly every mistyped or cut one. */
export function isWellFormedApiKey(text: string): boolean {
  return SHAPE.test(text) && checksum(text.slice(0, -CHECKSUM_LENGTH)) === text.slice(-CHECKSUM_LENGTH);
}

/** SHA-256 of the whole key. A fast hash suffices: nobody can try out 256 random bits. */
export const apiKeyHash = (key: string): Buffer => createHash('sha256').update(key).digest();

/** The first characters, which may be shown. */
export const shownApiKeyPrefix = (key: string): string => key.slice(0, SHOWN_LENGTH);

const checksum = (text: string): string => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(crc32(text));
  return base62(bytes, CHECKSUM_LENGTH);
};

function base62(bytes: Uint8Array, length: number): string {
  let number = 0n;
  for (const byte of bytes) number = (number << 8n) | BigInt(byte);
  let text = '';
  for (let position = 0; position < length; position++) {
    text = (ALPHABET[Number(number % 62n)] ?? '') + text;
    number /= 62n;
  }
  return text;
}
