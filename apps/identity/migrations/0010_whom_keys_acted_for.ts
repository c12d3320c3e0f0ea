import { acrossOrganisations, type Knex } from '@platform-backend/postgres';

/** For whom a key has acted. Entries of deleted organisations stay without it: nothing is left that could tell. */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.alterTable('audit_entries', (table) => {
    table.text('on_behalf_of_user_id');
    table.text('on_behalf_of_user_name');
  });
  await acrossOrganisations(knex, ['audit_entries', 'api_keys', 'members', 'users'], () =>
    knex.raw(`
      UPDATE audit_entries SET on_behalf_of_user_id = users.id, on_behalf_of_user_name = users.name
      FROM api_keys JOIN members ON members.id = api_keys.member_id JOIN users ON users.id = members.user_id
      WHERE audit_entries.actor_type = 'api_key' AND audit_entries.actor_id = api_keys.id::text`),
  );
  await knex.raw(`
    CREATE INDEX audit_entries_on_behalf_of ON audit_entries (organisation_id, on_behalf_of_user_id, created_at, id)
      WHERE on_behalf_of_user_id IS NOT NULL`);
}
