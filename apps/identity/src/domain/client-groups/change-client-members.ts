import { conflict, notFound } from '@platform/core';
import { requireUnmistakable, sameEmail } from '../email-address.ts';
import type { Decision } from '../identity-event.ts';
import { clientGroupUpdated } from './client-group-events.ts';
import { largestGroup, type ClientGroup, type ClientMember } from './client-group.ts';

/**
 * Adds a client to the group. CONFLICT: the e-mail is in the group already, or the group is full. INVALID: it looks like
 * another.
 */
export function addClientMember(
  group: ClientGroup,
  member: ClientMember,
  at: Date,
): Decision<ClientGroup, ClientMember> {
  requireUnmistakable(member.email);
  if (group.members.some(({ email }) => sameEmail(email, member.email))) {
    throw conflict('client_member_exists', 'A client with this e-mail is in the group already');
  }
  if (group.members.length >= largestGroup) {
    throw conflict('client_group_full', `A client group has at most ${largestGroup} members`);
  }
  const next: ClientGroup = { ...group, members: [...group.members, member] };
  return { ...clientGroupUpdated(group, next, at), result: member };
}

export type ChangeClientMember = Partial<Pick<ClientMember, 'name' | 'status' | 'folderAccess' | 'fileAccess'>>;

/** Changes the fields given. NOT_FOUND: no such client in this group. */
export function changeClientMember(
  group: ClientGroup,
  memberId: string,
  wanted: ChangeClientMember,
  at: Date,
): Decision<ClientGroup, ClientMember> {
  const changed: ClientMember = { ...clientMemberOf(group, memberId), ...wanted };
  const members = group.members.map((member) => (member.id === memberId ? changed : member));
  return { ...clientGroupUpdated(group, { ...group, members }, at), result: changed };
}

/** Takes a client out of the group. NOT_FOUND: no such client in this group, or removed already. */
export function removeClientMember(
  group: ClientGroup,
  memberId: string,
  at: Date,
): Decision<ClientGroup, ClientMember> {
  const removed = clientMemberOf(group, memberId);
  const members = group.members.filter(({ id }) => id !== memberId);
  return { ...clientGroupUpdated(group, { ...group, members }, at), result: removed };
}

function clientMemberOf(group: ClientGroup, memberId: string): ClientMember {
  const member = group.members.find(({ id }) => id === memberId);
  if (!member) throw notFound('Client member');
  return member;
}
