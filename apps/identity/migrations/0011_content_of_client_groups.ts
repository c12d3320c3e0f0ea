import { acrossOrganisations, type Knex } from '@platform-backend/postgres';

/**
 * What a client group holds, counted by the database with every change of its members and workspaces, whoever makes it, so
 * that nobody has to read a group to know how much is in it. 140 and 90 bytes are names of fields and ids in JSON.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE client_members ADD COLUMN bytes integer NOT NULL GENERATED ALWAYS AS (
      140 + octet_length(name) + octet_length(email) + octet_length(folder_access::text) + octet_length(file_access::text)
    ) STORED;
    ALTER TABLE client_workspaces ADD COLUMN bytes integer NOT NULL GENERATED ALWAYS AS (
      90 + octet_length(name) + octet_length(description)
    ) STORED;
    ALTER TABLE client_groups
      ADD COLUMN member_count integer NOT NULL DEFAULT 0,
      ADD COLUMN workspace_count integer NOT NULL DEFAULT 0,
      ADD COLUMN part_bytes bigint NOT NULL DEFAULT 0,
      ADD COLUMN list_bytes bigint NOT NULL GENERATED ALWAYS AS (
        octet_length(asset_access::text) + octet_length(folder_access::text) + octet_length(file_access::text)
      ) STORED,
      ALTER COLUMN asset_access SET DEFAULT '[]',
      ALTER COLUMN folder_access SET DEFAULT '[]',
      ALTER COLUMN file_access SET DEFAULT '[]'`);
  await acrossOrganisations(knex, ['client_groups', 'client_members', 'client_workspaces'], () =>
    knex.raw(`
      UPDATE client_groups g SET member_count = m.count, workspace_count = w.count, part_bytes = m.bytes + w.bytes
      FROM (SELECT g.id, count(m.id) AS count, coalesce(sum(m.bytes), 0) AS bytes
            FROM client_groups g LEFT JOIN client_members m ON m.group_id = g.id GROUP BY g.id) m
      JOIN (SELECT g.id, count(w.id) AS count, coalesce(sum(w.bytes), 0) AS bytes
            FROM client_groups g LEFT JOIN client_workspaces w ON w.group_id = g.id GROUP BY g.id) w ON w.id = m.id
      WHERE g.id = m.id`),
  );
  await knex.raw(`
    CREATE FUNCTION count_client_parts() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE
      counted record;
    BEGIN
      FOR counted IN EXECUTE format(
        'SELECT group_id, sum(parts) AS parts, sum(bytes) AS bytes FROM (%s) AS part GROUP BY group_id',
        concat_ws(' UNION ALL ',
          CASE WHEN TG_OP <> 'DELETE' THEN 'SELECT group_id, 1 AS parts, bytes FROM come' END,
          CASE WHEN TG_OP <> 'INSERT' THEN 'SELECT group_id, -1 AS parts, -bytes AS bytes FROM gone' END))
      LOOP
        CONTINUE WHEN counted.parts = 0 AND counted.bytes = 0;
        UPDATE client_groups SET
          member_count = member_count + CASE TG_TABLE_NAME WHEN 'client_members' THEN counted.parts ELSE 0 END,
          workspace_count = workspace_count + CASE TG_TABLE_NAME WHEN 'client_workspaces' THEN counted.parts ELSE 0 END,
          part_bytes = part_bytes + counted.bytes
        WHERE id = counted.group_id;
      END LOOP;
      RETURN NULL;
    END $$`);
  for (const table of ['client_members', 'client_workspaces']) {
    await knex.raw(`
      CREATE TRIGGER count_added AFTER INSERT ON ${table} REFERENCING NEW TABLE AS come
        FOR EACH STATEMENT EXECUTE FUNCTION count_client_parts();
      CREATE TRIGGER count_changed AFTER UPDATE ON ${table} REFERENCING OLD TABLE AS gone NEW TABLE AS come
        FOR EACH STATEMENT EXECUTE FUNCTION count_client_parts();
      CREATE TRIGGER count_removed AFTER DELETE ON ${table} REFERENCING OLD TABLE AS gone
        FOR EACH STATEMENT EXECUTE FUNCTION count_client_parts()`);
  }
}
