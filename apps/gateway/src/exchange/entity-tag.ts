import { stateOfTag } from '@platform-backend/contract';
import { hash } from 'node:crypto';
import type { Exchange } from './exchange.ts';

/** A tag that changes with the content. */
export const entityTag = (content: Buffer): string => quoted(hash('sha256', content, 'base64url').slice(0, 22));

/** As it stands in a header. */
export const quoted = (tag: string): string => `"${tag}"`;

/** Whether the client has this content already, by its `If-None-Match`; compared weakly, as RFC 9110 has it for reading. */
export function isKnown({ request }: Exchange, tag: string): boolean {
  const known = request.headers['if-none-match'];
  if (known === undefined) return false;
  return known === '*' || known.split(',').some((one) => withoutWeakness(one.trim()) === withoutWeakness(tag));
}

const withoutWeakness = (tag: string): string => tag.replace(/^W\//, '');

/**
 * What a service compares with for an `If-Match`: the states in its tags, or `*` for any; undefined where the request has no
 * condition. A weak tag, and one that was not given out here, matches nothing (RFC 9110, 13.1.1).
 */
export function statesToMatch(ifMatch: string | undefined): string | undefined {
  if (ifMatch === undefined || ifMatch.trim() === '*') return ifMatch?.trim();
  const tags = ifMatch.split(',').flatMap((one) => TAG.exec(one.trim())?.[1] ?? []);
  return tags.length === 0 ? NO_STATE : tags.map(stateOfTag).join(' ');
}

/** The same for an `If-None-Match` of a change, which is compared weakly (RFC 9110, 13.1.2). */
export const statesNotToMatch = (ifNoneMatch: string | undefined): string | undefined =>
  statesToMatch(
    ifNoneMatch
      ?.split(',')
      .map((one) => withoutWeakness(one.trim()))
      .join(),
  );

const TAG = /^"([\w.-]+)"$/;
/** No thing is in it. */
const NO_STATE = '-';
