import { createHmac } from 'node:crypto';
import { IDEMPOTENCY_KEY } from '../operations.ts';
import { Findings } from '../validation/findings.ts';
import { lengthCheck } from '../validation/text.ts';
import type { SealKeys } from './cursor.ts';
import type { RequestFailure, RequestParts } from './request-parts.ts';

/**
 * What stands for the `Idempotency-Key` of a request; undefined when it has none. Clients make such keys of names and
 * numbers of their own, so that nobody behind the gateway gets to see them.
 */
export type IdempotencyKeyReader = (
  headers: RequestParts['headers'],
) => { readonly ok: true; readonly secret: string | undefined } | RequestFailure;

export const MAX_LENGTH = 255;

const isTooLong = lengthCheck(0, MAX_LENGTH);

const header = IDEMPOTENCY_KEY.toLowerCase();

/** With several seal keys it is what each of them makes of it, separated by spaces: services look under all of them. */
export function idempotencyKeyReader(sealKeys: SealKeys): IdempotencyKeyReader {
  const secretOf = (key: string) => (sealKey: string | Buffer) =>
    createHmac('sha256', sealKey).update(`${header}\0`).update(key).digest('base64url');
  return (headers) => {
    const key = headers[header];
    if (typeof key !== 'string' || key === '') return NONE;
    const problem = isTooLong(key);
    if (problem) {
      const findings = new Findings();
      findings.add(problem, ['header', header], key);
      return { ok: false, status: 422, detail: findings.items };
    }
    return { ok: true, secret: sealKeys.map(secretOf(key)).join(' ') };
  };
}

const NONE = { ok: true, secret: undefined } as const;
