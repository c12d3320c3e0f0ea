import {
  busy,
  CLAIM_LEASE_MS,
  KEY_LIFETIME_MS,
  type ChangeNote,
  type Claim,
  type ClaimedCall,
  type KeyedCall,
  type IdempotencyStore,
} from '@platform-backend/core';
import { mongo } from 'mongoose';
import { isDuplicate, translateFailure } from './failures.ts';
import type { DeclaredIndex } from './indexes.ts';

interface NotedCall {
  /** Scope and key. */
  readonly _id: string;
  readonly request: string;
  /** Of the attempt that has it. */
  readonly call: string;
  readonly hasChanged: boolean;
  readonly answer: mongo.Binary | null;
  readonly leaseUntil: Date;
  readonly expiresAt: Date;
}

export const keyedCallIndexes: readonly DeclaredIndex[] = [
  { collection: 'idempotencyStore', key: { expiresAt: 1 }, options: { name: 'keyedCalls_expiresAt' } },
];

/** A lease that is over by every clock. */
const OVER = new Date(0);

/** Documents deleted in one go. */
const PRUNE_LIMIT = 5_000;

const callsOf = (db: mongo.Db): mongo.Collection<NotedCall> => db.collection<NotedCall>('idempotencyStore');

const idOf = ({ scope, key }: KeyedCall): string => `${scope} ${key.toString('hex')}`;

/** The collection `idempotencyStore`, which no other organisation's work can name a document of: its id begins with the scope. */
export function mongoIdempotencyStore(db: mongo.Db): IdempotencyStore {
  const calls = callsOf(db);
  const ofAttempt = (call: ClaimedCall) => ({ _id: idOf(call), call: call.id });

  async function claim(call: ClaimedCall): Promise<Claim> {
    const now = new Date();
    const _id = idOf(call);
    const request = call.request.toString('hex');
    const ours = {
      request,
      call: call.id,
      hasChanged: false,
      answer: null,
      leaseUntil: new Date(now.getTime() + CLAIM_LEASE_MS),
      expiresAt: new Date(now.getTime() + KEY_LIFETIME_MS),
    };
    try {
      await calls.insertOne({ _id, ...ours });
      return { is: 'ours' };
    } catch (error) {
      if (!isDuplicate(error)) throw error;
    }
    const isDead = { answer: null, hasChanged: false, leaseUntil: { $lte: now } };
    const taken = await calls.updateOne({ _id, $or: [{ expiresAt: { $lte: now } }, isDead] }, { $set: ours });
    if (taken.matchedCount === 1) return { is: 'ours' };
    const known = await calls.findOne({ _id });
    // It was freed just now.
    if (!known) return { is: 'in_flight' };
    if (known.request !== request) return { is: 'key_reused' };
    if (known.answer) return { is: 'answered', answer: Buffer.from(known.answer.buffer) };
    return known.leaseUntil > now ? { is: 'in_flight' } : { is: 'cut_short', id: known.call };
  }

  return {
    claim: (call) => told(claim(call)),
    keep: async (call, answer) => {
      const kept = { answer: new mongo.Binary(answer), hasChanged: true };
      await told(calls.updateOne(ofAttempt(call), { $set: kept }));
    },
    free: async (call) => {
      await told(calls.deleteOne(ofAttempt(call)));
    },
    leave: async (call) => {
      await told(calls.updateOne(ofAttempt(call), { $set: { leaseUntil: OVER } }));
    },
    async prune() {
      const old = calls.find({ expiresAt: { $lte: new Date() } }).project<{ _id: string }>({ _id: 1 });
      const ids = (await old.sort({ expiresAt: 1 }).limit(PRUNE_LIMIT).toArray()).map(({ _id }) => _id);
      return ids.length === 0 ? 0 : (await calls.deleteMany({ _id: { $in: ids } })).deletedCount;
    },
  };
}

/** Its failures as callers may hear of them. */
async function told<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw translateFailure(error);
  }
}

/**
 * Notes in a transaction that the keyed call it is part of has changed something. Throws when somebody else carries the
 * call out by now.
 */
export async function noteChange(db: mongo.Db, { call }: ChangeNote, session: mongo.ClientSession): Promise<void> {
  const noted = await callsOf(db).updateOne(
    { _id: idOf(call), call: call.id },
    { $set: { hasChanged: true } },
    { session },
  );
  if (noted.matchedCount === 0) throw busy();
}
