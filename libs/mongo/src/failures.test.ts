import { describe, expect, it } from '@jest/globals';
import { conflict, DomainError } from '@platform-backend/core';
import { mongo } from 'mongoose';
import {
  isCollision,
  isDuplicate,
  isOutage,
  translateFailure,
  translateFailureOfChange,
  translateFailureOfCommit,
} from './failures.ts';

const failure = (code: number, errmsg = 'failed'): Error => new mongo.MongoServerError({ code, errmsg });

const duplicate = failure(
  11_000,
  'E11000 duplicate key error collection: library.shelves index: shelves_name dup key: { organisationId: "o", name: "Ottilie" }',
);

describe('translating database failures', () => {
  const constraintErrors = { shelves_name: () => conflict('name_taken', 'The name is taken') };

  it('turns a unique index into the conflict the service has written for it', () => {
    const translated = translateFailure(duplicate, constraintErrors);
    expect(translated).toMatchObject({ kind: 'conflict', code: 'name_taken', message: 'The name is taken' });
  });

  it('knows the index also where several documents were written at once', () => {
    const response = { message: duplicate.message, code: 11_000 };
    const bulk = new mongo.MongoBulkWriteError(response, { insertedCount: 0 } as never);
    expect(translateFailure(bulk, constraintErrors)).toMatchObject({ code: 'name_taken' });
  });

  it('leaves an index nobody has written about as the defect it is, without the values, for failures are logged', () => {
    const unknown = translateFailure(duplicate, { toString: () => conflict('no', 'No') }) as Error;
    expect(unknown).not.toBeInstanceOf(DomainError);
    expect(unknown.message).toBe('E11000 duplicate key error collection: library.shelves index: shelves_name');
    expect(JSON.stringify([unknown, unknown.stack])).not.toContain('Ottilie');
  });

  it.each([
    ['a broken connection', new mongo.MongoNetworkError('connection 1 to 127.0.0.1:1 closed')],
    ['a server that does not come', new mongo.MongoServerSelectionError('connect ECONNREFUSED', {} as never)],
    ['a server that shuts down', failure(91)],
    ['a server that is not the primary any more', failure(10_107)],
    ['a full pool', Object.assign(new Error('Timed out'), { name: 'MongoWaitQueueTimeoutError' })],
  ])('says unavailable for %s, and keeps the cause out of the message', (_, cause) => {
    expect(isOutage(cause)).toBe(true);
    expect(translateFailure(cause)).toMatchObject({ kind: 'unavailable', message: 'Service Unavailable', cause });
  });

  it.each([
    ['by its code', failure(14_031)],
    ['by its words alone', failure(8, 'WT_SESSION.commit: pwrite: No space left on device')],
  ])('says that there is no room where the disk of the server is full, %s', (_, cause) => {
    expect(translateFailure(cause)).toMatchObject({ kind: 'unavailable', code: 'storage_full', retryAfterSeconds: 30 });
  });

  it('says that a change may have been done where its connection broke, and only then', () => {
    const broken = new mongo.MongoNetworkError('connection 1 to 127.0.0.1:1 closed');
    expect(translateFailureOfChange(broken)).toMatchObject({
      kind: 'unavailable',
      code: 'outcome_unknown',
      cause: broken,
    });
    expect(translateFailureOfChange(failure(91))).toMatchObject({ code: 'unavailable' });
    const commit = new mongo.MongoServerError({ code: 64, errorLabels: ['UnknownTransactionCommitResult'] });
    expect(translateFailureOfCommit(commit)).toMatchObject({ code: 'outcome_unknown', cause: commit });
    expect(translateFailureOfCommit(broken)).toBe(broken);
  });

  it('says that somebody else is changing it when transactions keep colliding, which is no outage', () => {
    const cause = failure(112);
    expect(translateFailure(cause)).toMatchObject({ kind: 'unavailable', code: 'busy', retryAfterSeconds: 1, cause });
    expect([isOutage(cause), isCollision(cause)]).toEqual([false, true]);
  });

  it('says deadline exceeded for an operation that ran into its limit', () => {
    expect(translateFailure(failure(50))).toMatchObject({ kind: 'deadline_exceeded' });
  });

  it('passes on constraintErrors and defects untouched', () => {
    const refusal = conflict('no', 'No');
    const defect = new TypeError('undefined is not a function');
    expect([translateFailure(refusal), translateFailure(defect), translateFailure('text')]).toEqual([
      refusal,
      defect,
      'text',
    ]);
  });

  it('tells the index of a duplicate', () => {
    expect([isDuplicate(duplicate), isDuplicate(duplicate, 'shelves_name'), isDuplicate(duplicate, '_id_')]).toEqual([
      true,
      true,
      false,
    ]);
  });
});
