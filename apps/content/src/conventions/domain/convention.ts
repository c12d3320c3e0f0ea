import {
  changedFields,
  created,
  decided,
  deleted,
  unchanged,
  type Decision,
  type Fields,
} from '@platform-backend/core';
import { accessShown, changeAccess, type Access, type Restrictable } from '../../access/domain/access.ts';
import type { ContentEvent } from '../../events.ts';
import { conventionNotFound } from './errors.ts';

/** What an organisation wants its assistants to know and keep to. */
export interface Convention extends Restrictable {
  readonly id: string;
  readonly title: string;
  readonly content: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export const createConvention = (convention: Convention): Decision<Convention, ContentEvent> =>
  created(
    'convention.created',
    convention,
    convention.createdAt,
    { convention_id: convention.id, title: convention.title },
    shown(convention),
  );

export type ChangeConvention = Partial<Pick<Convention, 'title' | 'content'>>;

/** Changes the fields given. NOT_FOUND: there is none. */
export function changeConvention(
  convention: Convention | undefined,
  wanted: ChangeConvention,
  at: Date,
): Decision<Convention, ContentEvent> {
  if (!convention) throw conventionNotFound();
  const changed = Object.keys(changedFields({ ...convention }, { ...wanted }).after);
  if (changed.length === 0) return unchanged(convention);
  const next: Convention = { ...convention, ...wanted, updatedAt: at };
  return decided(next, {
    name: 'convention.updated',
    subject: next.id,
    at,
    data: { convention_id: next.id, title: next.title, changed_fields: changed },
    change: changedFields(shown(convention), shown(next)),
  });
}

/** Restricts it, or opens it to everybody in the organisation. NOT_FOUND: there is none. */
export function changeConventionAccess(
  convention: Convention | undefined,
  access: Access | undefined,
  at: Date,
): Decision<Convention, ContentEvent> {
  if (!convention) throw conventionNotFound();
  return changeAccess(convention, access, at, { name: 'convention.access_changed', convention_id: convention.id });
}

/** NOT_FOUND: there is none. */
export function deleteConvention(
  convention: Convention | undefined,
  at: Date,
): Decision<undefined, ContentEvent, Convention> {
  if (!convention) throw conventionNotFound();
  return deleted('convention.deleted', convention, at, { convention_id: convention.id }, shown(convention));
}

/** What the audit log shows of it: of a long text how long it is. */
const shown = ({ title, content, ...convention }: Convention): Fields => ({
  title,
  content_length: content.length,
  ...accessShown(convention),
});
