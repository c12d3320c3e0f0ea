import type { CollectionServiceHandlers } from '@platform-backend/contract-content';
import { listAnswer, type CallContext } from '@platform-backend/grpc';
import { accessMessage } from '../../access/api/access-messages.ts';
import type { CollectionUseCases } from '../app/collections.ts';

export const collectionHandlers = (app: CollectionUseCases): CollectionServiceHandlers<CallContext> => ({
  listCollections: async (request, context) =>
    listAnswer('collections', await app.listCollections(context.actorContext(), request), (found) => ({
      collection: found.collection,
      access: accessMessage(found),
      createdAt: found.createdAt,
    })),

  getCollectionAccess: async ({ collection }, context) =>
    accessMessage(await app.getCollectionAccess(context.actorContext(), collection)),

  setCollectionAccess: async ({ collection, ...access }, context) =>
    accessMessage(await app.setCollectionAccess(context.actorContext(), collection, access)),
});
