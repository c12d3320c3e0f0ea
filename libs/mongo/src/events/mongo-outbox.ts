import { newId } from '@platform-backend/core';
import type { BatchOutcome, EventRange, Outbox, OutboxMessage } from '@platform-backend/events';
import type { mongo } from 'mongoose';
import type { Database } from '../database.ts';
import {
  collectSome,
  nextSequence,
  outboxOf,
  sequenceAt,
  timeOfSequence,
  type OutboxDocument,
} from './event-collections.ts';
import { PRUNE_LIMIT } from './mongo-inbox.ts';

/** Bytes of the events that are published at once; the one that passes it is still among them. */
const BATCH_BYTES = 4 * 1024 * 1024;

/** Longer than publishing waits for NATS. A relay that has not finished a batch by then is taken for dead. One that is merely slow repeats ids, no more. */
const LEASE_MS = 8_000;

/** Those of one document have numbers that differ. */
const BY_AGE = { sequence: 1, _id: 1 } as const;
/** The same of a batch, which is in no index by age. */
const byAge = (one: OutboxDocument, other: OutboxDocument): number =>
  one.sequence - other.sequence || (one._id < other._id ? -1 : 1);

/** Of half a mebibyte each at most. */
const HISTORY_BATCH = 100;

/**
 * The events of all documents, which are collected here before they are published, so that documents stay small and
 * what was published stays for replay.
 */
export function mongoOutbox(database: Database): Outbox {
  const outbox = outboxOf(database.unguarded);

  /** Answers whether there may be more. */
  const collect = async (): Promise<boolean> => {
    const sources = [...database.eventSources];
    const more = await Promise.all(sources.map((name) => collectSome(database.unguarded, name)));
    return more.includes(true);
  };
  const collectAll = async (): Promise<void> => {
    while (await collect());
  };

  return {
    async publishNext(limit, publish) {
      const more = await collect();
      const batch = newId();
      const taken = await takeBatch(outbox, batch, limit);
      const heldBack = taken.heldBack + (more ? 1 : 0);
      if (taken.events.length === 0) return { published: 0, setAside: 0, failed: 0, heldBack };
      const messages = taken.events.map(messageOf);
      const { published, permanentFailures } = await publish(messages).catch(async (error: unknown) => {
        await giveBack(outbox, { takenBy: batch });
        throw error;
      });
      await outbox.bulkWrite([
        ...[...permanentFailures].map(([_id, reason]) => ({
          updateOne: {
            filter: { _id },
            update: { $set: { state: 'set_aside' as const, reason, setAsideAt: new Date() } },
          },
        })),
        {
          updateMany: {
            filter: { _id: { $in: [...published] } },
            update: { $set: { state: 'published' as const, publishedAt: new Date() } },
          },
        },
      ]);
      await giveBack(outbox, { takenBy: batch });
      const failed = messages.length - published.size - permanentFailures.size;
      return { published: published.size, setAside: permanentFailures.size, failed, heldBack } satisfies BatchOutcome;
    },

    listen: (wake) => database.listen(wake),

    async prune(olderThanMs) {
      const old = { state: 'published' as const, sequence: { $lt: sequenceAt(Date.now() - olderThanMs) } };
      const found = outbox.find(old).project<{ _id: string }>({ _id: 1 }).sort(BY_AGE).limit(PRUNE_LIMIT);
      const ids = (await found.toArray()).map(({ _id }) => _id);
      return (await outbox.deleteMany({ _id: { $in: ids } })).deletedCount;
    },

    async backlog() {
      await collectAll();
      const oldest = await outbox.findOne({ state: 'waiting' }, { sort: BY_AGE, projection: { sequence: 1 } });
      const [events, setAside] = await Promise.all([
        outbox.countDocuments({ state: 'waiting' }),
        outbox.countDocuments({ state: 'set_aside' }),
      ]);
      const oldestAgeMs = oldest ? Math.max(0, Date.now() - timeOfSequence(oldest.sequence).getTime()) : 0;
      return { events, oldestAgeMs, setAside };
    },

    async *history(range) {
      await collectAll();
      let part: OutboxMessage[] = [];
      for await (const event of outbox.find(within(range)).sort(BY_AGE).batchSize(HISTORY_BATCH)) {
        part.push(messageOf(event));
        if (part.length < HISTORY_BATCH) continue;
        yield part;
        part = [];
      }
      if (part.length > 0) yield part;
    },

    async republish(publishedBefore) {
      const { modifiedCount } = await outbox.updateMany(
        {
          state: 'published',
          // What is younger cannot have been published before; of older releases nobody knows when it was.
          sequence: { $lt: sequenceAt(publishedBefore) },
          $or: [{ publishedAt: { $exists: false } }, { publishedAt: { $lt: publishedBefore } }],
        },
        { $set: { state: 'waiting' }, $unset: { publishedAt: '' } },
      );
      return modifiedCount;
    },

    async listSetAside(limit = 1_000) {
      const events = await outbox.find({ state: 'set_aside' }).sort(BY_AGE).limit(limit).toArray();
      return events.map(({ _id, organisationId, type, subject, bytes, sequence, reason = '', setAsideAt }) => {
        const createdAt = timeOfSequence(sequence);
        return {
          id: _id,
          organisationId,
          type,
          subject,
          reason,
          bytes,
          createdAt,
          setAsideAt: setAsideAt ?? createdAt,
        };
      });
    },

    async retrySetAside(ids) {
      const which = { state: 'set_aside' as const, ...(ids && { _id: { $in: [...ids] } }) };
      const events = await outbox.find(which).project<{ _id: string }>({ _id: 1 }).sort(BY_AGE).toArray();
      if (events.length === 0) return 0;
      const { modifiedCount } = await outbox.bulkWrite(
        events.map(({ _id }) => ({
          updateOne: {
            filter: { _id, state: 'set_aside' },
            update: {
              $set: { state: 'waiting', sequence: nextSequence() },
              $unset: { reason: '', setAsideAt: '' },
            },
          },
        })),
      );
      database.wakeRelay();
      return modifiedCount;
    },
  };
}

