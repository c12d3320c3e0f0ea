import type { Caller } from '@platform-backend/auth';
import {
  DomainError,
  keyReused,
  newId,
  notingChanges,
  withKeyedIds,
  withoutCaller,
  type ClaimedCall,
  type ErrorKind,
  type KeyedCall,
  type IdempotencyStore,
  type Logger,
} from '@platform-backend/core';
import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';
import type { ServedOperation } from './contract.ts';
import { answerLost, requestInFlight } from './errors.ts';
import { GATEWAY } from './permission.ts';

export interface IdempotentRequest {
  readonly operation: ServedOperation;
  readonly caller: Caller;
  /** What the gateway made of the key: a secret of its caller, of which nothing is stored; empty where there is none. */
  readonly secret: string;
  /** The same made with the gateway's key before, or the one to come, while that is replaced. */
  readonly otherSecret?: string | undefined;
  /** The request message. */
  readonly message: Buffer;
}

/** The call that a request with a key is; undefined where the key is nothing to go by. */
function keyedCallOf({ operation, caller, secret, message }: IdempotentRequest): KeyedCall | undefined {
  // Nobody else hands on what a client has sent.
  if (operation.repetition === undefined || secret === '' || caller.service !== GATEWAY) return undefined;
  const { userId, apiKeyId = userId, organisationId } = caller;
  // Whoever may be in no organisation yet may be in one when they ask again.
  const scope = operation.access.level === undefined ? userId : organisationId;
  if (apiKeyId === undefined || scope === undefined) return undefined;
  return { scope, key: digest('call', operation.grpcPath, apiKeyId, secret), request: digest('request', message) };
}

export interface IdempotentWork {
  /** Where calls are noted; without it no key counts. */
  readonly calls: IdempotencyStore | undefined;
  readonly logger: Logger;
  /** Answers the message as bytes. */
  readonly execute: () => Promise<Buffer>;
}

/**
 * Carries a call out once however often it is asked for: a repetition gets the answer of the first. Answers are kept
 * encrypted with what their caller alone can present again.
 */
export async function executeOnce(
  request: IdempotentRequest,
  { calls, logger, execute }: IdempotentWork,
): Promise<Buffer> {
  const call = calls && keyedCallOf(request);
  if (!call) return execute();
  const { operation } = request;
  const ours: ClaimedCall = { ...call, id: newId() };
  const { claim, known, secret } = await claimed(request, ours, calls);
  if (claim.is === 'answered') return decrypted(secret, known, claim.answer);
  if (claim.is === 'cut_short') throw lostAnswer(operation, claim.id);
  if (claim.is !== 'ours') throw refusals[claim.is]();
  /** Also when the caller is gone, who may come back for the answer. */
  const end = async (how: () => Promise<void>): Promise<void> => {
    try {
      await withoutCaller(how);
    } catch (error) {
      logger.warn({ event: 'idempotency.not_recorded', err: error }, 'what became of a keyed call could not be noted');
    }
  };
  try {
    const executing = operation.repetition === 'continues' ? withKeyedIds : notingChanges;
    const answer = await executing(ours, execute);
    const isKept = answer.length <= MAX_KEPT_BYTES;
    await end(() => (isKept ? calls.keep(ours, encrypted(secret, ours, answer)) : calls.leave(ours)));
    return answer;
  } catch (error) {
    await end(() => (isRefusal(error) ? calls.free(ours) : calls.leave(ours)));
    throw error;
  }
}

/**
 * Claims the call under the one secret, and then under the other: whoever carries it out under either is seen. What was not known under the
 * other is free again at once. Both in one order would leave a moment in which nobody sees anybody.
 */
async function claimed(request: IdempotentRequest, ours: ClaimedCall, calls: IdempotencyStore) {
  const { secret, otherSecret = '' } = request;
  // To note it is no change that the caller has asked for.
  return withoutCaller(async () => {
    const claim = await calls.claim(ours);
    const other = otherSecret === secret ? undefined : keyedCallOf({ ...request, secret: otherSecret });
    if (claim.is !== 'ours' || !other) return { claim, known: ours, secret };
    const known: ClaimedCall = { ...other, id: newId() };
    const before = await calls.claim(known).catch(async (error: unknown) => {
      // Nothing was begun: the next attempt must not be told that it may have been.
      await calls.free(ours).catch(() => undefined);
      throw error;
    });
    if (before.is === 'ours') {
      await calls.free(known);
      return { claim, known: ours, secret };
    }
    await calls.free(ours);
    return { claim: before, known, secret: otherSecret };
  });
}

/** A larger answer is not kept: a repetition is told that the call was carried out. */
export const MAX_KEPT_BYTES = 256 * 1024;

const refusals = {
  key_reused: keyReused,
  in_flight: requestInFlight,
} as const;

/** With what was begun, where that has the id of the call. */
function lostAnswer({ pendingLocation }: ServedOperation, id: string): DomainError {
  if (pendingLocation === undefined) return answerLost();
  return answerLost({ pending: { id, state: 'UNKNOWN', location: pendingLocation.replace('{id}', id) } });
}

/** Failures after which nobody knows whether what was asked for was done, and what was begun and is not over. */
const UNCERTAIN: ReadonlySet<ErrorKind> = new Set([
  'accepted',
  'unavailable',
  'deadline_exceeded',
  'upstream_failed',
  'internal',
]);

const isRefusal = (error: unknown): boolean => error instanceof DomainError && !UNCERTAIN.has(error.kind);

const digest = (...parts: readonly (string | Buffer)[]): Buffer => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(`${Buffer.byteLength(part)} `).update(part);
  return hash.digest();
};

const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

const keyOf = (secret: string, { key }: ClaimedCall): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, key, 'answer of a keyed call', 32));

function encrypted(secret: string, call: ClaimedCall, answer: Buffer): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, keyOf(secret, call), nonce);
  const text = Buffer.concat([cipher.update(answer), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), text]);
}

function decrypted(secret: string, call: ClaimedCall, kept: Buffer): Buffer {
  const decipher = createDecipheriv(ALGORITHM, keyOf(secret, call), kept.subarray(0, NONCE_BYTES));
  decipher.setAuthTag(kept.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  return Buffer.concat([decipher.update(kept.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]);
}
