import { DomainError, expiringCache } from '@platform/core';
import type { Acting } from '../../domain/acting.ts';
import type { PolicyOfGroup } from '../../domain/usage/client-policy.ts';
import { isAway, rememberPolicies } from './find-policy.ts';
import type { UsageParts } from './usage-parts.ts';

/**
 * The policy of a group, or of the default one, as it was a few seconds ago at most; while identity is away, as it last
 * said. Null: there is no such group, or nothing was ever heard of it, and identity is away.
 */
export type RecentPolicy = (by: Acting, clientGroupId: string | null) => Promise<PolicyOfGroup | null>;

/** Who is told of changes need not ask all the time: with many accounts that would be most of what identity does. */
export interface PolicyNews {
  /** From the first call on every change is told, except between `interrupted` and the next `flows`; then late. */
  flows(): void;
  interrupted(): void;
  /** A policy of the organisation may have changed. */
  changed(organisationId: string): void;
}

export interface RecentPolicies {
  readonly recentPolicy: RecentPolicy;
  readonly news: PolicyNews;
}

/** In milliseconds since 1970. */
interface Trust {
  /** From then on it is asked anew beside the work, so that who reserves all the time never waits. */
  readonly askFrom: number;
  /** From then on it is asked anew first. */
  readonly until: number;
}

interface Heard {
  readonly group: PolicyOfGroup | null;
  /** When it was asked for, in the order of questions and news. */
  readonly turn: number;
  readonly trust: Trust;
  /** While changes are told. */
  readonly trustWithNews: Trust;
}

/** A changed policy holds after this long when nobody tells of changes. */
const trustedMs = 5_000;
/** So long before that, that even an identity that does not answer keeps nobody waiting. */
const askAfterMs = 2_500;
/** The same while changes are told, for whoever tells them may be late. */
const trustedWithNewsMs = 60_000;
const askAfterWithNewsMs = 50_000;
/** While identity is away it is asked once in so long, whatever the number of groups. */
const pauseMs = 1_000;
/** What identity said is kept this long for when it is away; beyond that the database knows. */
const keptMs = 600_000;
const mostGroups = 10_000;

export function recentPolicies(parts: UsageParts): RecentPolicies {
  const { usage, clientGroups, clock } = parts;
  const remember = rememberPolicies(parts);
  const heard = expiringCache<Heard>({ maxEntries: mostGroups, clock });
  /** The turn of the last change, by organisation. */
  const changes = expiringCache<number>({ maxEntries: mostGroups, clock });
  const asking = new Map<string, Promise<PolicyOfGroup | null>>();
  let awayUntil = 0;
  let turns = 0;
  /** The turn from which on changes are told, and whether they are now. */
  let toldSince = Infinity;
  let told = false;
  const now = () => clock.now().getTime();

  async function hear(by: Acting, clientGroupId: string | null, last: Heard | undefined): Promise<Heard> {
    const { organisationId, requestId } = by;
    const turn = (turns += 1);
    const answered = (group: PolicyOfGroup | null): Heard => {
      const at = now();
      const trust = { askFrom: at + askAfterMs, until: at + trustedMs };
      const trustWithNews = { askFrom: at + askAfterWithNewsMs, until: at + trustedWithNewsMs };
      return { group, turn, trust, trustWithNews };
    };
    const guessed = (group: PolicyOfGroup | null, trust: Trust): Heard => ({
      group,
      turn,
      trust,
      trustWithNews: trust,
    });
    if (now() >= awayUntil) {
      try {
        const group = await clientGroups.policyOf(organisationId, clientGroupId, requestId);
        await remember(organisationId, group, clientGroupId === null);
        return answered(group);
      } catch (error) {
        if (isNotFound(error)) return answered(null);
        if (!isAway(error)) throw error;
        awayUntil = now() + pauseMs;
      }
    }
    const known = last ? last.group : await usage.knownPolicy(organisationId, clientGroupId);
    // Of whom nothing is known, something shall be as soon as identity is back.
    return known ? guessed(known, answered(known).trust) : guessed(null, { askFrom: awayUntil, until: awayUntil });
  }

  /** Asked once, however many want to know. */
  function ask(key: string, by: Acting, clientGroupId: string | null, last: Heard | undefined) {
    const already = asking.get(key);
    if (already) return already;
    const answer = hear(by, clientGroupId, last)
      .then((answered) => {
        heard.set(key, answered, now() + keptMs);
        return answered.group;
      })
      .finally(() => asking.delete(key));
    asking.set(key, answer);
    return answer;
  }

  /** An answer from before the first news, or from before a change, is no better than without news. */
  function trustIn(last: Heard, organisationId: string): Trust {
    if ((changes.get(organisationId) ?? 0) > last.turn) return { askFrom: 0, until: 0 };
    return told && last.turn > toldSince ? last.trustWithNews : last.trust;
  }

  return {
    recentPolicy(by, clientGroupId) {
      const key = `${by.organisationId} ${clientGroupId ?? ''}`;
      const last = heard.get(key);
      if (!last) return ask(key, by, clientGroupId, last);
      const at = now();
      const { askFrom, until } = trustIn(last, by.organisationId);
      if (at < askFrom) return Promise.resolve(last.group);
      const answer = ask(key, by, clientGroupId, last);
      if (at >= until) return answer;
      // Whoever comes when this is no longer trusted hears of the failure.
      answer.catch(() => undefined);
      return Promise.resolve(last.group);
    },
    news: {
      flows() {
        told = true;
        toldSince = Math.min(toldSince, turns);
      },
      interrupted() {
        told = false;
      },
      changed(organisationId) {
        changes.set(organisationId, (turns += 1), now() + keptMs);
      },
    },
  };
}

const isNotFound = (error: unknown): boolean => error instanceof DomainError && error.kind === 'not_found';
