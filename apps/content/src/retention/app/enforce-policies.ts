import {
  isUnavailable,
  newId,
  serviceActorContext,
  unchanged,
  type ActorContext,
  type Logger,
} from '@platform-backend/core';
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
import type { Retained } from './retained.ts';

export interface EnforcePorts {
  readonly policies: RetentionPolicies;
  readonly retained: Retained;
  /** Has what follows from what was deleted done soon. */
  readonly wakeDocuments: () => void;
  /** Of the database, which all replicas go by. */
  readonly now: () => Promise<Date>;
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
 * were and where the pass goes on is one transaction: whoever is killed in it has deleted nothing, and after it nothing twice. What
 * cannot be deleted is left to the next pass. Says how many parts there were.
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
  const { policies, wakeDocuments } = ports;
  const seen = await policies.find(organisationId);
  if (!seen) return;
  const pass = passOf(seen, at);
  const part = await nextPart(ports, seen, pass);
  const by = serviceActorContext('content', organisationId, newId());
  const whole = { by, seen, at, pass, part };
  try {
    await deletePart(ports, whole);
  } catch (error) {
    if (part.ids.length === 0) throw error;
    await deleteEachApart(ports, whole);
  }
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

/** What is to be deleted of a pass, as the policy was when it was looked for. */
interface PartOfPass {
  readonly by: ActorContext;
  readonly seen: RetentionPolicy;
  readonly at: Date;
  readonly pass: RetentionPass;
  readonly part: FoundPart;
}

/** The policy as it is with the part done; undefined: it is another one, or somebody else has gone on with its pass, and nothing is done. */
async function deletePart(
  { policies, retained }: EnforcePorts,
  { by, seen, at, pass, part: { kind, ids, next } }: PartOfPass,
): Promise<RetentionPolicy | undefined> {
  return policies.together(by.organisationId, async () => {
    const present = await policies.find(by.organisationId);
    // Whoever changes the policy while this goes on makes the transaction collide, and then it ends here.
    if (!present || !isAsBefore(present, seen)) return undefined;
    const removal = { rules: present, asOf: pass.startedAt, at };
    let count = 0;
    // One after the other, as all that is in one transaction.
    for (const id of ids) if (await retained[kind].remove(by, id, removal)) count += 1;
    return policies.update(by, (policy) =>
      policy ? recordPart(policy, pass, { deleted: { [kind]: count }, next }, at) : unchanged(policy),
    );
  });
}

/** Each thing in a transaction of its own, since one of them cannot be deleted: that one is left to the next pass, and holds up nothing. */
async function deleteEachApart(ports: EnforcePorts, { by, seen, at, pass, part }: PartOfPass): Promise<void> {
  const { organisationId } = by;
  const stays = { target: pass.target, cursor: pass.cursor };
  let present: RetentionPolicy | undefined = seen;
  for (const id of part.ids) {
    const one: PartOfPass = {
      by,
      seen: present,
      at,
      pass: passOf(present, at),
      part: { ...part, ids: [id], next: stays },
    };
    try {
      present = await deletePart(ports, one);
    } catch (error) {
      // Of the database, and not of the thing: what is left of the part is tried again soon.
      if (isUnavailable(error)) throw error;
      ports.logger.warn(
        { event: 'retention.left', err: error, organisationId, kind: part.kind, thingId: id },
        'something that is not kept could not be deleted, and is left to the next pass',
      );
    }
    if (!present) return;
  }
  await deletePart(ports, { by, seen: present, at, pass: passOf(present, at), part: { ...part, ids: [] } });
}
