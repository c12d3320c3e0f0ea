import { hash } from 'node:crypto';
import type { Exchange } from './exchange.ts';

/** A tag that changes with the content. */
export const entityTag = (content: Buffer): string => `"${hash('sha256', content, 'base64url').slice(0, 22)}"`;

/** Whether the client has this content already, by its `If-None-Match`; compared weakly, as RFC 9110 has it for reading. */
export function isKnown({ request }: Exchange, tag: string): boolean {
  const known = request.headers['if-none-match'];
  if (known === undefined) return false;
  return known === '*' || known.split(',').some((one) => withoutWeakness(one.trim()) === withoutWeakness(tag));
}

const withoutWeakness = (tag: string): string => tag.replace(/^W\//, '');
