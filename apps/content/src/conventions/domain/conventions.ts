import type { ActorContext, Decision, Page, PageRequest } from '@platform-backend/core';
import type { AccessInput } from '../../access/domain/access.ts';
import type { ContentEvent } from '../../events.ts';
import type { ConventionVersion } from './convention-version.ts';
import type { Convention } from './convention.ts';

export interface ConventionFilter {
  readonly title?: string | undefined;
  /** Null: whether it is restricted or not. */
  readonly visibility: AccessInput['visibility'] | null;
  readonly createdAfter?: Date | undefined;
  readonly createdBefore?: Date | undefined;
}

interface Ordered extends PageRequest {
  readonly order: 'asc' | 'desc';
}

export type ConventionList = Ordered & ConventionFilter;

export interface ConventionHistory extends Ordered {
  readonly conventionId: string;
}

/** A convention of which the search may have to learn. */
export interface ConventionToIndex {
  readonly organisationId: string;
  readonly conventionId: string;
  /** Of the latest change. */
  readonly change: string;
}

/** The conventions of organisations. */
export interface Conventions {
  find(organisationId: string, id: string): Promise<Convention | undefined>;
  findAll(organisationId: string, ids: readonly string[]): Promise<readonly Convention[]>;
  list(organisationId: string, wanted: ConventionList): Promise<Page<Convention>>;
  history(organisationId: string, wanted: ConventionHistory): Promise<Page<ConventionVersion>>;
  /**
   * Loads, decides and saves, in one transaction with the events, what the history gets, and the note that the search has to
   * learn of it, which is due after `indexAfter`.
   */
  update<Result>(
    by: ActorContext,
    id: string,
    decide: (convention: Convention | undefined) => Decision<Convention | undefined, ContentEvent, Result>,
    indexAfter: Date,
  ): Promise<Result>;
  /** What the search has to learn of this convention; until then nobody else gets it. Undefined: nothing, or somebody is at it. */
  takeToIndex(organisationId: string, id: string, at: Date, until: Date): Promise<ConventionToIndex | undefined>;
  /** One that is due. */
  takeDue(at: Date, until: Date): Promise<ConventionToIndex | undefined>;
  /** The search knows of it. False: there was a change since, of which it does not. */
  indexed(done: ConventionToIndex): Promise<boolean>;
  /** Somebody else may take it. */
  giveBack(taken: ConventionToIndex): Promise<void>;
  /** All of an organisation's, without events of their own. */
  removeAll(organisationId: string): Promise<unknown>;
}
