import { changedFields, type Decision } from '@platform-backend/core';
import type { PipelinesEvent } from '../../events.ts';
import type { Dataset } from './dataset.ts';

export type DatasetDecision<State = Dataset> = Decision<State, PipelinesEvent>;

export function datasetCreated(dataset: Dataset, at: Date): PipelinesEvent {
  const { id, name, description } = dataset;
  return {
    name: 'dataset.created',
    subject: id,
    at,
    data: { dataset_id: id, name },
    change: { before: null, after: { name, description } },
  };
}

/** `audited`: data that a run makes again every hour is no news to those who read the audit log. */
export function datasetUpdated(
  before: Dataset,
  after: Dataset,
  at: Date,
  { audited = true }: { readonly audited?: boolean } = {},
): PipelinesEvent {
  const { id, name, currentVersion } = after;
  const source = currentVersion?.source;
  const change = changedFields(shown(before), shown(after));
  const data = {
    dataset_id: id,
    name,
    version_number: currentVersion?.number ?? null,
    run_id: source?.kind === 'RUN' ? source.runId : null,
    changed_fields: Object.keys(change.after),
  };
  return { name: 'dataset.updated', subject: id, at, data, ...(audited && { change }) };
}

export function datasetDeleted(dataset: Dataset, at: Date): PipelinesEvent {
  const { id, name } = dataset;
  return {
    name: 'dataset.deleted',
    subject: id,
    at,
    data: { dataset_id: id, name },
    change: { before: shown(dataset), after: null },
  };
}

const shown = ({ name, description, currentVersion }: Dataset) => ({
  name,
  description,
  version: currentVersion?.number ?? null,
  dictionary: Object.fromEntries(currentVersion?.dictionary.map((entry) => [entry.name, entry.description]) ?? []),
});
