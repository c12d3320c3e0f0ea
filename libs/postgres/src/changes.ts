import type { ActorContext, Decision, DomainEvent } from '@platform-backend/core';
import { outgoingEvents } from '@platform-backend/events';
import type { Knex } from 'knex';
import type { Database } from './database.ts';
import { appendToOutbox } from './events/append-to-outbox.ts';

/** How a service writes down what has happened, in the transaction of the change itself. */
export type RecordEvents<Event extends DomainEvent> = (
  trx: Knex.Transaction,
  by: ActorContext,
  events: readonly Event[],
) => Promise<void>;

/** Puts what has happened into the outbox, as the events of this domain. */
export function recordEventsOf(domain: string): RecordEvents<DomainEvent> {
  const outgoing = outgoingEvents(domain);
  return (trx, by, events) => appendToOutbox(trx, outgoing(by, events));
}

/** Where the state of a decision is kept. */
export interface Stored<Before, After, Known> {
  /** Locks what it reads. */
  readonly load: (trx: Knex.Transaction) => Promise<Before>;
  /** Reads, after `load`, what else the decision has to know. */
  readonly lookUp?: (trx: Knex.Transaction) => Promise<Known>;
  /** Not called when the decision leaves everything as it is, by answering the same object. */
  readonly save: (trx: Knex.Transaction, after: After, before: Before) => Promise<unknown>;
}

/**
 * The one way in which stored things change: load, decide, save with the events of the decision, in one transaction of the
 * organisation. `decide` is synchronous, so that nothing can wait on a network while rows are locked, and may be called
 * again when transactions collide. The events are written first, so that rows others wait for are held no longer than it
 * takes to commit.
 */
export function changesIn<Event extends DomainEvent>(database: Database, recordEvents: RecordEvents<Event>) {
  const update = <Before, After, Result, Known>(
    by: ActorContext,
    decide: (before: Before, known: Known) => Decision<After, Event, Result>,
    { load, lookUp, save }: Stored<Before, After, Known>,
  ): Promise<Result> =>
    database.tenant(by.organisationId, async (trx) => {
      const before = await load(trx);
      const { state, events, result } = decide(before, (await lookUp?.(trx)) as Known);
      await recordEvents(trx, by, events);
      if (!Object.is(state, before)) await save(trx, state, before);
      return result;
    });

  return {
    update,
    /** Of what was decided without looking at anything stored. */
    add: <State, Result>(
      by: ActorContext,
      decision: Decision<State, Event, Result>,
      save: (trx: Knex.Transaction, state: State) => Promise<unknown>,
    ): Promise<Result> => update(by, () => decision, { load: () => Promise.resolve(undefined), save }),
  };
}
