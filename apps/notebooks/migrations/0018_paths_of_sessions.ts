import type { Knex } from '@platform-backend/postgres';

/** Paths of sessions may have backslashes, which are read as the beginning of something else where text is taken for bytes. */
export const up = (knex: Knex) =>
  knex.raw(String.raw`
    DROP INDEX kernel_sessions_one_per_path;
    CREATE UNIQUE INDEX kernel_sessions_one_per_path ON kernel_sessions (organisation_id, sha256(replace(path, '\', '\\')::bytea));
  `);
