import {
  callerSignal,
  changeToNote,
  DomainError,
  pendingPrecondition,
  type ActorContext,
  type Clock,
  type Decision,
} from '@platform-backend/core';
import { outgoingEvents, type Event } from '@platform-backend/events';
import { appendToOutbox, type Database, type Knex } from '@platform-backend/postgres';
import type { PipelinesEvent } from '../../events.ts';
import type { CountScheduledRuns } from '../../pipelines/store/pipelines-store.ts';
import type { RunDebits } from '../app/run-debits.ts';
import { causeOf, isOver, type Run } from '../domain/run.ts';
import type { RunsChanged } from '../domain/runs.ts';
import { inBatches } from './in-batches.ts';
import { chooseAdmitted, admitRuns } from './run-admission.ts';
import { addRunNotifications } from './run-notifications.ts';
import { insertRuns, lockRuns, updateRuns } from './run-rows.ts';

export interface RunChangesOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly countScheduledRuns: CountScheduledRuns;
  readonly debitsOf: RunDebits;
  /** So many runs of an organisation go on at the same time. */
  readonly maxOfOrganisation: number;
  /** Told after each commit that has led to something. */
  readonly onChanged: (changed: RunsChanged) => void;
}

/** One thing to do about a run, in a transaction that may be others' as well. */
export interface RunChange<Result> {
  readonly by: ActorContext;
  readonly runId: string;
  /** Sees the locked run; undefined: it is not there, and what is decided makes it. */
  readonly decide: (run: Run | undefined, trx: Knex.Transaction) => Promise<Decision<Run, PipelinesEvent, Result>>;
}

/** What was decided, and the run as the transaction has left it: admitted, if there was room. */
export interface ChangedRun<Result> {
  readonly result: Result;
  readonly run: Run;
}

interface Waiting extends RunChange<unknown> {
  /** Aborted when nobody waits for it any more. */
  readonly signal: AbortSignal | undefined;
  readonly resolve: (changed: ChangedRun<unknown>) => void;
  readonly reject: (error: unknown) => void;
}

/** Enough to carry many small changes, and few enough that none waits long for the others. */
const MAX_OF_BATCH = 64;

const outgoing = outgoingEvents('pipelines');

/** Changes runs in PostgreSQL: what comes for an organisation at the same time is one transaction. */
export function runChanges(options: RunChangesOptions) {
  const { database, clock, countScheduledRuns, debitsOf, maxOfOrganisation, onChanged } = options;
  const put = inBatches<Waiting>(async (organisationId, all) => {
    const changes = all.filter(isStillWanted);
    if (changes.length === 0) return;
    try {
      await together(organisationId, changes);
    } catch (error) {
      // One of them is to blame, and the others shall not suffer for it.
      if (changes.length === 1) changes[0]?.reject(error);
      else
        for (const change of changes)
          await together(organisationId, [change]).catch((reason: unknown) => change.reject(reason));
    }
  }, MAX_OF_BATCH);

  async function together(organisationId: string, changes: readonly Waiting[]): Promise<void> {
    const { outcomes, ...changed } = await database.tenant(organisationId, (trx) =>
      changeTogether(trx, organisationId, changes),
    );
    for (const [index, { resolve, reject }] of changes.entries()) {
      try {
        resolve(outcomes[index]?.() as ChangedRun<unknown>);
      } catch (error) {
        reject(error);
      }
    }
    if (changed.admitted.length + changed.ended.length > 0) onChanged({ organisationId, ...changed });
  }

  async function changeTogether(trx: Knex.Transaction, organisationId: string, changes: readonly Waiting[]) {
    const before = await lockRuns(trx, organisationId, new Set(changes.map(({ runId }) => runId)));
    const { after, events, outcomes } = await decideAll(trx, before, changes, debitsOf);
    const at = clock.now();
    const ended = [...after.values()].filter((run) => isOver(run) && run !== before.get(run.id) && before.has(run.id));
    const mayAdmit = ended.length > 0 || after.size > before.size;
    const chosen = mayAdmit
      ? await chooseAdmitted(trx, organisationId, maxOfOrganisation, [...after.values()])
      : new Set<string>();
    const admitted: Run[] = [];
    const written: Run[] = [];
    for (const run of after.values()) {
      const isAdmitted = chosen.delete(run.id);
      if (run === before.get(run.id) && !isAdmitted) continue;
      const next = { ...run, admittedAt: isAdmitted ? at : run.admittedAt, changes: run.changes + 1 };
      written.push(next);
      if (isAdmitted) admitted.push(next);
    }
    for (const run of written) after.set(run.id, run);
    await appendToOutbox(trx, events);
    const changed = written.filter(({ id }) => before.has(id));
    const added = written.filter(({ id }) => !before.has(id));
    await updateRuns(trx, organisationId, changed, at);
    await insertRuns(trx, organisationId, added, at);
    admitted.push(...(await admitRuns(trx, organisationId, chosen, at)));
    const counted = written.filter(isOfSchedule);
    if (counted.length > 0) await countScheduledRuns(trx, organisationId, counted, at);
    const told = written.filter(
      (run) => run.notifies && isOver(run) && !isOver(before.get(run.id) ?? { status: 'Pending' }),
    );
    if (told.length > 0) await addRunNotifications(trx, organisationId, told, at);
    return { outcomes, admitted, ended };
  }

  return {
    change: <Result>(change: RunChange<Result>): Promise<ChangedRun<Result>> =>
      new Promise((resolve, reject) => {
        const { organisationId } = change.by;
        const waiting = { ...change, signal: callerSignal(), resolve: resolve as Waiting['resolve'], reject };
        // The note that a keyed call has changed something, and the condition of a change, are part of its own transaction alone.
        if (changeToNote() || pendingPrecondition()) together(organisationId, [waiting]).catch(reject);
        else put(organisationId, waiting);
      }),
  };
}

/** Whoever has gone is told so alone, and nothing is changed for them. */
function isStillWanted({ signal, reject }: Waiting): boolean {
  if (signal?.aborted) reject(signal.reason);
  return signal?.aborted !== true;
}

/** What is decided about each, one after the other; what one of them is refused concerns no other. */
async function decideAll(
  trx: Knex.Transaction,
  before: ReadonlyMap<string, Run>,
  changes: readonly Waiting[],
  debitsOf: RunDebits,
) {
  const after = new Map(before);
  const events: Event[] = [];
  const outcomes: (() => ChangedRun<unknown>)[] = [];
  for (const { by, runId, decide } of changes) {
    try {
      const present = after.get(runId);
      const { state, events: caused, result } = await decide(present, trx);
      after.set(runId, state);
      const hasEnded = present && !isOver(present) && isOver(state);
      const cause = causeOf(by, state);
      events.push(...outgoing(cause, hasEnded ? [...caused, ...debitsOf(cause, state)] : caused));
      outcomes.push(() => ({ result, run: after.get(runId) ?? state }));
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      outcomes.push(() => {
        throw error;
      });
    }
  }
  return { after, events, outcomes };
}

/** One that somebody cancelled says nothing about those to come. */
const isOfSchedule = (run: Run): boolean => run.trigger === 'SCHEDULE' && isOver(run) && run.status !== 'Cancelled';
