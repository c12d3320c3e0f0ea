import type { ActorContext } from '@platform-backend/core';

/** What an assistant has to know of a dataset to ask for its rows. */
export interface Dataset {
  readonly id: string;
  /** What queries call it. */
  readonly name: string;
  readonly description: string;
  readonly columns: readonly { readonly name: string; readonly type: string }[];
}

export interface QueryResult {
  readonly columns: readonly string[];
  readonly rows: readonly unknown[];
  /** There are more rows than these. */
  readonly isCut: boolean;
}

/** The organisation's datasets, which another service keeps. UNAVAILABLE: it is away. */
export interface Datasets {
  readonly find: (by: ActorContext, id: string) => Promise<Dataset | undefined>;
  /** The newest ones, at most so many. */
  readonly list: (by: ActorContext, limit: number) => Promise<readonly Dataset[]>;
  /** What one statement selects, at most so many rows. INVALID: the statement is wrong, and why. */
  readonly query: (by: ActorContext, statement: string, limit: number) => Promise<QueryResult>;
}
