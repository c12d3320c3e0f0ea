import { decided, unchanged, type ActorContext, type Clock, type Page, type PageRequest } from '@platform-backend/core';
import type { AdmitAccess } from '../../access/app/admit-access.ts';
import {
  accessChange,
  accessState,
  madeBy,
  withAccess,
  type AccessInput,
  type Restrictable,
} from '../../access/domain/access.ts';
import type { RestrictedCollection, RestrictedCollections } from '../../access/domain/collections.ts';
import { collectionNotFound } from '../../access/domain/errors.ts';
import type { Documents } from '../domain/documents.ts';

export interface CollectionPorts {
  readonly collections: RestrictedCollections;
  readonly documents: Pick<Documents, 'isAnyIn'>;
  readonly admitAccess: AdmitAccess;
  readonly clock: Clock;
}

export type CollectionUseCases = ReturnType<typeof collectionUseCases>;

/** Who may open what documents are filed under. */
export const collectionUseCases = ({ collections, documents, admitAccess, clock }: CollectionPorts) => {
  /** Undefined: nobody has restricted it. NOT_FOUND: somebody has, and not for the caller. */
  async function restricted(organisationId: string, collection: string): Promise<RestrictedCollection | undefined> {
    const found = await collections.find(organisationId, collection);
    if (!found && (await collections.all(organisationId)).some((one) => one.collection === collection))
      throw collectionNotFound();
    return found;
  }

  return {
    listCollections: ({ organisationId }: ActorContext, page: PageRequest): Promise<Page<RestrictedCollection>> =>
      collections.list(organisationId, page),

    /** NOT_FOUND: it is not there, or not for the caller; whoever has made a document in one of others sees the document alone. */
    async getCollectionAccess({ organisationId }: ActorContext, collection: string): Promise<Restrictable> {
      const found = await restricted(organisationId, collection);
      if (found) return found;
      if (!(await documents.isAnyIn(organisationId, collection))) throw collectionNotFound();
      return {};
    },

    /** INVALID: there are no such groups or members. NOT_FOUND: it is not for the caller. CONFLICT: too many are restricted. */
    async setCollectionAccess(by: ActorContext, collection: string, wanted: AccessInput): Promise<Restrictable> {
      const { organisationId } = by;
      const known = await restricted(organisationId, collection);
      const access = await admitAccess(by, wanted, { before: known?.access });
      const change = access && !known ? collections.add : collections.update;
      return change<Restrictable>(by, collection, (found) => {
        const at = clock.now();
        const present: RestrictedCollection = found ?? { ...madeBy(by.actor), collection, createdAt: at };
        const next = withAccess(present, access);
        if (next === present) return { ...unchanged(found), result: present };
        return decided(
          access && next,
          {
            name: 'collection.access_changed',
            subject: collection,
            at,
            data: { collection, access: accessState(next) },
            change: accessChange(present, next),
          },
          access ? next : {},
        );
      });
    },
  };
};
