import type { ActorContext, Decision, Page, PageRequest } from '@platform-backend/core';
import type { PipelinesEvent } from '../../events.ts';
import type { RejectedRow } from '../../step-engine/domain/csv.ts';
import type { StoredOutput } from './dataset-steps.ts';
import type { Dataset, DatasetVersion } from './dataset.ts';

/** What a step has made, as a version of a dataset. */
export interface RunOutput extends StoredOutput {
  /** The id of a dataset, or a name; of a name that nothing has yet a dataset is made. */
  readonly dataset: string;
  readonly runId: string;
  readonly step: string;
  readonly inputVersionIds: readonly string[];
  /** The version whose rows are among its own: there has to be no other one since. Null: there was none. Absent: it has none of before. */
  readonly baseVersionId?: string | null;
}

export interface DatasetReferences {
  /** By id or by name, whatever the case; under the references as they were given. What there is not is left out. */
  readonly findMany: (organisationId: string, references: readonly string[]) => Promise<ReadonlyMap<string, Dataset>>;
}

export interface DatasetList extends PageRequest {
  readonly order: 'asc' | 'desc';
  /** Part of the name; empty: any. */
  readonly search: string;
}

export interface Datasets extends DatasetReferences {
  readonly find: (organisationId: string, id: string) => Promise<Dataset | undefined>;
  readonly list: (organisationId: string, wanted: DatasetList) => Promise<Page<Dataset>>;
  /** Undefined stands for one that is not there, before and after. CONFLICT: the name is taken. */
  readonly change: <State extends Dataset | undefined, Result>(
    by: ActorContext,
    id: string,
    decide: (dataset: Dataset | undefined) => Decision<State, PipelinesEvent, Result>,
  ) => Promise<Result>;
  /** By its number. */
  readonly findVersion: (organisationId: string, id: string, number: number) => Promise<DatasetVersion | undefined>;
  readonly listVersions: (organisationId: string, id: string, page: PageRequest) => Promise<Page<DatasetVersion>>;
  /** Those that are still there, with the names of their datasets. */
  readonly findVersions: (organisationId: string, versionIds: readonly string[]) => Promise<readonly NamedVersion[]>;
  /** In place of those of uploads before; what is read of it again has them once. */
  readonly recordRejectedRows: (
    organisationId: string,
    id: string,
    uploadId: string,
    rows: readonly RejectedRow[],
  ) => Promise<void>;
  /** In the order of the file. */
  readonly listRejectedRows: (
    organisationId: string,
    id: string,
    uploadId: string,
    page: PageRequest,
  ) => Promise<Page<RejectedRow>>;
  /** An upload that somebody has to see to, of the next organisation in turn after this one that is not `busy`: its oldest. */
  readonly nextDue: (
    queue: UploadQueue,
    afterOrganisation: string,
    at: Date,
    busy?: readonly string[],
  ) => Promise<DueUpload | undefined>;
  /** In how many milliseconds the first one is due; undefined: none will be. */
  readonly untilDue: (queue: UploadQueue, at: Date) => Promise<number | undefined>;
}

export interface NamedVersion extends Pick<DatasetVersion, 'id' | 'datasetId' | 'number' | 'createdAt' | 'source'> {
  readonly datasetName: string;
}

/** Files of uploads are here, and take what their bytes take; connections are of others, who may take long for a little. */
export type UploadQueue = 'FILES' | 'CONNECTIONS';

export interface DueUpload {
  readonly organisationId: string;
  readonly datasetId: string;
}

/** What pods of a run may write; of all of them: null. */
export interface RunObject {
  readonly key: string;
  readonly stepIndex: number | null;
}

/** What is to be removed from the object store, and when, unless something in the database claims it. */
export interface ObjectRemovals {
  /** Before anything is put there, so that nothing is forgotten whoever dies in between. */
  readonly note: (organisationId: string, key: string, at: Date) => Promise<void>;
  /**
   * The same for all that pods of a run may write. False where the run has begun or is over, and then nothing is noted:
   * by now some of it may belong to versions.
   */
  readonly noteForRun: (
    organisationId: string,
    runId: string,
    objects: readonly RunObject[],
    at: Date,
  ) => Promise<boolean>;
  /** Whether a step is not over that puts its output under this key. */
  readonly isOutputAwaited: (organisationId: string, key: string) => Promise<boolean>;
  /** Whether this step of a run is not over. */
  readonly isStepAwaited: (organisationId: string, runId: string, stepIndex: number) => Promise<boolean>;
  /** Keys, or prefixes that end with a slash. */
  readonly due: (at: Date, limit: number) => Promise<readonly string[]>;
  /** In how many milliseconds the first one is due; undefined: none will be. */
  readonly untilDue: (at: Date) => Promise<number | undefined>;
  readonly done: (keys: readonly string[], at: Date) => Promise<void>;
}
