import type { ActorContext, Decision } from '@platform-backend/core';
import type { ContentEvent } from '../../events.ts';
import type { Generation } from './generation.ts';

/** Where answers to other services are kept. */
export interface Generations {
  readonly find: (organisationId: string, id: string) => Promise<Generation | undefined>;
  /** Loads, decides and saves, with what is owed. */
  readonly update: <Result>(
    by: ActorContext,
    id: string,
    decide: (found: Generation | undefined) => Decision<Generation | undefined, ContentEvent, Result>,
  ) => Promise<Result>;
  /** Of all organisations: what was said until then goes, a part of it at a time; what it has cost stays. Answers how many. */
  readonly forgetTexts: (before: Date) => Promise<number>;
  /** In how many milliseconds the first one is due to go; undefined: there is none. */
  readonly untilForgotten: (at: Date) => Promise<number | undefined>;
  /** All of an organisation's, without events of their own. */
  readonly removeAll: (organisationId: string) => Promise<unknown>;
}
