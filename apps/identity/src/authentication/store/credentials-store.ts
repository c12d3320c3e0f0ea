import { columns, nullable, type Database, type Knex } from '@platform-backend/postgres';
import { timingSafeEqual } from 'node:crypto';
import { normalEmail } from '../../members/domain/email-address.ts';
import type { Credentials, KnownUser, TokenSession } from '../domain/credentials.ts';
import { invalidToken, logoutTokenUsed } from '../domain/errors.ts';
import type { ActiveMembership, ApiKeyRecord } from '../domain/resolved-caller.ts';
import type { TokenPerson, User } from '../domain/user.ts';

/**
 * Authentication in PostgreSQL. Who is calling is not known yet, so there is no organisation to read within; each
 * step opens, by policy, only the rows with exactly the value it knows. What is asked for every active caller about
 * once a second is one function of the database and one round trip (migration 0008).
 */
export const credentialsStore = (database: Database): Credentials => ({
  userWithMemberships: async (person, session, refresh) => {
    const found = await findUser(database, person, session);
    const known = found?.user;
    const user = refresh(known);
    if (found && user === known) return found;
    // First sight, or something new in the token.
    const saved = await database.system({ 'app.issuer': person.issuer, 'app.subject': person.subject }, (trx) =>
      saveRefreshed(trx, person, session.issuedAt, refresh),
    );
    return (await findUser(database, person, session)) ?? { user: saved, memberships: [] };
  },

  suspendedIn: (userId) =>
    database.system({ 'app.user_id': userId }, (trx) =>
      trx('members').where({ user_id: userId, status: 'suspended' }).pluck('organisation_id'),
    ),

  endSessions: ({ issuer, tokenId, subject, sessionId, endedAt }) =>
    database.system({ 'app.issuer': issuer }, async (trx) => {
      const row = { issuer, token_id: tokenId, subject, session_id: sessionId, ended_at: endedAt };
      const inserted = await trx('ended_sessions').insert(row).onConflict().ignore().returning('token_id');
      if (inserted.length === 0) throw logoutTokenUsed();
    }),

  forgetEndedSessions: (before) =>
    database.system({ 'app.sweep': 'ended_sessions' }, (trx) =>
      trx('ended_sessions').where('ended_at', '<', before).delete(),
    ),

  apiKeyByHash: async (hash) => {
    const [row] = await database.systemStatement<{ hash: Buffer }>(apiKeyOfHash, [Buffer.from(hash)]);
    // The index has found it by comparing bytes one after the other; this comparison is the one that decides.
    return row && timingSafeEqual(row.hash, hash) ? foundKeyColumns.read(row) : undefined;
  },
});

const userOfToken = {
  name: 'user-of-token-in-session',
  text: `SELECT s.has_ended, u.* FROM session_has_ended($1, $2, $3, $4) AS s(has_ended)
         LEFT JOIN user_of_token($1, $2) u ON NOT s.has_ended`,
};
const apiKeyOfHash = { name: 'api-key-of-hash', text: 'SELECT * FROM api_key_of_hash($1)' };

/** The user once per active membership; the last three are null, once, for a user who has none. */
const foundUserColumns = columns<Omit<User, 'issuer' | 'subject'>>({
  id: 'user_id',
  name: 'user_name',
  email: 'user_email',
  emailVerified: 'email_verified',
});
const membershipColumns = nullable(
  columns<ActiveMembership>({
    organisationId: 'organisation_id',
    level: 'member_level',
    clientGroupId: 'client_group_id',
  }),
);

async function findUser(
  database: Database,
  { issuer, subject }: TokenPerson,
  { sessionId, issuedAt }: TokenSession,
): Promise<KnownUser | undefined> {
  const rows = await database.systemStatement<FoundRow>(userOfToken, [issuer, subject, sessionId, issuedAt]);
  const [first] = rows;
  if (first?.has_ended) throw invalidToken();
  if (!first || first.user_id === null) return undefined;
  return {
    user: { ...foundUserColumns.read(first), issuer, subject },
    memberships: rows.flatMap((row) => membershipColumns.read(row) ?? []),
  };
}

interface FoundRow {
  readonly has_ended: boolean;
  readonly user_id: string | null;
}

const userColumns = columns<User>({
  id: 'id',
  issuer: 'issuer',
  subject: 'subject',
  name: 'name',
  email: 'email',
  emailVerified: 'email_verified',
});

/** Saves the user as of now, unless what is known is of a token that was issued later. */
async function saveRefreshed(
  trx: Knex.Transaction,
  { issuer, subject }: TokenPerson,
  issuedAt: Date | null,
  refresh: (known: User | undefined) => User,
): Promise<User> {
  const row = await trx('users').where({ issuer, subject }).first<object | undefined>();
  const known = row && userColumns.read(row);
  const user = refresh(known);
  if (user === known) return known;
  const now = trx.fn.now(3);
  const saved = {
    ...userColumns.write(user),
    normal_email: normalEmail(user.email),
    facts_issued_at: issuedAt,
    created_at: now,
    updated_at: now,
  };
  const { created_at: _made, ...changed } = saved;
  if (known) {
    // Where somebody was faster, the next look-up finds what is still to be saved.
    const count = await trx('users')
      .where(userColumns.write(known))
      .whereRaw('(facts_issued_at IS NULL OR facts_issued_at <= ?)', [issuedAt])
      .update(changed);
    return count === 0 ? known : user;
  }
  const inserted = await trx('users').insert(saved).onConflict().ignore().returning('id');
  // Somebody was faster with the same person. Now there is a user to be seen.
  return inserted.length === 0 ? saveRefreshed(trx, user, issuedAt, refresh) : user;
}

const foundKeyColumns = columns<ApiKeyRecord>({
  apiKeyId: 'api_key_id',
  organisationId: 'organisation_id',
  scopes: 'scopes',
  clientGroupId: 'client_group_id',
  expiresAt: 'expires_at',
  revokedAt: 'revoked_at',
  secretValidUntil: 'secret_valid_until',
  creator: columns<ApiKeyRecord['creator']>({
    id: 'user_id',
    name: 'user_name',
    email: 'user_email',
    emailVerified: 'email_verified',
  }),
  creatorStatus: 'member_status',
  creatorLevel: 'member_level',
});
