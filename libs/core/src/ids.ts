import { createHash, randomBytes, randomUUIDv7 } from 'node:crypto';

/**
 * UUID version 7 (RFC 9562): random, yet sorted by the millisecond of its making, so that rows made
 * one after another lie together in an index.
 */
export const newId = (): string => randomUUIDv7();

/** Whether a text is a UUID with hyphens, in either case. */
export const isUuid = (text: string): boolean => UUID.test(text);

const UUID = /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/i;

/** A UUID of its own kind (RFC 9562, version 8) that the same parts always make, and nobody can make others for. */
export function idOf(parts: readonly string[]): string {
  const bytes = createHash('sha256').update(JSON.stringify(parts)).digest();
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString('hex', 0, 16);
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

/**
 * Whether what somebody outside calls a request may stand in logs, events and the audit log: a UUID, a ULID, or the hex
 * digits of a trace or span. Nothing freer, for people paste credentials into the wrong header, and no credential of
 * ours has one of these forms.
 */
export const isRequestId = (text: string): boolean => REQUEST_ID.test(text);

const REQUEST_ID = /^(?:[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}|[0-7][\dA-HJKMNP-TV-Z]{25}|[\da-f]{32}|[\da-f]{16})$/i;

const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** `newUlid('org_')` is `org_` and 26 characters of Crockford's base 32: 48 bits of time, 80 bits of chance. */
export function newUlid(prefix = '', now: Date = new Date()): string {
  let bits = BigInt(now.getTime());
  for (const byte of randomBytes(10)) bits = (bits << 8n) | BigInt(byte);
  let text = '';
  for (let position = 0; position < 26; position++) {
    text = (CROCKFORD[Number(bits & 31n)] ?? '') + text;
    bits >>= 5n;
  }
  return prefix + text;
}
