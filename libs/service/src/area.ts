import { onOrganisationDeleted, type RemoveAll } from '@platform-backend/events';
import type { ServiceDeclaration } from './declaration.ts';
import type { Compose, Composition, HandlersOf, ServiceContext, TransactionOf } from './service-context.ts';
import type { Service } from './service.ts';

/** One area of a service, put together: what it does for the service, and what it gives to the areas that build on it. */
export interface Area<Declaration extends ServiceDeclaration = ServiceDeclaration, Exports = unknown> {
  /** The handlers of its proto services, as the contract names them. Of one that several areas serve each has its part. */
  readonly handlers?: { readonly [Name in keyof HandlersOf<Declaration>]?: Partial<HandlersOf<Declaration>[Name]> };
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
    const given = composed.map((area) => (area.handlers ?? {}) as Readonly<Record<string, object>>);
    for (const [service, part] of given.flatMap((byService) => Object.entries(byService))) {
      handlers[service] = { ...handlers[service], ...part };
    }
    return {
      // Whether none is missing is seen when it starts.
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
