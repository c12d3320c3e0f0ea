import { acrossOrganisations, type Knex } from '@platform-backend/postgres';
import { normalEmail } from '../src/members/domain/email-address.ts';

/**
 * E-mail addresses are compared in a form that only the service can make (`normalEmail`): lower() takes KELVIN SIGN for k.
 * Null stands for the address with A to Z in lower case, which is that form of every plain address: so what the version
 * before writes during a roll-out is right as well.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE users ADD COLUMN normal_email text;
    ALTER TABLE client_members ADD COLUMN normal_email text`);
  await acrossOrganisations(knex, tables, async () => {
    for (const table of tables) await fill(knex, table);
  });
  await knex.raw(`
    DROP INDEX client_members_of_email;
    DROP INDEX client_members_one_per_email;
    CREATE INDEX client_members_of_email
      ON client_members (organisation_id, coalesce(normal_email, lower(email COLLATE "C")), created_at, id);
    CREATE UNIQUE INDEX client_members_one_per_email
      ON client_members (group_id, coalesce(normal_email, lower(email COLLATE "C")));

    -- As in 0008, but for how addresses are compared.
    CREATE OR REPLACE FUNCTION user_of_token(token_issuer text, token_subject text)
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
          WHERE c.organisation_id = membership.organisation_id
            AND coalesce(c.normal_email, lower(c.email COLLATE "C"))
              = coalesce(known.normal_email, lower(known.email COLLATE "C"))
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

const tables = ['users', 'members', 'client_members'] as const;

/** Only addresses with blanks or characters beyond ASCII need it: few, but perhaps too many for one list. */
async function fill(knex: Knex, table: string): Promise<void> {
  const batch = 1000;
  let after = '00000000-0000-0000-0000-000000000000';
  for (;;) {
    const rows = await knex<{ id: string; email: string }>(table)
      .whereRaw(`(octet_length(email) <> length(email) OR email ~ '\\s')`)
      .where('id', '>', after)
      .orderBy('id')
      .limit(batch)
      .select('id', 'email');
    await knex.raw(
      `UPDATE ?? SET normal_email = filled.email FROM unnest(?::uuid[], ?::text[]) AS filled (id, email)
       WHERE ??.id = filled.id`,
      [table, rows.map(({ id }) => id), rows.map(({ email }) => normalEmail(email)), table],
    );
    const last = rows.at(-1);
    if (!last || rows.length < batch) return;
    after = last.id;
  }
}
