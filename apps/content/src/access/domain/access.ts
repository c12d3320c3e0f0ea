import {
  changedFields,
  decided,
  unchanged,
  type Actor,
  type Change,
  type Decision,
  type Fields,
} from '@platform-backend/core';
import type { ContentEvent } from '../../events.ts';
import { EVERYBODY } from './opening.ts';

/** To whom a thing is restricted, beside whoever made it. */
export interface Access {
  /** Client groups. */
  readonly groups: readonly string[];
  /** Members, by their users. */
  readonly members: readonly string[];
}

/** What can be restricted. */
export interface Restrictable {
  /** Absent: everybody in the organisation may open it. */
  readonly access?: Access;
  /** The user who made it, or for whom a key did; absent where nobody has noted that. */
  readonly createdBy?: string;
  /** The key, which does not stand for its user: it acts for a client group. */
  readonly createdByKey?: string;
}

/** How a request says it. */
export interface AccessInput extends Access {
  readonly visibility: 'organisation' | 'restricted';
}

export const memberToken = (userId: string): string => `user:${userId}`;
export const keyToken = (apiKeyId: string): string => `key:${apiKeyId}`;
export const groupToken = (groupId: string): string => `group:${groupId}`;

/** Who may open a thing, as it is stored and searched with it. */
export const readersOf = ({ access, createdBy, createdByKey }: Restrictable): readonly string[] => [
  ...(access ? [...access.members.map(memberToken), ...access.groups.map(groupToken)] : [EVERYBODY]),
  ...(createdBy === undefined ? [] : [memberToken(createdBy)]),
  ...(createdByKey === undefined ? [] : [keyToken(createdByKey)]),
];

/** Who has made a thing that is new. */
export const madeBy = ({ type, id, userId }: Actor): Restrictable => ({
  ...(userId !== null && { createdBy: userId }),
  ...(type === 'api_key' && { createdByKey: id }),
});

/** The thing with another access; the same object where that is what it had. */
export function withAccess<Thing extends Restrictable>(thing: Thing, access: Access | undefined): Thing {
  if (isSame(thing.access, access)) return thing;
  const { access: _before, ...others } = thing;
  return { ...others, ...(access && { access }) } as Thing;
}

const isSame = (one: Access | undefined, other: Access | undefined): boolean =>
  JSON.stringify(one && sorted(one)) === JSON.stringify(other && sorted(other));

const sorted = ({ groups, members }: Access): Access => ({
  groups: [...groups].sort(),
  members: [...members].sort(),
});

/** As events and the audit log show it. */
export const accessState = ({ access }: Restrictable) => ({
  visibility: access ? 'restricted' : 'organisation',
  groups: [...(access?.groups ?? [])],
  members: [...(access?.members ?? [])],
});

export const accessChange = (before: Restrictable, after: Restrictable): Change =>
  changedFields({ access: accessState(before) }, { access: accessState(after) });

type AccessChanged = Extract<ContentEvent, { readonly name: `${string}.access_changed` }>;

/** Restricts a thing, or opens it to everybody in the organisation; `named` is how its event names it. */
export function changeAccess<
  Thing extends Restrictable & { readonly id: string; readonly updatedAt: Date },
  Name extends AccessChanged['name'],
>(
  thing: Thing,
  access: Access | undefined,
  at: Date,
  { name, ...named }: { readonly name: Name } & Omit<Extract<AccessChanged, { readonly name: Name }>['data'], 'access'>,
): Decision<Thing, ContentEvent> {
  const changed = withAccess(thing, access);
  if (changed === thing) return unchanged(thing);
  const next: Thing = { ...changed, updatedAt: at };
  return decided(next, {
    name,
    subject: next.id,
    at,
    data: { ...named, access: accessState(next) },
    change: accessChange(thing, next),
  } as unknown as ContentEvent);
}

/** What the audit log shows of a new thing: nothing where everybody may open it. */
export const accessShown = (thing: Restrictable): Fields => (thing.access ? { access: accessState(thing) } : {});
