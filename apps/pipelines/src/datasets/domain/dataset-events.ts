import { beginningOf, changedFields, type Decision } from '@platform-backend/core';
import type { ConnectionSource } from '../../connections/domain/source.ts';
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

const shown = ({ name, description, currentVersion, source }: Dataset) => ({
  name,
  description,
  source: source && shownSource(source),
  version: currentVersion?.number ?? null,
  dictionary: Object.fromEntries(currentVersion?.dictionary.map((entry) => [entry.name, entry.description]) ?? []),
});

/** Of a query. */
const MAX_SHOWN = 1_000;

function shownSource(source: ConnectionSource) {
  const of = { kind: source.kind, connection_id: source.connectionId };
  if (source.kind === 'POSTGRESQL') return { ...of, query: beginningOf(source.query, MAX_SHOWN) };
  return source.kind === 'S3' ? { ...of, key: source.key } : { ...of, path: source.path };
}
