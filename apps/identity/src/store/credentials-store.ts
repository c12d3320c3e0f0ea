import type { Database, Knex } from '@platform/postgres';
import { timingSafeEqual } from 'node:crypto';
import type { Credentials } from '../domain/authentication/credentials.ts';
import type { FoundApiKey } from '../domain/authentication/resolved-caller.ts';
import type { MemberStatus } from '../domain/members/member.ts';
import type { PermissionLevel } from '../domain/members/permission-level.ts';
import type { TokenPerson, User } from '../domain/users/user.ts';

/**
 * Authentication in PostgreSQL. Who is calling is not known yet, so there is no organisation to read within; each
 * step opens, by policy, only the rows with exactly the value it knows.
 */
export const credentialsStore = (database: Database): Credentials => ({
  userWithMemberships: (person, refresh) =>
    database.system({ 'app.issuer': person.issuer, 'app.subject': person.subject }, async (trx) => {
      const user = await refreshedUser(trx, person, refresh);
      await setLocal(trx, 'app.user_id', user.id);
      const rows = await trx<MembershipRow>('members').where({ user_id: user.id, status: 'active' }).select('*');
      const memberships = rows.map((row) => ({ organisationId: row.organisation_id, level: row.level }));
      return { user, memberships };
    }),

  apiKeyByHash: (hash) =>
    database.system({ 'app.api_key_hash': `\\x${Buffer.from(hash).toString('hex')}` }, async (trx) => {
      const secret = await trx<SecretRow>('api_key_secrets')
        .where({ hash: Buffer.from(hash) })
        .first();
      // The index has found it by comparing bytes one after the other; this comparison is the one that decides.
      if (!secret || !timingSafeEqual(secret.hash, hash)) return undefined;
      await setLocal(trx, 'app.organisation_id', secret.organisation_id);
      const row = await trx('api_keys')
        .join('members', 'members.id', 'api_keys.member_id')
        .join('users', 'users.id', 'members.user_id')
        .where({ 'api_keys.organisation_id': secret.organisation_id, 'api_keys.id': secret.api_key_id })
        .first<FoundRow | undefined>('api_keys.*', 'members.level', 'members.status', {
          user_id: 'users.id',
          user_name: 'users.name',
          user_email: 'users.email',
          email_verified: 'users.email_verified',
        });
      return row && foundKeyOfRow(row, secret);
    }),
});

const setLocal = (trx: Knex.Transaction, setting: string, value: string) =>
  trx.raw('SELECT set_config(?, ?, true)', [setting, value]);

interface MembershipRow {
  user_id: string;
  organisation_id: string;
  level: PermissionLevel;
  status: MemberStatus;
}

interface UserRow {
  id: string;
  issuer: string;
  subject: string;
  name: string;
  email: string;
  email_verified: boolean;
}

async function refreshedUser(
  trx: Knex.Transaction,
  person: TokenPerson,
  refresh: (known: User | undefined) => User,
): Promise<User> {
  const known = await findUser(trx, person);
  const user = refresh(known);
  if (user === known) return known;
  const row = { name: user.name, email: user.email, email_verified: user.emailVerified, updated_at: trx.fn.now(3) };
  if (known) {
    await trx('users').where({ id: user.id }).update(row);
    return user;
  }
  const inserted = await trx('users')
    .insert({ ...row, id: user.id, issuer: user.issuer, subject: user.subject, created_at: trx.fn.now(3) })
    .onConflict(['issuer', 'subject'])
    .ignore()
    .returning('id');
  // Somebody was faster with the same person. Now there is a user to be seen.
  return inserted.length === 0 ? refreshedUser(trx, person, refresh) : user;
}

async function findUser(trx: Knex.Transaction, { issuer, subject }: TokenPerson): Promise<User | undefined> {
  const row = await trx<UserRow>('users').where({ issuer, subject }).first();
  return row && { id: row.id, issuer, subject, name: row.name, email: row.email, emailVerified: row.email_verified };
}

interface SecretRow {
  hash: Buffer;
  organisation_id: string;
  api_key_id: string;
  valid_until: Date | null;
}

interface FoundRow {
  id: string;
  organisation_id: string;
  scopes: string[];
  expires_at: Date | null;
  revoked_at: Date | null;
  level: PermissionLevel;
  status: MemberStatus;
  user_id: string;
  user_name: string;
  user_email: string;
  email_verified: boolean;
}

const foundKeyOfRow = (row: FoundRow, secret: SecretRow): FoundApiKey => ({
  apiKeyId: row.id,
  organisationId: row.organisation_id,
  scopes: row.scopes,
  expiresAt: row.expires_at,
  revokedAt: row.revoked_at,
  secretValidUntil: secret.valid_until,
  creator: { id: row.user_id, name: row.user_name, email: row.user_email, emailVerified: row.email_verified },
  creatorStatus: row.status,
  creatorLevel: row.level,
});
