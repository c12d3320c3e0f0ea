import { onOrganisationDeleted, type RemoveAll } from '@platform-backend/events';
import type { ServiceDeclaration } from './declaration.ts';
import type { Compose, Composition, ServiceContext, TransactionOf } from './service-context.ts';
import type { Service } from './service.ts';

/** One area of a service, put together: what it does for the service, and what it gives to the areas that build on it. */
export interface Area<Declaration extends ServiceDeclaration = ServiceDeclaration, Exports = unknown> {
  /** The handlers of its proto services by their names. Of one that several areas serve each has its part. */
  readonly handlers?: Composition<Declaration>['handlers'];
  readonly reactions?: Partial<NonNullable<Composition<Declaration>['reactions']>>;
  readonly followers?: Partial<NonNullable<Composition<Declaration>['followers']>>;
  /** What is done again and again as long as the service runs. */
  readonly jobs?: Composition<Declaration>['jobs'];
  /**
   * Removes all that it has of an organisation, in the transaction of the reaction `SERVICE-on-organisation-deleted`: the last
   * area of a service comes first, for what it has is made of what the others have.
   */
  readonly removeOrganisation?: RemoveAll<TransactionOf<Declaration['storage']>>;
  readonly exports: Exports;
}

/** The areas of a service in the order in which they build on each other. */
export type Areas<Declaration extends ServiceDeclaration> = (
  context: ServiceContext<Declaration>,
) => readonly Area<Declaration>[] | Promise<readonly Area<Declaration>[]>;

/** Puts a service together from its areas. */
export const composeAreas =
  <const Declaration extends ServiceDeclaration>(
    { declaration: { name } }: Service<Declaration>,
    areas: Areas<Declaration>,
  ): Compose<Declaration> =>
  async (context) => {
    const composed = await areas(context);
    const removals = composed.flatMap(({ removeOrganisation }) => removeOrganisation ?? []).reverse();
    const removal = removals.length > 0 ? { [`${name}-on-organisation-deleted`]: onOrganisationDeleted(removals) } : {};
    const handlers: Record<string, object> = {};
    for (const [service, given] of composed.flatMap((area) => Object.entries(area.handlers ?? {}))) {
      handlers[service] = { ...handlers[service], ...given };
    }
    return {
      handlers,
      reactions: Object.assign(removal, ...composed.map(({ reactions }) => reactions)) as NonNullable<
        Composition<Declaration>['reactions']
      >,
      followers: Object.assign({}, ...composed.map(({ followers }) => followers)) as NonNullable<
        Composition<Declaration>['followers']
      >,
      jobs: composed.flatMap(({ jobs }) => jobs ?? []),
    };
  };
