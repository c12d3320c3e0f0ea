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

interface Heard {
  readonly group: PolicyOfGroup | null;
  /** From then on it is asked anew beside the work, so that who reserves all the time never waits. */
  readonly askFrom: number;
  /** From then on it is asked anew first. Both in milliseconds since 1970. */
  readonly trustedUntil: number;
}

/** A changed policy holds after this long. */
const trustedMs = 5_000;
/** So long before that, that even an identity that does not answer keeps nobody waiting. */
const askAfterMs = 2_500;
/** While identity is away it is asked once in so long, whatever the number of groups. */
const pauseMs = 1_000;
/** What identity said is kept this long for when it is away; beyond that the database knows. */
const keptMs = 600_000;
const mostGroups = 10_000;

export function recentPolicies(parts: UsageParts): RecentPolicy {
  const { usage, clientGroups, clock } = parts;
  const remember = rememberPolicies(parts);
  const heard = expiringCache<Heard>({ maxEntries: mostGroups, clock });
  const asking = new Map<string, Promise<PolicyOfGroup | null>>();
  let awayUntil = 0;
  const now = () => clock.now().getTime();

  async function hear(by: Acting, clientGroupId: string | null, last: Heard | undefined): Promise<Heard> {
    const { organisationId, requestId } = by;
    const trusted = (group: PolicyOfGroup | null): Heard => {
      const at = now();
      return { group, askFrom: at + askAfterMs, trustedUntil: at + trustedMs };
    };
    if (now() >= awayUntil) {
      try {
        const group = await clientGroups.policyOf(organisationId, clientGroupId, requestId);
        await remember(organisationId, group, clientGroupId === null);
        return trusted(group);
      } catch (error) {
        if (isNotFound(error)) return trusted(null);
        if (!isAway(error)) throw error;
        awayUntil = now() + pauseMs;
      }
    }
    const known = last ? last.group : await usage.knownPolicy(organisationId, clientGroupId);
    // Of whom nothing is known, something shall be as soon as identity is back.
    return known ? trusted(known) : { group: null, askFrom: awayUntil, trustedUntil: awayUntil };
  }

  /** Asked once, however many want to know. */
  function ask(key: string, by: Acting, clientGroupId: string | null, last: Heard | undefined) {
    const already = asking.get(key);
    if (already) return already;
    const answer = hear(by, clientGroupId, last)
      .then((news) => {
        heard.set(key, news, now() + keptMs);
        return news.group;
      })
      .finally(() => asking.delete(key));
    asking.set(key, answer);
    return answer;
  }

  return (by, clientGroupId) => {
    const key = `${by.organisationId} ${clientGroupId ?? ''}`;
    const last = heard.get(key);
    const at = now();
    if (last && at < last.askFrom) return Promise.resolve(last.group);
    const answer = ask(key, by, clientGroupId, last);
    if (!last || at >= last.trustedUntil) return answer;
    // Whoever comes when this is no longer trusted hears of the failure.
    answer.catch(() => undefined);
    return Promise.resolve(last.group);
  };
}

const isNotFound = (error: unknown): boolean => error instanceof DomainError && error.kind === 'not_found';
