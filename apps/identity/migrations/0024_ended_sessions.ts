import { grantToAppRole, type Knex } from '@platform-backend/postgres';

/**
 * Sessions that the issuer has ended: one by its id, or all that a subject has begun until then. They belong to no organisation; a
 * transaction sees those of the issuer that it names. The function is asked with each look-up of a caller.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('ended_sessions', (table) => {
    table.text('issuer').notNullable();
    table.text('token_id').notNullable();
    table.text('subject').notNullable();
    table.text('session_id').notNullable();
    table.timestamp('ended_at', { precision: 3 }).notNullable();
    table.primary(['issuer', 'token_id']);
    table.index(['ended_at'], 'ended_sessions_by_age');
  });
  await knex.raw(`
    CREATE INDEX ended_sessions_of_session ON ended_sessions (issuer, session_id) WHERE session_id <> '';
    CREATE INDEX ended_sessions_of_subject ON ended_sessions (issuer, subject) WHERE session_id = '';
    ALTER TABLE ended_sessions ENABLE ROW LEVEL SECURITY;
    ALTER TABLE ended_sessions FORCE ROW LEVEL SECURITY;
    CREATE POLICY opened_by_app_issuer ON ended_sessions
      USING (issuer = nullif(current_setting('app.issuer', true), ''));
    CREATE POLICY opened_by_app_sweep ON ended_sessions
      USING (current_setting('app.sweep', true) = 'ended_sessions');

    -- Of tokens that say not when they were issued none outlives its subject's sessions.
    CREATE FUNCTION session_has_ended(
      token_issuer text, token_subject text, token_session text, token_issued_at timestamptz
    ) RETURNS boolean LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM set_config('app.issuer', token_issuer, true);
      RETURN EXISTS (
        SELECT FROM ended_sessions e
        WHERE e.issuer = token_issuer AND e.session_id <> '' AND e.session_id = token_session
          AND e.subject IN ('', token_subject)
      ) OR EXISTS (
        SELECT FROM ended_sessions e
        WHERE e.issuer = token_issuer AND e.session_id = '' AND e.subject = token_subject
          AND (token_issued_at IS NULL OR token_issued_at <= e.ended_at)
      );
    END $$;`);
  await grantToAppRole(knex, 'ended_sessions', ['select', 'insert', 'delete']);
}
