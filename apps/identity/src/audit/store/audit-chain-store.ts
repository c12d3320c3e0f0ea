import type { Database, Knex } from '@platform-backend/postgres';
import {
  chainStart,
  checkEnd,
  checkNoted,
  checkStarted,
  followLink,
  type AuditChains,
  type BrokenEntry,
  type ChainHead,
  type ChainLink,
} from '../domain/audit-chain.ts';

/** Links that are read at once. */
const BATCH = 1_000;

/** Opens what is needed of all organisations, to look who has a chain. */
const VERIFYING = { 'app.audit_log': 'verify' };

/** The chains of the audit log, as the database makes them (migration 0023). */
export const auditChainStore = (database: Database): AuditChains => ({
  organisations: () =>
    database.system(
      VERIFYING,
      async (trx) => {
        const { rows } = await trx.raw<{ rows: { id: string }[] }>(organisationsWithEntries);
        return rows.map(({ id }) => id);
      },
      { readOnly: true },
    ),

  verify: (organisationId, noted) =>
    database.tenant(
      organisationId,
      async (trx) => {
        const { head, broken } = await follow(trx, organisationId);
        const problems = [
          () => broken,
          async () => checkEnd(head, await recordedHead(trx, organisationId)),
          () => firstUnchained(trx, organisationId),
          () => checkStarted(head),
          async () => (noted ? checkNoted(await linkAt(trx, organisationId, noted.sequence), noted) : null),
        ];
        let found: BrokenEntry | null = null;
        for (const problem of problems) found ??= await problem();
        return { organisationId, head, broken: found };
      },
      { isolation: 'repeatable read', readOnly: true },
    ),
});

async function follow(
  trx: Knex.Transaction,
  organisationId: string,
): Promise<{ readonly head: ChainHead; readonly broken: BrokenEntry | null }> {
  let head: ChainHead = chainStart;
  for (;;) {
    const links = await linksAfter(trx, organisationId, head.sequence);
    for (const link of links) {
      const next = followLink(head, link);
      if ('reason' in next) return { head, broken: next };
      head = next;
    }
    if (links.length < BATCH) return { head, broken: null };
  }
}

async function linksAfter(trx: Knex.Transaction, organisationId: string, sequence: number): Promise<ChainLink[]> {
  const { rows } = await trx.raw<{ rows: (Omit<ChainLink, 'sequence'> & { readonly sequence: string })[] }>(
    `SELECT link.sequence, link.entry_id AS "entryId", encode(link.hash, 'hex') AS hash,
            CASE WHEN entry.id IS NOT NULL THEN audit_entry_text(entry) END AS text
     FROM audit_chain_links link
     LEFT JOIN audit_entries entry ON entry.id = link.entry_id AND entry.organisation_id = link.organisation_id
     WHERE link.organisation_id = ? AND link.sequence > ? ORDER BY link.sequence LIMIT ?`,
    [organisationId, sequence, BATCH],
  );
  return rows.map((row) => ({ ...row, sequence: Number(row.sequence) }));
}

async function recordedHead(trx: Knex.Transaction, organisationId: string): Promise<ChainHead> {
  const row = await trx('audit_chains')
    .where({ organisation_id: organisationId })
    .first<{ length: string; hash: string } | undefined>('length', trx.raw(`encode(hash, 'hex') AS hash`));
  return row ? { sequence: Number(row.length), hash: row.hash } : chainStart;
}

async function linkAt(trx: Knex.Transaction, organisationId: string, sequence: number): Promise<ChainHead | undefined> {
  const row = await trx('audit_chain_links')
    .where({ organisation_id: organisationId, sequence })
    .first<{ hash: string } | undefined>(trx.raw(`encode(hash, 'hex') AS hash`));
  return row && { sequence, hash: row.hash };
}

async function firstUnchained(trx: Knex.Transaction, organisationId: string): Promise<BrokenEntry | null> {
  const row = await trx('audit_entries')
    .where({ organisation_id: organisationId })
    .whereNotExists(trx('audit_chain_links').whereRaw('entry_id = audit_entries.id').select('sequence'))
    .orderBy([{ column: 'created_at' }, { column: 'id' }])
    .first<{ id: string } | undefined>('id');
  return row ? { reason: 'not_chained', sequence: null, entryId: row.id } : null;
}

/** From one organisation to the next in the index, instead of reading all entries. */
const organisationsWithEntries = `
  WITH RECURSIVE found AS (
    (SELECT organisation_id FROM audit_entries ORDER BY organisation_id LIMIT 1)
    UNION ALL
    SELECT next.organisation_id FROM found, LATERAL (
      SELECT organisation_id FROM audit_entries WHERE organisation_id > found.organisation_id
      ORDER BY organisation_id LIMIT 1) AS next
  )
  SELECT organisation_id AS id FROM found UNION SELECT organisation_id FROM audit_chains ORDER BY id`;
