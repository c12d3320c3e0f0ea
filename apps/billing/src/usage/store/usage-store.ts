import { forgetOldest, type Database, type Knex } from '@platform-backend/postgres';
import { daysAfter } from '../../credits/domain/days-after.ts';
import type { GroupToReport, UsageCounts, UsageGrouping, UsageQuestion, UsageRow } from '../domain/usage.ts';
import { closeLapsedLeases, forgetClosedLeases, giveBack, grantLease } from './quota-leases.ts';
import { alertMembers, usageOfPeriod } from './quota-periods.ts';
import { addUsage, NO_GROUP } from './usage-day-rows.ts';
import { usageByHour } from './usage-hour-rows.ts';
import { usageOfMembers } from './usage-of-members.ts';

/** Longer than anybody tries to report the same again. */
const recordsKeptDays = 7;

/** Usage and quotas in PostgreSQL. */
export const usageStore = (database: Database): UsageCounts => ({
  listHours: (organisationId, hours, page) =>
    database.tenant(organisationId, (trx) => usageByHour(trx, organisationId, hours, page)),

  list: (organisationId, question, { limit, cursor, includeTotal }) =>
    database.tenant(organisationId, async (trx) => {
      const rows = (await groupedUsage(trx, organisationId, question)
        .modify((query) => {
          if (cursor !== '') void query.havingRaw('?? < ?', [keyColumns[question.groupBy], cursor]);
        })
        .orderBy(keyColumns[question.groupBy], 'desc')
        .limit(limit + 1)) as unknown as GroupedRow[];
      const items = rows.slice(0, limit);
      const nextCursor = rows.length > limit ? (items.at(-1)?.key ?? '') : '';
      const total = includeTotal ? await countOf(trx, groupedUsage(trx, organisationId, question)) : undefined;
      return { items: items.map(usageOfRow), nextCursor, ...(total !== undefined && { total }) };
    }),

  record: (by, records, at) =>
    database.tenant(by.organisationId, async (trx) => {
      const own = { organisation_id: by.organisationId };
      const rows = records.map(({ id }) => ({ ...own, id, counted_at: at }));
      const fresh = await trx<{ id: string }>('usage_records').insert(rows).onConflict().ignore().returning('id');
      const ids = new Set(fresh.map(({ id }) => id));
      await addUsage(
        trx,
        by.organisationId,
        records.filter(({ id }) => ids.delete(id)),
      );
      await trx('usage_records').where(own).where('counted_at', '<', daysAfter(at, -recordsKeptDays)).delete();
    }),

  lease: (by, wanted, at) =>
    database.tenant(by.organisationId, async (trx) => {
      if (wanted.last) await giveBack(trx, by.organisationId, wanted.last);
      await closeLapsedLeases(trx, by.organisationId, wanted.group.clientGroupId, at);
      await forgetClosedLeases(trx, by.organisationId, wanted.group.clientGroupId, at);
      return grantLease(trx, by, wanted, at);
    }),

  unreported: unreportedInTurn(database),

  async report(by, group, period, at, send) {
    const { organisationId } = by;
    const { fresh, report } = await database.tenant(organisationId, async (trx) => {
      const { version, fresh: counted } = await countedDays(trx, organisationId, group.clientGroupId);
      const usage = await usageOfPeriod(trx, organisationId, group.clientGroupId, period);
      await alertMembers(trx, by, { ...group, period }, usage, at);
      return { fresh: counted, report: { usage, version } };
    });
    await send(report);
    await database.tenant(organisationId, async (trx) => {
      await trx.raw(
        `UPDATE usage_days AS counted SET reported_revision = told.revision
         FROM unnest(?::date[], ?::uuid[], ?::bigint[]) AS told (day, api_key_id, revision)
         WHERE counted.organisation_id = ? AND counted.client_group_id = ?
           AND counted.day = told.day AND counted.api_key_id = told.api_key_id`,
        [
          fresh.map(({ day }) => day),
          fresh.map(({ api_key_id }) => api_key_id),
          fresh.map(({ revision }) => revision),
          organisationId,
          group.clientGroupId,
        ],
      );
    });
  },

  forgetHours: (before) => forgetOldest(database, 'usage', { table: 'usage_hours', time: 'hour', before }),

  forgetReports: (organisationId, clientGroupId) =>
    database.tenant(organisationId, async (trx) => {
      await trx('usage_days')
        .where({ organisation_id: organisationId, client_group_id: clientGroupId })
        .update({ reported_revision: trx.ref('revision') });
    }),
});

