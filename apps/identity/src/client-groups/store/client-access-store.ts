import { columns, jsonColumn, nullable, type Database, type Knex } from '@platform-backend/postgres';
import type { OwnClientGroup } from '../domain/client-access.ts';
import type { ClientAccessGroups } from '../domain/client-groups.ts';
import { accessColumns } from './client-group-columns.ts';

/** Of a person who is in more, the others count for nothing. */
const MAX_GROUPS = 50;

const memberLists = nullable(
  columns<NonNullable<OwnClientGroup['member']>>({
    folderAccess: jsonColumn('own_folders'),
    fileAccess: jsonColumn('own_files'),
  }),
);

/** The groups that members and keys are in, in PostgreSQL. */
export function clientAccessStore(database: Database): ClientAccessGroups {
  return {
    groupsOf: (organisationId, subject) =>
      database.tenant(organisationId, async (trx) => {
        const named =
          'apiKeyId' in subject
            ? await ofKey(trx, organisationId, subject.apiKeyId)
            : await ofMember(trx, organisationId, subject.userId);
        if (!named || named.length > 0) return named ?? [];
        const row = await groups(trx, organisationId).where('g.is_default', true).first<GroupRow | undefined>();
        return row ? [groupOf(row)] : [];
      }),

    present: (organisationId, groupIds) =>
      database.tenant(organisationId, (trx) =>
        trx('client_groups')
          .where({ organisation_id: organisationId, archived: false })
          .whereIn('id', groupIds)
          .pluck('id'),
      ),
  };
}

interface GroupRow {
  readonly id: string;
  readonly own_folders?: unknown;
  readonly own_files?: unknown;
}

const groupOf = (row: GroupRow): OwnClientGroup => ({
  id: row.id,
  ...accessColumns.read(row),
  member: memberLists.read({ own_folders: null, own_files: null, ...row }),
});

const groups = (trx: Knex.Transaction, organisationId: string) =>
  trx('client_groups as g')
    .where('g.organisation_id', organisationId)
    .select('g.id', ...accessColumns.names.map((name) => `g.${name}`));

type Named = readonly OwnClientGroup[] | undefined;

/** None: the default group counts. Undefined: there is no such key, or its group is in the archive, which opens nothing. */
async function ofKey(trx: Knex.Transaction, organisationId: string, apiKeyId: string): Promise<Named> {
  const key = await trx('api_keys')
    .where({ organisation_id: organisationId, id: apiKeyId })
    .first<{ readonly client_group_id: string | null } | undefined>('client_group_id');
  if (!key) return undefined;
  if (key.client_group_id === null) return [];
  const rows = await groups(trx, organisationId).where({ 'g.id': key.client_group_id, 'g.archived': false });
  return rows.length > 0 ? (rows as GroupRow[]).map(groupOf) : undefined;
}

/**
 * The same of a member, by the verified address alone (0024). Undefined: no active member, or a client who is suspended or of whom all
 * groups are in the archive, for whom what is for the organisation's own people is as little as for such a key.
 */
async function ofMember(trx: Knex.Transaction, organisationId: string, userId: string): Promise<Named> {
  const member = await trx('members as m')
    .join('users as u', 'u.id', 'm.user_id')
    .where({ 'm.organisation_id': organisationId, 'm.user_id': userId, 'm.status': 'active' })
    .first<{ readonly email_verified: boolean; readonly address: string } | undefined>(
      'u.email_verified',
      trx.raw('coalesce(u.normal_email, lower(u.email COLLATE "C")) AS address'),
    );
  if (!member?.email_verified) return member && [];
  const own = () =>
    groups(trx, organisationId)
      .join('client_members as c', { 'c.organisation_id': 'g.organisation_id', 'c.group_id': 'g.id' })
      .whereRaw('coalesce(c.normal_email, lower(c.email COLLATE "C")) = ?', [member.address])
      .where('c.organisation_id', organisationId);
  const rows = await own()
    .whereNot('c.status', 'suspended')
    .where('g.archived', false)
    .orderBy(['c.created_at', 'c.id'])
    .limit(MAX_GROUPS)
    .select({ own_folders: 'c.folder_access', own_files: 'c.file_access' });
  if (rows.length > 0) return (rows as GroupRow[]).map(groupOf);
  const isClient = (await own().first<{ readonly id: string } | undefined>('c.id')) !== undefined;
  return isClient ? undefined : [];
}
