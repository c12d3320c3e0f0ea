import type { ActorContext, Decision, Page, PageRequest } from '@platform-backend/core';
import type { Decide, NotebooksEvent } from '../../events.ts';
import type { Checkpoint } from './checkpoint.ts';
import type { Notebook, NotebookContent } from './notebook.ts';

export interface NotebookPage extends PageRequest {
  readonly order: 'asc' | 'desc';
  /** Exactly this one. */
  readonly name?: string | undefined;
}

export interface NotebookWithContent {
  readonly notebook: Notebook;
  /** JSON. */
  readonly text: string;
}

/**
 * Where notebooks are kept. Every change commits together with its events. NOT_FOUND: no such notebook. CONFLICT: the
 * organisation has another one of that name.
 */
export interface Notebooks {
  readonly add: (
    by: ActorContext,
    created: Decision<Notebook, NotebooksEvent>,
    content: NotebookContent,
  ) => Promise<Notebook>;
  readonly get: (organisationId: string, notebookId: string) => Promise<Notebook>;
  /** Undefined: the organisation has none of this name. */
  readonly named: (organisationId: string, name: string) => Promise<Notebook | undefined>;
  /** Which of these names the organisation has. */
  readonly taken: (organisationId: string, names: readonly string[]) => Promise<ReadonlySet<string>>;
  readonly getWithContent: (organisationId: string, notebookId: string) => Promise<NotebookWithContent>;
  readonly list: (organisationId: string, page: NotebookPage) => Promise<Page<Notebook>>;
  readonly update: (by: ActorContext, notebookId: string, decide: Decide<Notebook>) => Promise<Notebook>;
  /** `isThere`: it is the content that the notebook has. */
  readonly save: (
    by: ActorContext,
    notebookId: string,
    content: NotebookContent,
    decide: (notebook: Notebook, isThere: boolean) => Decision<Notebook, NotebooksEvent>,
  ) => Promise<Notebook>;
  readonly remove: (
    by: ActorContext,
    notebookId: string,
    decide: Decide<Notebook, undefined, Notebook>,
  ) => Promise<Notebook>;
  readonly checkpoints: Checkpoints;
}

/** NOT_FOUND: no such notebook, or no such checkpoint of it. */
export interface Checkpoints {
  /** Keeps the content as it is; beyond `maxCheckpoints` the oldest goes. */
  readonly add: (
    organisationId: string,
    made: Pick<Checkpoint, 'id' | 'notebookId' | 'createdAt'>,
  ) => Promise<Checkpoint>;
  /** Newest first. */
  readonly list: (organisationId: string, notebookId: string, page: PageRequest) => Promise<Page<Checkpoint>>;
  readonly getText: (organisationId: string, notebookId: string, checkpointId: string) => Promise<string>;
  readonly remove: (organisationId: string, notebookId: string, checkpointId: string) => Promise<void>;
}