interface CountedDay {
  day: string;
  api_key_id: string;
  revision: string;
}

/** Round and round: groups that are used all the time have always something to report, and would come every time. */
function unreportedInTurn(database: Database): UsageCounts['unreported'] {
  let last: GroupToReport = { organisationId: '', clientGroupId: NO_GROUP };
  return async (limit) => {
    const rows = await database.system({ 'app.sweep': 'usage' }, (trx) =>
      trx<{ organisation_id: string; client_group_id: string }>('usage_days')
        .whereRaw('revision <> reported_revision')
        .whereNot('client_group_id', NO_GROUP)
        .groupBy('organisation_id', 'client_group_id')
        .orderByRaw('(organisation_id, client_group_id) <= (?, ?::uuid), organisation_id, client_group_id', [
          last.organisationId,
          last.clientGroupId,
        ])
        .limit(limit)
        .select('organisation_id', 'client_group_id'),
    );
    const found = rows.map((row) => ({ organisationId: row.organisation_id, clientGroupId: row.client_group_id }));
    last = found.at(-1) ?? last;
    return found;
  };
}

/** Days marked as reported at a time; what is left over is reported once more and marked then. */
const maxMarked = 1000;

/** The sum of the revisions of all days of a group, which only grows, and the days that nobody has been told of. */
async function countedDays(trx: Knex.Transaction, organisationId: string, clientGroupId: string) {
  const days = () => trx('usage_days').where({ organisation_id: organisationId, client_group_id: clientGroupId });
  const [summed] = (await days().sum({ version: 'revision' })) as [{ version: string | null }];
  const fresh = await days()
    .whereRaw('revision <> reported_revision')
    .limit(maxMarked)
    .select<CountedDay[]>('day', 'api_key_id', 'revision');
  return { version: BigInt(summed.version ?? 0), fresh };
}

/** The last one where keys fall, so that no page goes on behind it. */
const NO_MEMBER = '';

interface GroupedRow {
  key: string;
  requests: string;
  ai_credits_micros: string;
  infrastructure_credits_micros: string;
}

const keyColumns: Readonly<Record<UsageGrouping, string>> = {
  day: 'day',
  client_group: 'client_group_id',
  api_key: 'api_key_id',
  member: 'member_id',
};

const counts = ['requests', 'ai_credits_micros', 'infrastructure_credits_micros'] as const;

function groupedUsage(trx: Knex.Transaction, organisationId: string, question: UsageQuestion) {
  const column = keyColumns[question.groupBy];
  const { memberId } = question;
  const isOfMembers = memberId !== null || question.groupBy === 'member';
  const rows = (isOfMembers ? membersUsage(trx) : trx('usage_days'))
    .where({ organisation_id: organisationId })
    .whereBetween('day', [question.firstDay, question.lastDay])
    .groupBy(column)
    .select(trx.raw('??::text AS key', [column]))
    .sum(Object.fromEntries(counts.map((count) => [count, count])));
  if (question.clientGroupId !== null) void rows.where('client_group_id', question.clientGroupId);
  if (question.apiKeyId !== null) void rows.where('api_key_id', question.apiKeyId);
  if (memberId !== null) void rows.where('member_id', memberId);
  // Where all of it is somebody's, nothing is left of what is nobody's.
  if (isOfMembers) void rows.havingRaw(`(${counts.map((count) => `sum(${count}) <> 0`).join(' OR ')})`);
  return rows;
}

const membersUsage = (trx: Knex.Transaction): Knex.QueryBuilder => trx.from(trx.raw(`(${usageOfMembers}) AS usage`));

async function countOf(trx: Knex.Transaction, query: ReturnType<typeof groupedUsage>): Promise<number> {
  const [counted] = (await trx.from(query.as('grouped')).count({ rows: '*' })) as unknown as [{ rows: string }];
  return Number(counted.rows);
}

const usageOfRow = (row: GroupedRow): UsageRow => ({
  key: row.key === NO_GROUP || row.key === NO_MEMBER ? null : row.key,
  requests: BigInt(row.requests),
  aiCredits: BigInt(row.ai_credits_micros),
  infrastructureCredits: BigInt(row.infrastructure_credits_micros),
});
