import type { Limits } from '@platform-backend/mongo';
import { EVERYBODY } from '../domain/opening.ts';
import type { Opening } from '../domain/opening.ts';

/**
 * What a reader may open, in the words of the database: of each collection that which is not closed. By `$nor`, so that an index is
 * chosen by what else is asked for.
 */
export function limitsOf(organisationId: string, { tokens, closedCollections, documents, assets }: Opening): Limits {
  const forOthers = { readers: { $exists: true, $nin: [EVERYBODY, ...tokens] } };
  const filedForOthers = { collectionName: { $in: closedCollections }, readers: { $nin: tokens } };
  const documentKeys = { _id: { $nin: documents.map((id) => `${organisationId}:${id}`) } };
  const ofAssets = { filter: { $nor: [{ ...forOthers, _id: { $nin: assets } }] } };
  const source = (kind: string, opened: readonly string[]) => ({ kind, sourceId: { $nin: opened } });
  return {
    documents: {
      filter: {
        $nor: [
          { ...documentKeys, ...forOthers },
          { ...documentKeys, ...filedForOthers },
        ],
      },
    },
    conventions: ofAssets,
    assistants: ofAssets,
    toolServers: ofAssets,
    restrictedCollections: { filter: { collectionName: { $nin: closedCollections } } },
    // They follow their documents and conventions, whoever changes these.
    searchSources: {
      readsOnly: true,
      filter: {
        $nor: [
          { ...source('DOCUMENT', documents), ...forOthers },
          { ...source('DOCUMENT', documents), ...filedForOthers },
          { ...source('CONVENTION', assets), ...forOthers },
        ],
      },
    },
  };
}
