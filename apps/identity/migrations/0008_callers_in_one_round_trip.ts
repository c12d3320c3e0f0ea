import type { Knex } from '@platform-backend/postgres';

/**
 * What authentication reads about every active caller about once a second, in one round trip each. Each step opens, by
 * policy, only the rows with exactly the value that the step before has found, so the steps are a function; it runs
 * with the rights of its caller and bypasses nothing. The settings end with the transaction, so that has to be one of
 * its own.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE INDEX client_members_of_email ON client_members (organisation_id, lower(email), created_at, id);

    -- The secret with this hash, its key, and the member the key acts for.
    CREATE FUNCTION api_key_of_hash(key_hash bytea)
    RETURNS TABLE (
      hash bytea, secret_valid_until timestamptz,
      api_key_id uuid, organisation_id text, scopes text[], expires_at timestamptz, revoked_at timestamptz,
      user_id uuid, user_name text, user_email text, email_verified boolean, member_status text, member_level text,
      client_group_id uuid
    ) LANGUAGE plpgsql AS $$
    DECLARE
      secret api_key_secrets;
    BEGIN
      PERFORM set_config('app.api_key_hash', '\\x' || encode(key_hash, 'hex'), true);
      SELECT s.* INTO secret FROM api_key_secrets s WHERE s.hash = key_hash;
      IF NOT FOUND THEN RETURN; END IF;

      PERFORM set_config('app.organisation_id', secret.organisation_id, true);
      RETURN QUERY
      SELECT secret.hash, secret.valid_until,
             k.id, k.organisation_id, k.scopes, k.expires_at, k.revoked_at,
             u.id, u.name, u.email, u.email_verified, m.status, m.level,
             coalesce(
               (SELECT g.id FROM client_groups g
                WHERE g.organisation_id = k.organisation_id AND g.id = k.client_group_id AND NOT g.archived),
               (SELECT g.id FROM client_groups g WHERE g.organisation_id = k.organisation_id AND g.is_default))
      FROM api_keys k JOIN members m ON m.id = k.member_id JOIN users u ON u.id = m.user_id
      WHERE k.organisation_id = secret.organisation_id AND k.id = secret.api_key_id;
    END $$;

    -- The user of a token, once for each active membership, or once without any. In each organisation the user counts
    -- for the client group that first took in the user's proven address as a client, else for the default group.
    CREATE FUNCTION user_of_token(token_issuer text, token_subject text)
    RETURNS TABLE (
      user_id uuid, user_name text, user_email text, email_verified boolean,
      organisation_id text, member_level text, client_group_id uuid
    ) LANGUAGE plpgsql AS $$
    DECLARE
      known users;
      membership record;
    BEGIN
      PERFORM set_config('app.issuer', token_issuer, true), set_config('app.subject', token_subject, true);
      SELECT u.* INTO known FROM users u WHERE u.issuer = token_issuer AND u.subject = token_subject;
      IF NOT FOUND THEN RETURN; END IF;
      user_id := known.id;
      user_name := known.name;
      user_email := known.email;
      email_verified := known.email_verified;

      PERFORM set_config('app.user_id', known.id::text, true);
      FOR membership IN
        SELECT m.organisation_id, m.level FROM members m WHERE m.user_id = known.id AND m.status = 'active'
      LOOP
        organisation_id := membership.organisation_id;
        member_level := membership.level;
        PERFORM set_config('app.organisation_id', membership.organisation_id, true);
        client_group_id := NULL;
        IF known.email_verified THEN
          SELECT c.group_id INTO client_group_id
          FROM client_members c
          JOIN client_groups g ON g.organisation_id = c.organisation_id AND g.id = c.group_id
          WHERE c.organisation_id = membership.organisation_id AND lower(c.email) = lower(known.email)
            AND c.status <> 'suspended' AND NOT g.archived AND NOT g.is_default
          ORDER BY c.created_at, c.id LIMIT 1;
        END IF;
        IF client_group_id IS NULL THEN
          SELECT g.id INTO client_group_id
          FROM client_groups g WHERE g.organisation_id = membership.organisation_id AND g.is_default;
        END IF;
        RETURN NEXT;
      END LOOP;
      IF organisation_id IS NULL THEN RETURN NEXT; END IF;
    END $$;`);
}
