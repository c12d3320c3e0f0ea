import { AsyncLocalStorage } from 'node:async_hooks';

/** A filter of MongoDB. */
type Filter = Readonly<Record<string, unknown>>;

/** What of a collection somebody may touch. */
export interface Limit {
  readonly filter: Filter;
  /** Only what is read is limited: what is written follows from something that is limited itself. */
  readonly readsOnly?: boolean;
}

/** By the names of collections; one that is not named is not limited. */
export type Limits = Readonly<Record<string, Limit>>;

/** Asked whenever work of an organisation begins. Undefined: nothing is limited. */
export type LimitsOf = (organisationId: string) => Promise<Limits | undefined>;

/** Null: none are asked for, whatever holds around. */
const present = new AsyncLocalStorage<LimitsOf | null>();

/**
 * Limits all that `work` does in an organisation, whatever it calls, to documents that somebody may touch: to it others do
 * not exist. Put around whole requests, so that no query can forget it.
 */
export const withLimits = <T>(limitsOf: LimitsOf, work: () => T): T => present.run(limitsOf, work);

/** The service's own work on whatever is there, inside of a request: what others use as well, or what answers nothing to it. */
export const withoutLimits = <T>(work: () => T): T => present.run(null, work);

/** Whether the work that is being done is `withoutLimits`, also inside of work that has some. */
export const areLimitsLifted = (): boolean => present.getStore() === null;

/** Those of the work that is being done. Finding them out is not limited itself. */
export const presentLimits = async (organisationId: string): Promise<Limits | undefined> => {
  const limitsOf = present.getStore();
  return limitsOf ? withoutLimits(() => limitsOf(organisationId)) : undefined;
};
