import type { Database } from '@platform-backend/postgres';

interface KernelRow {
  organisation_id: string;
  is_charged: boolean;
  id: string;
  paid_minutes: number;
  started_at: Date;
  ended_at: Date | null;
}

/** Kernels of an organisation that are alive or have ended since then, and whose minutes cost something. */
export const pricedWork = (
  database: Database,
  organisationId: string,
  since: Date,
  { NOTEBOOKS_KERNEL_MINUTE_MICROS: minuteMicros }: { readonly NOTEBOOKS_KERNEL_MINUTE_MICROS: number },
) =>
  database.tenant(organisationId, async (trx) => {
    if (minuteMicros === 0) return [];
    const rows = await trx<KernelRow>('kernels')
      .where({ organisation_id: organisationId, is_charged: true })
      .where('paid_minutes', '>', 0)
      .whereRaw('(ended_at IS NULL OR ended_at >= ?)', [since])
      .select('id', 'paid_minutes', 'started_at', 'ended_at');
    return rows.map(({ id: workId, paid_minutes: minutes, started_at: startedAt, ended_at: at }) => ({
      purpose: 'kernel_minute',
      workId,
      at: at ?? startedAt,
      // Of one that began before, only some of the debits are looked at; of one that goes on another minute may be under way.
      debits: startedAt < since || at === null ? null : minutes,
      micros: null,
    }));
  });
