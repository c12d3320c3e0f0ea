import type { AccessEntry, ClientGroupAccess, ClientMember } from './client-group.ts';

/** Whose access is asked for. */
export type AccessSubject = { readonly userId: string } | { readonly apiKeyId: string };

/** A group that somebody is in, with what it opens to all and to them. */
export interface OwnClientGroup extends ClientGroupAccess {
  readonly id: string;
  /** Where they are in it as a client, by their own lists. */
  readonly member: Pick<ClientMember, 'folderAccess' | 'fileAccess'> | null;
}

/** What somebody may open by the groups that they are in. */
export interface ClientAccess {
  readonly groupIds: readonly string[];
  readonly files: readonly string[];
  readonly folders: readonly string[];
  readonly assets: readonly string[];
}

/** Of each list, that others have to hold and to look through. */
export const MAX_OPENED = 1000;

const LEVELS: ReadonlySet<string> = new Set(['VIEW', 'COMMENT', 'EDIT', 'MANAGE']);

/** What is named in these lists, once each and in their order: an entry maps it to an access level. */
const openedBy = (...lists: readonly (readonly AccessEntry[])[]): readonly string[] => {
  const named = lists
    .flat()
    .flatMap((entry) => Object.entries(entry).flatMap(([name, level]) => (LEVELS.has(level) ? [name] : [])));
  return [...new Set(named)].slice(0, MAX_OPENED);
};

/** All that these groups open together. */
export const clientAccessOf = (groups: readonly OwnClientGroup[]): ClientAccess => ({
  groupIds: groups.map(({ id }) => id),
  files: openedBy(...groups.flatMap(({ fileAccess, member }) => [fileAccess, member?.fileAccess ?? []])),
  folders: openedBy(...groups.flatMap(({ folderAccess, member }) => [folderAccess, member?.folderAccess ?? []])),
  assets: openedBy(...groups.map(({ assetAccess }) => assetAccess)),
});
