import { groupToken, keyToken, memberToken } from '../domain/access.ts';
import type { RestrictedCollections } from '../domain/collections.ts';
import type { ClientGroups } from '../domain/groups.ts';
import type { Opening, Reader } from '../domain/opening.ts';

interface Ports {
  readonly collections: Pick<RestrictedCollections, 'all' | 'isAnythingRestricted'>;
  readonly groups: Pick<ClientGroups, 'accessOf'>;
}

/** What a reader may open at this moment; undefined: all, since nothing of the organisation is restricted. */
export const openingOf =
  ({ collections, groups }: Ports) =>
  async (reader: Reader): Promise<Opening | undefined> => {
    const { organisationId } = reader;
    if (!(await collections.isAnythingRestricted(organisationId))) return undefined;
    const [restricted, opened] = await Promise.all([collections.all(organisationId), groups.accessOf(reader)]);
    const tokens = [...tokensOf(reader), ...opened.groupIds.map(groupToken)];
    const isClosed = ({ collection, readers }: (typeof restricted)[number]): boolean =>
      !opened.folders.includes(collection) && !readers.some((token) => tokens.includes(token));
    return {
      tokens,
      closedCollections: restricted.filter(isClosed).map(({ collection }) => collection),
      documents: opened.files,
      assets: opened.assets,
    };
  };

function tokensOf(reader: Reader): readonly string[] {
  switch (reader.kind) {
    case 'member':
      return [memberToken(reader.userId)];
    case 'key':
      return [keyToken(reader.apiKeyId)];
    case 'nobody':
      return [];
  }
}
