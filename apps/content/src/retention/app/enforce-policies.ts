import { serviceActorContext, unchanged, type ActorContext, type Logger } from '@platform-backend/core';
import type { RetentionPolicies } from '../domain/retention-policies.ts';
import {
  isAsBefore,
  passOf,
  recordPart,
  targetsOf,
  type RetainedKind,
  type RetentionPart,
  type RetentionPass,
  type RetentionPolicy,
} from '../domain/retention-policy.ts';
import type { Removal, Retained } from './retained.ts';

export interface EnforcePorts {
  readonly policies: RetentionPolicies;
  readonly retained: Retained;
  /** Has what follows from what was deleted done soon. */
  readonly wakeDocuments: () => void;
  /** Of the database, which all replicas go by. */
  readonly now: () => Promise<Date>;
  readonly newId: () => string;
  readonly logger: Logger;
}

/** For how long nobody else takes what somebody has begun with, in milliseconds; what a killed replica costs a pass. */
const LEASE_MS = 60_000;

/** What could not be deleted lets others go before it, in milliseconds. */
const RETRY_MS = 5_000;

/** How many things are deleted at a time, in one transaction. */
const PART = 25;

/**
 * Deletes what organisations do not keep: of each a part, and whoever has waited longest is the next. What is deleted, how many that
 * were and where the pass goes on is one transaction: whoever is killed in it has deleted nothing, and after it nothing twice. Says how many parts there were.
 */
export async function enforcePolicies(ports: EnforcePorts, stopping: AbortSignal): Promise<number> {
  const { policies, now, logger } = ports;
  let parts = 0;
  for (; !stopping.aborted; parts += 1) {
    const at = await now();
    const until = new Date(at.getTime() + LEASE_MS);
    const organisationId = await policies.takeDue(at, until);
    if (organisationId === undefined) break;
    try {
      await enforcePart(ports, organisationId, at);
    } catch (error) {
      logger.warn(
        { event: 'retention.failed', err: error, organisationId },
        'what is not kept could not be deleted now, trying again',
      );
      await policies.postpone(organisationId, until, new Date(at.getTime() + RETRY_MS));
    }
  }
  return parts;
}

async function enforcePart(ports: EnforcePorts, organisationId: string, at: Date): Promise<void> {
  const { policies, wakeDocuments, newId } = ports;
  const seen = await policies.find(organisationId);
  if (!seen) return;
  const pass = passOf(seen, at);
  const part = await nextPart(ports, seen, pass);
  const by = serviceActorContext('content', organisationId, newId());
  await policies.together(organisationId, async () => {
    const present = await policies.find(organisationId);
    // Whoever changes the policy while this goes on makes the transaction collide, and then it ends here.
    if (!present || !isAsBefore(present, seen)) return;
    const removal = { rules: present, asOf: pass.startedAt, at };
    const deleted = await deletePart(ports, by, part, removal);
    await policies.update(by, (policy) =>
      policy ? recordPart(policy, pass, { deleted, next: part.next }, at) : unchanged(policy),
    );
  });
  if (part.kind === 'documents' && part.ids.length > 0) wakeDocuments();
}

interface FoundPart extends Pick<RetentionPart, 'next'> {
  readonly kind: RetainedKind;
  readonly ids: readonly string[];
}

/** The next things that are older than they are kept. */
async function nextPart({ retained }: EnforcePorts, policy: RetentionPolicy, pass: RetentionPass): Promise<FoundPart> {
  const targets = targetsOf(policy);
  let { target, cursor } = pass;
  for (let wanted = targets[target]; wanted; wanted = targets[target]) {
    const request = { limit: PART, cursor, includeTotal: false };
    const { items, nextCursor } = await retained[wanted.kind].over(policy.id, wanted, pass.startedAt, request);
    [target, cursor] = nextCursor === '' ? [target + 1, ''] : [target, nextCursor];
    const next = target < targets.length ? { target, cursor } : undefined;
    if (items.length > 0) return { kind: wanted.kind, ids: items.map(({ id }) => id), next };
  }
  return { kind: 'documents', ids: [], next: undefined };
}

async function deletePart(
  { retained }: EnforcePorts,
  by: ActorContext,
  { kind, ids }: FoundPart,
  removal: Removal,
): Promise<RetentionPart['deleted']> {
  let count = 0;
  // One after the other, as all that is in one transaction.
  for (const id of ids) if (await retained[kind].remove(by, id, removal)) count += 1;
  return { [kind]: count };
}
