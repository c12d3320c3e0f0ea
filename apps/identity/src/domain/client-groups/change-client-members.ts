import { requireUnmistakable } from '../email-address.ts';
import type { Decision } from '../identity-event.ts';
import { partAdded, partRemoved, partUpdated } from './client-group-events.ts';
import { clientMemberFields, type ClientMember } from './client-group.ts';

/**
 * Adds a client to a group. Whether there is room, and whether the e-mail is free in it, is for the store to see.
 * INVALID: the e-mail looks like another.
 */
export function addClientMember(groupId: string, member: ClientMember, at: Date): Decision<ClientMember> {
  requireUnmistakable(member.email);
  const events = [partAdded(groupId, 'members', clientMemberFields(member), at)];
  return { state: member, events, result: member };
}

export type ChangeClientMember = Partial<Pick<ClientMember, 'name' | 'status' | 'folderAccess' | 'fileAccess'>>;

/** Changes the fields given; the same values again change nothing and are no event. */
export function changeClientMember(
  groupId: string,
  member: ClientMember,
  wanted: ChangeClientMember,
  at: Date,
): Decision<ClientMember> {
  const changed: ClientMember = { ...member, ...wanted };
  const fields = { before: clientMemberFields(member), after: clientMemberFields(changed) };
  const events = partUpdated(groupId, 'members', fields, at);
  return { state: events.length === 0 ? member : changed, events, result: changed };
}

/** Takes a client out of a group. */
export const removeClientMember = (groupId: string, member: ClientMember, at: Date): Decision<ClientMember> => ({
  state: member,
  events: [partRemoved(groupId, 'members', clientMemberFields(member), at)],
  result: member,
});
