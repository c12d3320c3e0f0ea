import { decided, unchanged, type Decision, type Fields } from '@platform-backend/core';
import type { IdentityEvent } from '../../events.ts';
import { rejectConfusableEmail } from '../../members/domain/email-address.ts';
import { partAdded, partRemoved, partUpdated, type PartList } from './client-group-events.ts';
import { clientMemberFields, clientWorkspaceFields, type ClientMember, type ClientWorkspace } from './client-group.ts';

/** One kind of things that client groups have many of. */
export interface PartKind<Part> {
  readonly list: PartList;
  /** A part as the audit log shows it. */
  readonly fieldsOf: (part: Part) => Fields;
}

export const clientMemberPart: PartKind<ClientMember> = { list: 'members', fieldsOf: clientMemberFields };
export const clientWorkspacePart: PartKind<ClientWorkspace> = { list: 'workspaces', fieldsOf: clientWorkspaceFields };

/** A part before it has an id. */
export type NewPart<Part> = Omit<Part, 'id' | 'createdAt'>;

export type ChangeClientMember = Partial<Pick<ClientMember, 'name' | 'status' | 'folderAccess' | 'fileAccess'>>;
export type ChangeClientWorkspace = Partial<Pick<ClientWorkspace, 'name' | 'description' | 'accessLevel'>>;

/** Adds a part to a group. Names need not be unique. Whether there is room is for the store to see. */
export const addPart = <Part extends { readonly createdAt: Date }>(
  { list, fieldsOf }: PartKind<Part>,
  groupId: string,
  part: Part,
): Decision<Part, IdentityEvent> => decided(part, partAdded(groupId, list, fieldsOf(part), part.createdAt));

/** Adds a client. Whether the e-mail is free in the group is for the store to see. INVALID: it looks like another. */
export function addClientMember(groupId: string, member: ClientMember): Decision<ClientMember, IdentityEvent> {
  rejectConfusableEmail(member.email);
  return addPart(clientMemberPart, groupId, member);
}

/** Changes the fields given; the same values again change nothing and are no event. */
export function changePart<Part>(
  { list, fieldsOf }: PartKind<Part>,
  groupId: string,
  part: Part,
  wanted: Partial<Part>,
  at: Date,
): Decision<Part, IdentityEvent> {
  const changed: Part = { ...part, ...wanted };
  const events = partUpdated(groupId, list, { before: fieldsOf(part), after: fieldsOf(changed) }, at);
  return events.length === 0 ? unchanged(part) : { state: changed, events, result: changed };
}

/** Takes a part out of a group. */
export const removePart = <Part>(
  { list, fieldsOf }: PartKind<Part>,
  groupId: string,
  part: Part,
  at: Date,
): Decision<null, IdentityEvent, Part> => decided(null, partRemoved(groupId, list, fieldsOf(part), at), part);
