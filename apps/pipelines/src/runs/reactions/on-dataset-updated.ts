import type { DatasetUpdated } from '@platform-backend/contract-pipelines/events';
import { idOf, serviceActorContext, type ActorContext } from '@platform-backend/core';
import type { Effect } from '@platform-backend/events';

/** Has those pipelines run that wait for new data of a dataset. */
export type RequestRuns<Transaction> = (
  transaction: Transaction,
  by: ActorContext,
  dataset: { readonly id: string; readonly name: string; readonly madeByRun: string | null },
  wanted: { readonly newId: (pipelineId: string) => string; readonly at: Date },
) => Promise<unknown>;

/** Each event asks for the same runs however often it comes. New data is a new version; another name alone is none. */
export const onDatasetUpdated =
  <Transaction>(request: RequestRuns<Transaction>): Effect<Transaction, DatasetUpdated> =>
  async (transaction, { id: eventId, organisationId, requestId = eventId, time, data }) => {
    if (!data.changed_fields.includes('version')) return;
    const dataset = { id: data.dataset_id, name: data.name, madeByRun: data.run_id };
    const newId = (pipelineId: string): string => idOf(['run', eventId, pipelineId]);
    await request(transaction, serviceActorContext('pipelines', organisationId, requestId), dataset, {
      newId,
      at: time,
    });
  };
