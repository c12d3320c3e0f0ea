import type { Database, Knex } from '@platform/postgres';
import { timingSafeEqual } from 'node:crypto';
import type { Credentials } from '../domain/authentication/credentials.ts';
import type { ActiveMembership, FoundApiKey } from '../domain/authentication/resolved-caller.ts';
import { normalEmail } from '../domain/email-address.ts';
import type { MemberStatus } from '../domain/members/member.ts';
import type { PermissionLevel } from '../domain/members/permission-level.ts';
import type { TokenPerson, User } from '../domain/users/user.ts';

/**
 * Authentication in PostgreSQL. Who is calling is not known yet, so there is no organisation to read within; each
 * step opens, by policy, only the rows with exactly the value it knows. What is asked for every active caller about
 * once a second is one function of the database and one round trip (migration 0008).
 */
export const credentialsStore = (database: Database): Credentials => ({
  userWithMemberships: async (person, refresh) => {
    const found = await findUser(database, person);
    const known = found?.user;
    const user = refresh(known);
    if (found && user === known) return found;
    // First sight, or something new in the token.
    const saved = await database.system({ 'app.issuer': person.issuer, 'app.subject': person.subject }, (trx) =>
      saveRefreshed(trx, person, refresh),
    );
    const memberships = (await findUser(database, person))?.memberships ?? [];
    return { user: saved, memberships };
  },

  apiKeyByHash: async (hash) => {
    const [row] = await database.systemStatement<KeyRow>(apiKeyOfHash, [Buffer.from(hash)]);
    // The index has found it by comparing bytes one after the other; this comparison is the one that decides.
    return row && timingSafeEqual(row.hash, hash) ? foundKeyOfRow(row) : undefined;
  },
});

const userOfToken = { name: 'user-of-token', text: 'SELECT * FROM user_of_token($1, $2)' };
const apiKeyOfHash = { name: 'api-key-of-hash', text: 'SELECT * FROM api_key_of_hash($1)' };

/** The user once per active membership; the last three are null, once, for a user who has none. */
interface UserOfTokenRow {
  user_id: string;
  user_name: string;
  user_email: string;
  email_verified: boolean;
  organisation_id: string | null;
  member_level: PermissionLevel;
  client_group_id: string;
}

async function findUser(
  database: Database,
  { issuer, subject }: TokenPerson,
): Promise<{ user: User; memberships: readonly ActiveMembership[] } | undefined> {
  const rows = await database.systemStatement<UserOfTokenRow>(userOfToken, [issuer, subject]);
  const [first] = rows;
  if (!first) return undefined;
  const { user_id: id, user_name: name, user_email: email, email_verified: emailVerified } = first;
  return {
    user: { id, issuer, subject, name, email, emailVerified },
    memberships: rows.flatMap(({ organisation_id, member_level, client_group_id }) =>
      organisation_id === null
        ? []
        : { organisationId: organisation_id, level: member_level, clientGroupId: client_group_id },
    ),
  };
}

interface UserRow {
  id: string;
  issuer: string;
  subject: string;
  name: string;
  email: string;
  email_verified: boolean;
}

/** Saves the user as of now. */
async function saveRefreshed(
  trx: Knex.Transaction,
  person: TokenPerson,
  refresh: (known: User | undefined) => User,
): Promise<User> {
  const known = await savedUser(trx, person);
  const user = refresh(known);
  if (user === known) return known;
  const row = {
    name: user.name,
    email: user.email,
    normal_email: normalEmail(user.email),
    email_verified: user.emailVerified,
    updated_at: trx.fn.now(3),
  };
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
  return inserted.length === 0 ? saveRefreshed(trx, person, refresh) : user;
}

async function savedUser(trx: Knex.Transaction, { issuer, subject }: TokenPerson): Promise<User | undefined> {
  const row = await trx<UserRow>('users').where({ issuer, subject }).first();
  return row && { id: row.id, issuer, subject, name: row.name, email: row.email, emailVerified: row.email_verified };
}

interface KeyRow {
  hash: Buffer;
  secret_valid_until: Date | null;
  api_key_id: string;
  organisation_id: string;
  scopes: string[];
  expires_at: Date | null;
  revoked_at: Date | null;
  user_id: string;
  user_name: string;
  user_email: string;
  email_verified: boolean;
  member_status: MemberStatus;
  member_level: PermissionLevel;
  client_group_id: string;
}

const foundKeyOfRow = (row: KeyRow): FoundApiKey => ({
  apiKeyId: row.api_key_id,
  organisationId: row.organisation_id,
  scopes: row.scopes,
  clientGroupId: row.client_group_id,
  expiresAt: row.expires_at,
  revokedAt: row.revoked_at,
  secretValidUntil: row.secret_valid_until,
  creator: { id: row.user_id, name: row.user_name, email: row.user_email, emailVerified: row.email_verified },
  creatorStatus: row.member_status,
  creatorLevel: row.member_level,
});
