import type { ClientGroupState } from '@platform-backend/contract-identity/events';
import { decided, changedFields, unchanged, type Change, type Decision, type Fields } from '@platform-backend/core';
import type { IdentityEvent } from '../../events.ts';
import {
  clientGroupAccessFields,
  clientGroupFields,
  clientGroupStateFields,
  type ClientGroup,
  type ClientGroupAccess,
} from './client-group.ts';

export const clientGroupCreated = (group: ClientGroup, at: Date): IdentityEvent => ({
  name: 'client_group.created',
  subject: group.id,
  at,
  data: {
    client_group_id: group.id,
    name: group.name,
    is_default: group.isDefault,
    group: clientGroupStateFields(group),
  },
  change: { before: null, after: clientGroupFields(group) },
});

/** Decides for the changed group with the event that says what has changed, or for nothing when nothing has. */
export function clientGroupUpdated(
  before: ClientGroup,
  after: ClientGroup,
  at: Date,
): Decision<ClientGroup, IdentityEvent> {
  const change = changedFields(clientGroupFields(before), clientGroupFields(after));
  if (isNothing(change)) return unchanged(before);
  const next: ClientGroup = { ...after, version: before.version + 1n };
  return decided(next, updated(next.id, change, at, clientGroupStateFields(next)));
}

/** As `clientGroupUpdated`, of the access lists: the entries that went and came are shown, not the whole lists. */
export function clientGroupAccessUpdated(
  groupId: string,
  before: ClientGroupAccess,
  after: ClientGroupAccess,
  at: Date,
): Decision<ClientGroupAccess, IdentityEvent> {
  const change = changedFields(clientGroupAccessFields(before), clientGroupAccessFields(after));
  if (isNothing(change)) return unchanged(before);
  return decided(after, updated(groupId, changedEntries(change), at));
}

export const clientGroupArchived = (before: ClientGroup, after: ClientGroup, at: Date): IdentityEvent => ({
  name: 'client_group.archived',
  subject: after.id,
  at,
  data: { client_group_id: after.id, group: clientGroupStateFields(after) },
  change: changedFields(clientGroupFields(before), clientGroupFields(after)),
});

/** The lists of a group that hold its parts. */
export type PartList = 'members' | 'workspaces';

export const partAdded = (groupId: string, list: PartList, part: Fields, at: Date): IdentityEvent =>
  updated(groupId, { before: { [list]: [] }, after: { [list]: [part] } }, at);

export const partRemoved = (groupId: string, list: PartList, part: Fields, at: Date): IdentityEvent =>
  updated(groupId, { before: { [list]: [part] }, after: { [list]: [] } }, at);

/** Of the part that has changed its id and what has changed are shown; nothing when nothing has. */
export function partUpdated(
  groupId: string,
  list: PartList,
  { before, after }: { readonly before: Fields; readonly after: Fields },
  at: Date,
): readonly IdentityEvent[] {
  const change = changedFields(before, after);
  if (isNothing(change)) return [];
  const shown = changedEntries(change);
  const named = (fields: Fields) => ({ [list]: [{ id: after['id'], ...fields }] });
  return [updated(groupId, { before: named(shown.before), after: named(shown.after) }, at)];
}

interface BeforeAndAfter extends Change {
  readonly before: Fields;
  readonly after: Fields;
}

const updated = (
  groupId: string,
  change: BeforeAndAfter,
  at: Date,
  group: ClientGroupState | null = null,
): IdentityEvent => ({
  name: 'client_group.updated',
  subject: groupId,
  at,
  data: { client_group_id: groupId, changed_fields: Object.keys(change.after), group },
  change,
});

const isNothing = ({ after }: BeforeAndAfter): boolean => Object.keys(after).length === 0;

/** Of lists only the entries that differ, those that went and those that came. */
function changedEntries({ before, after }: BeforeAndAfter): BeforeAndAfter {
  const without = (fields: Fields, others: Fields) =>
    Object.fromEntries(
      Object.entries(fields).map(([name, value]) => [
        name,
        Array.isArray(value) ? missingIn(value, others[name]) : value,
      ]),
    );
  return { before: without(before, after), after: without(after, before) };
}

function missingIn(entries: readonly unknown[], others: unknown): readonly unknown[] {
  const texts = new Set((Array.isArray(others) ? others : []).map((entry) => JSON.stringify(entry)));
  return entries.filter((entry) => !texts.has(JSON.stringify(entry)));
}
