import { describe, expect, it } from '@jest/globals';
import { conflict, DomainError } from '@platform-backend/core';
import { isCollision, isOutage, translateFailure } from './failures.ts';

const failure = (fields: Record<string, unknown>, message = 'failed'): Error =>
  Object.assign(new Error(message), fields);

describe('translating database failures', () => {
  const constraintErrors = { groups_name: () => conflict('name_taken', 'The name is taken') };

  it('says that there is no room where the disk of the server is full', () => {
    const cause = failure({ code: '53100' });
    expect(translateFailure(cause)).toMatchObject({ kind: 'unavailable', code: 'storage_full', retryAfterSeconds: 30 });
  });

  it('turns a named constraint into the conflict the service has written for it', () => {
    const translated = translateFailure(failure({ code: '23505', constraint: 'groups_name' }), constraintErrors);
    expect(translated).toMatchObject({ kind: 'conflict', code: 'name_taken', message: 'The name is taken' });
  });

  it('leaves a constraint nobody has written about as the defect it is', () => {
    const unknown = failure({ code: '23505', constraint: 'toString' });
    expect(translateFailure(unknown, constraintErrors)).toBe(unknown);
  });

  it.each([
    ['a refused connection', failure({ code: 'ECONNREFUSED' })],
    ['a server that shuts down', failure({ code: '57P01' })],
    ['a server that starts', failure({ code: '57P03' })],
    ['a broken connection', failure({}, 'Connection terminated unexpectedly')],
    ['a full pool', failure({ name: 'KnexTimeoutError' }, 'Knex: Timeout acquiring a connection.')],
    ['several addresses that refuse', new AggregateError([failure({ code: 'ECONNREFUSED' })])],
    ['a deadlock that came back every time', failure({ code: '40P01' })],
  ])('says unavailable for %s, and keeps the cause out of the message', (_, cause) => {
    const translated = translateFailure(cause) as DomainError;
    expect(translated).toMatchObject({ kind: 'unavailable', message: 'Service Unavailable', cause });
  });

  it('says that somebody else is changing it when a lock is not to be had, which is no outage', () => {
    const cause = failure({ code: '55P03' });
    expect(translateFailure(cause)).toMatchObject({ kind: 'unavailable', code: 'busy', retryAfterSeconds: 1, cause });
    expect([isOutage(cause), isCollision(cause)]).toEqual([false, false]);
  });

  it('says deadline exceeded for a statement that ran into its limit', () => {
    expect(translateFailure(failure({ code: '57014' }))).toMatchObject({ kind: 'deadline_exceeded' });
  });

  it('passes on constraintErrors and defects untouched', () => {
    const refusal = conflict('no', 'No');
    const defect = new TypeError('undefined is not a function');
    expect(translateFailure(refusal)).toBe(refusal);
    expect(translateFailure(defect)).toBe(defect);
    expect(translateFailure('text')).toBe('text');
  });

  it('takes out of a failure what PostgreSQL quotes of the row, for failures are logged', () => {
    const detail = 'Key (email)=(ada@example.com) already exists.';
    expect(translateFailure(failure({ code: '23505', constraint: 'x', detail }))).not.toHaveProperty('detail');
  });

  it('tells collisions, which may be tried again, from outages', () => {
    expect(isCollision(failure({ code: '40001' }))).toBe(true);
    expect(isCollision(failure({ code: '57P01' }))).toBe(false);
    expect(isOutage(failure({ code: '40001' }))).toBe(false);
  });
});
