import { DomainError, isUnavailable, outsideOfCalls, type ActorContext, type Clock } from '@platform-backend/core';
import type { ClientPolicies, PolicyOfGroup, VersionedPolicy } from '../domain/client-policy.ts';

export interface PolicyPorts {
  readonly policies: ClientPolicies;
  readonly policyDirectory: PolicyDirectory;
  /** Whether events can arrive now. */
  readonly eventsFlow: () => boolean;
  readonly clock: Clock;
}

/** Identity, which keeps the policies of client groups. */
export interface PolicyDirectory {
  /** The policy of a group, or of the default group. NOT_FOUND: no such group. UNAVAILABLE: identity is away. */
  policyOf(organisationId: string, clientGroupId: string | null, requestId: string): Promise<VersionedPolicy>;
}

/** A changed policy holds after this long while no events arrive. */
const believedMs = 5_000;
/** The same while they do, in case one was lost. */
const believedWithEventsMs = 60_000;
/** While identity is away somebody asks once in so long, and nobody waits for it. */
const pauseMs = 1_000;

/** What is known of client policies; events bring it up to date, and where they do not reach identity is asked. */
export function policyKnowledge({ policies, policyDirectory, eventsFlow, clock }: PolicyPorts) {
  const asking = new Map<string, Promise<void>>();
  /** When identity was last found to be away; it has answered since then where this is no time at all. */
  let awayAt = -Infinity;
  const now = () => clock.now().getTime();

  /**
   * The policy of a group, or of the default one: as identity says or, while it is away, as was last heard of it. It is found out for
   * everybody: a caller who leaves is no sign that identity is away.
   */
  const policyOf = (by: ActorContext, clientGroupId: string | null): Promise<PolicyOfGroup> =>
    outsideOfCalls(() => findPolicy(by, clientGroupId));

  async function findPolicy(by: ActorContext, clientGroupId: string | null): Promise<PolicyOfGroup> {
    const { organisationId, requestId } = by;
    const askedAt = clock.now();
    try {
      const found = await policyDirectory.policyOf(organisationId, clientGroupId, requestId);
      awayAt = -Infinity;
      await policies.learn(organisationId, found, askedAt);
      return found;
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      awayAt = now();
      const known = await policies.get(organisationId, clientGroupId);
      if (!known) throw error;
      return known;
    }
  }

  /** Hears of a policy, if there is one and identity is not away: once, however many want to know. */
  function ask(by: ActorContext, clientGroupId: string | null): Promise<void> {
    const key = `${by.organisationId} ${clientGroupId ?? ''}`;
    const asked =
      asking.get(key) ??
      policyOf(by, clientGroupId)
        .then(() => undefined, forgiveMissing)
        .finally(() => asking.delete(key));
    asking.set(key, asked);
    return asked;
  }

  /** A policy last heard of then or before has to be asked for first; null: what is known holds, identity is away. */
  function heardAfter(by: ActorContext, clientGroupId: string | null): Date | null {
    const away = now() - awayAt;
    if (away >= believedMs) return new Date(now() - (eventsFlow() ? believedWithEventsMs : believedMs));
    if (away >= pauseMs && asking.size === 0) ask(by, clientGroupId).catch(() => undefined);
    return null;
  }

  return { policyOf, ask, heardAfter };
}

export type PolicyKnowledge = ReturnType<typeof policyKnowledge>;

function forgiveMissing(error: unknown): void {
  if (!isUnavailable(error) && !(error instanceof DomainError && error.kind === 'not_found')) throw error;
}
