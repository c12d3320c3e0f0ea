import { acrossOrganisations, tenantTable, type Knex } from '@platform-backend/postgres';

/** Looks at the entries of all organisations, to verify them; set by `npm run audit -- verify` alone. */
const verifying = { setting: 'app.audit_log', value: 'verify' } as const;

/**
 * Chains the entries of each organisation by hash, in the order in which they were committed (docs/decisions/0106). The chain is made by
 * the database, so that entries of the version before are in it as well; what was there before is chained by its age.
 *
 * The trigger is deferred: a chain grows as the last thing before a commit, so that changes of one organisation wait for each
 * other's commit alone and never for each other's work, and those of two never.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('audit_chains', (table) => {
    table.text('organisation_id').primary();
    table.bigInteger('length').notNullable();
    table.binary('hash').notNullable();
  });
  await knex.schema.createTable('audit_chain_links', (table) => {
    table.text('organisation_id').notNullable();
    table.bigInteger('sequence').notNullable();
    table.uuid('entry_id').notNullable().unique();
    table.binary('hash').notNullable();
    table.primary(['organisation_id', 'sequence']);
  });
  await tenantTable(knex, 'audit_chains', { privileges: ['select', 'insert', 'update'], open: [verifying] });
  await tenantTable(knex, 'audit_chain_links', { privileges: ['select', 'insert'] });
  await knex.raw(
    `CREATE POLICY opened_by_app_audit_log ON audit_entries FOR SELECT USING (current_setting('app.audit_log', true) = 'verify')`,
  );
  await knex.raw(entryText);
  await knex.raw(chainEntry);
  await knex.raw(`
    CREATE FUNCTION chain_new_audit_entry() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN PERFORM chain_audit_entry(NEW); RETURN NULL; END $$;
    CREATE CONSTRAINT TRIGGER audit_entries_chained AFTER INSERT ON audit_entries
      DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION chain_new_audit_entry();
  `);
  await acrossOrganisations(knex, ['audit_entries', 'audit_chains', 'audit_chain_links'], () =>
    knex.raw(chainEntriesFromBefore),
  );
}

/**
 * The head of a chain is written once, at its end: a row that one transaction changes with every entry leaves a version of it each time, and
 * every further change goes through all of these.
 */
const chainEntriesFromBefore = `
  DO $$
  DECLARE
    entry audit_entries;
    chain audit_chains;
  BEGIN
    FOR entry IN SELECT * FROM audit_entries ORDER BY organisation_id, created_at, id LOOP
      IF chain.organisation_id IS DISTINCT FROM entry.organisation_id THEN
        IF chain.organisation_id IS NOT NULL THEN INSERT INTO audit_chains SELECT chain.*; END IF;
        chain := ROW(entry.organisation_id, 0, ''::bytea);
      END IF;
      chain.length := chain.length + 1;
      chain.hash := sha256(chain.hash || convert_to(audit_entry_text(entry), 'UTF8'));
      INSERT INTO audit_chain_links (organisation_id, sequence, entry_id, hash)
      VALUES (entry.organisation_id, chain.length, entry.id, chain.hash);
    END LOOP;
    IF chain.organisation_id IS NOT NULL THEN INSERT INTO audit_chains SELECT chain.*; END IF;
  END $$`;

/** The canonical text of an entry: every column in this order. A column that is added later is not in it; it needs another chain. */
const entryText = `
  CREATE FUNCTION audit_entry_text(entry audit_entries) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT jsonb_build_array(
      entry.organisation_id, entry.id, (extract(epoch FROM entry.created_at) * 1000)::bigint,
      entry.actor_type, entry.actor_id, entry.actor_name, entry.on_behalf_of_user_id, entry.on_behalf_of_user_name,
      entry.action, entry.target_type, entry.target_id, entry.before, entry.after, entry.request_id)::text
  $$`;

/** The hash of a link is the SHA-256 of that of the link before it, of which the first has none, and the entry's canonical text. */
const chainEntry = `
  CREATE FUNCTION chain_audit_entry(entry audit_entries) RETURNS void LANGUAGE plpgsql AS $$
  DECLARE
    entry_text bytea := convert_to(audit_entry_text(entry), 'UTF8');
    link audit_chains;
  BEGIN
    INSERT INTO audit_chains AS chain (organisation_id, length, hash)
    VALUES (entry.organisation_id, 1, sha256(entry_text))
    ON CONFLICT (organisation_id) DO UPDATE
    SET length = chain.length + 1, hash = sha256(chain.hash || entry_text)
    RETURNING chain.* INTO link;
    INSERT INTO audit_chain_links (organisation_id, sequence, entry_id, hash)
    VALUES (entry.organisation_id, link.length, entry.id, link.hash);
  END $$`;
