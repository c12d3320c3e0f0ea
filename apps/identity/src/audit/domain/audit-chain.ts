import { chainHash } from '@platform-backend/core';

/** One entry in the chain of its organisation, as it is stored. */
export interface ChainLink {
  /** From 1, without a gap. */
  readonly sequence: number;
  readonly entryId: string;
  /** The entry's canonical text; null where the entry itself is gone. */
  readonly text: string | null;
  /** Hexadecimal, as stored. */
  readonly hash: string;
}

/** Where a chain ends, or ended when somebody noted it. */
export interface ChainHead {
  readonly sequence: number;
  readonly hash: string;
}

export type ChainBreak =
  /** The entry says something else than when it was chained, or the link itself was changed. */
  | 'changed'
  /** The link is there and its entry is not. */
  | 'entry_missing'
  /** Links are missing before this one. */
  | 'links_missing'
  /** The chain is shorter, or longer, than its organisation's record of it, or ends otherwise. */
  | 'end_differs'
  /** The chain of now does not have what was noted of it. */
  | 'noted_head_differs'
  /** The entry is in no chain. */
  | 'not_chained'
  /** Nothing was ever written of the organisation, as of one that is not there; or all of it is gone. */
  | 'no_entries';

/** The first entry of an organisation that is not as it was. */
export interface BrokenEntry {
  readonly reason: ChainBreak;
  readonly sequence: number | null;
  readonly entryId: string | null;
}

export interface VerifiedChain {
  readonly organisationId: string;
  readonly head: ChainHead;
  /** null: every entry is as it was when it was chained. */
  readonly broken: BrokenEntry | null;
}

/** The chains of all organisations. */
export interface AuditChains {
  /** Everybody with an entry or a chain, in the order of their ids; also those that are deleted. */
  readonly organisations: () => Promise<readonly string[]>;
  /** Follows the chain of an organisation from its first entry to its last, as they are at one moment. */
  readonly verify: (organisationId: string, noted?: ChainHead) => Promise<VerifiedChain>;
}

/** The chain before its first entry. */
export const chainStart: ChainHead = { sequence: 0, hash: '' };

/** The head behind a link, or why the link does not follow the one before it. */
export function followLink(before: ChainHead, link: ChainLink): ChainHead | BrokenEntry {
  const broken = (reason: ChainBreak): BrokenEntry => ({ reason, sequence: link.sequence, entryId: link.entryId });
  if (link.sequence !== before.sequence + 1) return broken('links_missing');
  if (link.text === null) return broken('entry_missing');
  const hash = chainHash(before.hash, link.text);
  return hash === link.hash ? { sequence: link.sequence, hash } : broken('changed');
}

/** What the organisation's record of its chain says of the end that was reached; null: the same. */
export const checkEnd = (reached: ChainHead, recorded: ChainHead): BrokenEntry | null =>
  reached.sequence === recorded.sequence && reached.hash === recorded.hash
    ? null
    : { reason: 'end_differs', sequence: Math.min(reached.sequence, recorded.sequence) + 1, entryId: null };

/** What somebody has noted of a chain; null where it is still so. */
export const checkNoted = (link: ChainHead | undefined, noted: ChainHead): BrokenEntry | null =>
  link?.hash === noted.hash ? null : { reason: 'noted_head_differs', sequence: noted.sequence, entryId: null };

/** Founding an organisation writes entries, and none of them ends with it. */
export const checkStarted = (reached: ChainHead): BrokenEntry | null =>
  reached.sequence > 0 ? null : { reason: 'no_entries', sequence: null, entryId: null };
