import { type ActorContext, fieldViolation, invalid, type Violation } from '@platform-backend/core';
import type { Access, AccessInput } from '../domain/access.ts';
import type { RestrictedCollections } from '../domain/collections.ts';
import type { ClientGroups } from '../domain/groups.ts';

interface Ports {
  readonly collections: Pick<RestrictedCollections, 'markRestricted'>;
  readonly groups: Pick<ClientGroups, 'presentGroups' | 'presentMembers'>;
}

/** Where in a request the access stands. */
type Location = readonly string[];

/** What a request makes of the access of a thing; what the thing had before may be gone since. */
export type AdmitAccess = ReturnType<typeof admitAccess>;

/**
 * The access that is asked for; undefined: everybody in the organisation. Restricting anything begins here, so that who reads is asked
 * from before on. INVALID: it names groups or members that there are not. UNAVAILABLE: that cannot be told now.
 */
export const admitAccess =
  ({ collections, groups }: Ports) =>
  async (
    by: ActorContext,
    { visibility, ...wanted }: AccessInput,
    { before, loc = ['body'] }: { readonly before?: Access | undefined; readonly loc?: Location } = {},
  ): Promise<Access | undefined> => {
    const access = { groups: once(wanted.groups), members: once(wanted.members) };
    if (visibility === 'organisation') {
      const named = (['groups', 'members'] as const).filter((field) => access[field].length > 0);
      if (named.length > 0) throw invalid(named.map((field) => forEverybody([...loc, field], access[field])));
      return undefined;
    }
    const added = (field: keyof Access) => access[field].filter((id) => !before?.[field].includes(id));
    const [newGroups, newMembers] = [added('groups'), added('members')];
    const nobody: ReadonlySet<string> = new Set();
    const [presentGroups, presentMembers] = await Promise.all([
      newGroups.length > 0 ? groups.presentGroups(by, newGroups) : nobody,
      newMembers.length > 0 ? groups.presentMembers(by, newMembers) : nobody,
    ]);
    const missing = [
      ...newGroups
        .filter((id) => !presentGroups.has(id))
        .map((id) => unknown([...loc, 'groups', wanted.groups.indexOf(id)], 'client group', id)),
      ...newMembers
        .filter((id) => !presentMembers.has(id))
        .map((id) => unknown([...loc, 'members', wanted.members.indexOf(id)], 'member', id)),
    ];
    if (missing.length > 0) throw invalid(missing);
    await collections.markRestricted(by.organisationId);
    return access;
  };

const once = (ids: readonly string[]): readonly string[] => [...new Set(ids)];

const unknown = (loc: Violation['loc'], what: string, input: string): Violation =>
  fieldViolation(loc, `there is no such ${what}`, input);

const forEverybody = (loc: Violation['loc'], input: unknown): Violation =>
  fieldViolation(loc, 'what everybody in the organisation may open names nobody', input);
