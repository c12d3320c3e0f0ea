import type { ActorContext } from '@platform-backend/core';
import type { Credits, DebitCreated } from '../../credits/domain/credits.ts';
import { owedMicros, type Run } from '../domain/run.ts';

/** What a run that is over has cost, for the write that ends it; nothing where nothing of it ran. */
export type RunDebits = (by: ActorContext, run: Run) => readonly DebitCreated[];

export const runDebits =
  (credits: Pick<Credits, 'debit'>, microsPerStepSecond: bigint): RunDebits =>
  (by, run) => {
    const { id, startedBy: actor, finishedAt: at } = run;
    const micros = owedMicros(run, microsPerStepSecond);
    // A run is one piece of work: its reservation and its debit have its id.
    return micros > 0n && at ? [credits.debit({ ...by, actor }, id, { debitId: id, workId: id, micros, at })] : [];
  };
