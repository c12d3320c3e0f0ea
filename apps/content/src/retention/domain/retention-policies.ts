import type { ActorContext } from '@platform-backend/core';
import type { RetentionDecision, RetentionPolicy } from './retention-policy.ts';

/** The retention policies of organisations, one each. */
export interface RetentionPolicies {
  readonly find: (organisationId: string) => Promise<RetentionPolicy | undefined>;
  /** Loads, decides and saves, with the events. */
  readonly update: (
    by: ActorContext,
    decide: (policy: RetentionPolicy | undefined) => RetentionDecision,
  ) => Promise<RetentionPolicy | undefined>;
  /** Does all of it or nothing. The work may be run again from its beginning. */
  readonly together: <Result>(organisationId: string, work: () => Promise<Result>) => Promise<Result>;
  /** The organisation whose policy has been due longest; until then nobody else gets it. */
  readonly takeDue: (at: Date, until: Date) => Promise<string | undefined>;
  /** What could not be done is due at this time, unless somebody else has it since it was taken until then. */
  readonly postpone: (organisationId: string, until: Date, at: Date) => Promise<void>;
  /** In how many milliseconds the first is due; undefined: none will be. */
  readonly untilDue: (at: Date) => Promise<number | undefined>;
  readonly removeAll: (organisationId: string) => Promise<unknown>;
}