const within = ({ from, to, types, organisationId }: EventRange): mongo.Filter<OutboxDocument> => ({
  state: { $ne: 'set_aside' },
  sequence: { $gte: sequenceAt(from), $lt: sequenceAt(to) },
  ...(types && { type: { $in: [...types] } }),
  ...(organisationId !== undefined && { organisationId }),
});

const messageOf = ({ _id, type, organisationId, requestId, body }: OutboxDocument): OutboxMessage => ({
  id: _id,
  type,
  organisationId,
  requestId,
  body,
});

/**
 * Leases the oldest events that no other relay has. One is given back while an earlier one of its subject is with
 * another relay: it may not arrive before that. Large events make a batch shorter, so that a relay's memory is bounded.
 */
async function takeBatch(outbox: mongo.Collection<OutboxDocument>, batch: string, limit: number) {
  const now = Date.now();
  const free = { state: 'waiting' as const, takenUntil: { $not: { $gt: new Date(now) } } };
  const found = outbox.find(free).project<{ _id: string; bytes: number }>({ bytes: 1 }).sort(BY_AGE).limit(limit);
  const candidates = await found.toArray();
  const wanted = withinBytes(candidates);
  if (wanted.length === 0)
    return { events: [], heldBack: await outbox.countDocuments({ state: 'waiting' }, { limit: 1 }) };
  const lease = { takenBy: batch, takenUntil: new Date(now + LEASE_MS) };
  await outbox.updateMany({ ...free, _id: { $in: wanted } }, { $set: lease });
  const taken = (await outbox.find({ takenBy: batch }).toArray()).toSorted(byAge);
  const overtaken = await subjectsHeldElsewhere(outbox, batch, taken);
  const tooEarly = taken.filter(({ subject, sequence }) => (overtaken.get(subject) ?? Infinity) < sequence);
  if (tooEarly.length > 0) {
    const ids = tooEarly.map(({ _id }) => _id);
    await giveBack(outbox, { _id: { $in: ids }, takenBy: batch });
  }
  const events = taken.filter((event) => !tooEarly.includes(event));
  return { events, heldBack: tooEarly.length + candidates.length - wanted.length };
}

const giveBack = (outbox: mongo.Collection<OutboxDocument>, which: mongo.Filter<OutboxDocument>) =>
  outbox.updateMany(which, { $unset: { takenBy: '', takenUntil: '' } });

function withinBytes(candidates: readonly { _id: string; bytes: number }[]): string[] {
  let before = 0;
  return candidates.flatMap(({ _id, bytes }) => {
    const fits = before < BATCH_BYTES;
    before += bytes;
    return fits ? [_id] : [];
  });
}

/** The first event of each subject that waits and is not in the batch, of those before the batch's last one. */
async function subjectsHeldElsewhere(
  outbox: mongo.Collection<OutboxDocument>,
  batch: string,
  taken: readonly OutboxDocument[],
): Promise<Map<string, number>> {
  const others = {
    state: 'waiting',
    subject: { $in: [...new Set(taken.map(({ subject }) => subject))] },
    sequence: { $lt: taken.at(-1)?.sequence ?? 0 },
    takenBy: { $ne: batch },
  };
  const first = [{ $match: others }, { $group: { _id: '$subject', sequence: { $min: '$sequence' } } }];
  const subjects = await outbox.aggregate<{ _id: string; sequence: number }>(first).toArray();
  return new Map(subjects.map(({ _id, sequence }) => [_id, sequence]));
}
