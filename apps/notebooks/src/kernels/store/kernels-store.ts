import type { Decision } from '@platform-backend/core';
import {
  advisoryLock,
  changesIn,
  columns,
  firstOrThrow,
  recordEventsOf,
  type Database,
  type Knex,
} from '@platform-backend/postgres';
import type { NotebooksEvent } from '../../events.ts';
import { kernelNotFound } from '../domain/errors.ts';
import type { Kernel, KernelUse } from '../domain/kernel.ts';
import type { Kernels } from '../domain/kernels.ts';
import { changeSession } from './sessions-store.ts';

const kernelColumns = columns<Kernel>({
  id: 'id',
  spec: 'spec',
  notebookId: 'notebook_id',
  userId: 'user_id',
  clientGroupId: 'client_group_id',
  apiKeyId: 'api_key_id',
  nodeId: 'node_id',
  nodeAddress: 'node_address',
  leaseUntil: 'lease_until',
  state: 'state',
  lastActivity: 'last_activity',
  connections: 'connections',
  startedAt: 'started_at',
  endedAt: 'ended_at',
  isCharged: 'is_charged',
  billedMinutes: 'paid_minutes',
});

/** Opens the kernels of all organisations to the work that is done for all of them. */
const acrossOrganisations = { 'app.sweep': 'kernels' };

export function kernelsStore(database: Database): Kernels {
  const changes = changesIn(database, recordEventsOf('notebooks'));
  return {
    add: (by, since, decide) =>
      changes.update(by, decide, {
        load: (trx) => lockUse(trx, by.organisationId, since),
        save: (trx, kernel) =>
          trx('kernels').insert({
            ...kernelColumns.write(kernel),
            organisation_id: by.organisationId,
            lease_until: leaseOf(trx, kernel),
          }),
      }),

    revive: (by, kernelId, since, decide) =>
      changes.update(by, (before: UsedKernel) => withUse(before, decide(before.kernel, before.use)), {
        load: async (trx) => {
          const use = await lockUse(trx, by.organisationId, since);
          return { kernel: await load(rows(trx, by.organisationId, kernelId).forUpdate()), use };
        },
        save: async (trx, { kernel }) => {
          await save(trx, by.organisationId, kernel);
          await rows(trx, by.organisationId, kernelId).update({ lease_until: leaseOf(trx, kernel) });
        },
      }),

    get: (organisationId, kernelId) =>
      database.tenant(organisationId, (trx) => load(rows(trx, organisationId, kernelId))),

    list: (organisationId, notebookId) =>
      database.tenant(organisationId, async (trx) => {
        const query = trx('kernels').where({ organisation_id: organisationId }).whereNot({ state: 'stopped' });
        if (notebookId !== undefined) void query.where({ notebook_id: notebookId });
        const found = await query.orderBy(['started_at', 'id']).select<object[]>(kernelColumns.names);
        return found.map(kernelColumns.read);
      }),

    update: (by, kernelId, decide) =>
      changes.update(by, decide, {
        load: (trx) => load(rows(trx, by.organisationId, kernelId).forUpdate()),
        save: (trx, kernel) => save(trx, by.organisationId, kernel),
      }),

    replace: (by, kernelId, session, decide) =>
      changes.update(by, decide, {
        load: (trx) => load(rows(trx, by.organisationId, kernelId).forUpdate()),
        save: async (trx, kernel) => {
          await changeSession(trx, by.organisationId, session);
          await save(trx, by.organisationId, kernel);
        },
      }),

    async renew(nodeId, reports, leaseMs) {
      const told = reports.map(({ organisationId, id, state, lastActivity, connections }) => ({
        organisation_id: organisationId,
        id,
        state,
        last_activity: lastActivity,
        connections,
      }));
      const values = [leaseMs / 1000, JSON.stringify(told), nodeId];
      const renewed = await database.systemStatement<{ id: string }>(renewKernels, values, acrossOrganisations);
      return new Set(renewed.map(({ id }) => id));
    },

    counts: () =>
      database.system(
        acrossOrganisations,
        (trx) =>
          trx('kernels')
            .where({ ended_at: null })
            .groupBy('state')
            .select<{ state: Kernel['state']; kernels: number }[]>(
              'state',
              trx.raw<{ kernels: number }>('count(*)::int AS kernels'),
            ),
        { readOnly: true },
      ),

    overdue: (limit) =>
      database.system(acrossOrganisations, async (trx) => {
        const query = trx('kernels').where({ ended_at: null }).where('lease_until', '<', trx.raw('now()'));
        const found = await query
          .orderBy('lease_until')
          .limit(limit)
          .select<{ organisation_id: string; id: string; lease_until: Date }[]>('organisation_id', 'id', 'lease_until');
        return found.map((row) => ({ organisationId: row.organisation_id, id: row.id, leaseUntil: row.lease_until }));
      }),

    async untilOverdue() {
      const [first] = await database.systemStatement<{ ms: number | null }>(untilOverdue, [], acrossOrganisations);
      return first?.ms ?? undefined;
    },

    forget: (endedBefore) =>
      database.system(acrossOrganisations, async (trx) => {
        await trx('kernels').where('ended_at', '<', endedBefore).delete();
      }),
  };
}

/** Also of no kernels: a replica that could not have renewed any judges nobody. */
const renewKernels = {
  name: 'renew-kernels',
  text: `
    UPDATE kernels k SET lease_until = now() + make_interval(secs => $1), state = r.state, last_activity = r.last_activity, connections = r.connections
    FROM jsonb_to_recordset($2::jsonb) AS r (organisation_id text, id uuid, state text, last_activity timestamptz, connections integer)
    WHERE k.organisation_id = r.organisation_id AND k.id = r.id AND k.node_id = $3 AND k.ended_at IS NULL
    RETURNING k.id`,
};

const untilOverdue = {
  name: 'first-overdue-kernel',
  text: 'SELECT (extract(epoch FROM min(lease_until) - now()) * 1000)::float8 AS ms FROM kernels WHERE ended_at IS NULL',
};

/** As long as its replica wants, by the clock of PostgreSQL, which judges it as well. */
const leaseOf = (trx: Knex.Transaction, { leaseUntil, lastActivity }: Kernel) =>
  trx.raw('now() + make_interval(secs => ?)', [(leaseUntil.getTime() - lastActivity.getTime()) / 1000]);

interface UsedKernel {
  readonly kernel: Kernel;
  readonly use: KernelUse;
}

/** What is unchanged is the same object, and is not saved. */
const withUse = <Result>(
  before: UsedKernel,
  { state: kernel, ...decision }: Decision<Kernel, NotebooksEvent, Result>,
): Decision<UsedKernel, NotebooksEvent, Result> => ({
  ...decision,
  state: kernel === before.kernel ? before : { ...before, kernel },
});

/** What an organisation has of kernels, which nobody else changes meanwhile. */
async function lockUse(trx: Knex.Transaction, organisationId: string, since: Date): Promise<KernelUse> {
  await advisoryLock(trx, `kernels of ${organisationId}`);
  const counts = trx('kernels')
    .where({ organisation_id: organisationId })
    .select([
      trx.raw('count(*) FILTER (WHERE ended_at IS NULL)::int AS alive'),
      trx.raw('count(*) FILTER (WHERE started_at > ? AND is_charged)::int AS started', [since]),
    ]);
  const [use] = (await counts) as unknown as { alive: number; started: number }[];
  return { alive: use?.alive ?? 0, startedInLastMinute: use?.started ?? 0 };
}

/** Their sessions go with them; a kernel that runs still ends when its replica asks for its lease. */
export const removeKernels = (trx: Knex.Transaction, organisationId: string) =>
  trx('kernels').where({ organisation_id: organisationId }).delete();

const rows = (trx: Knex.Transaction, organisationId: string, kernelId: string) =>
  trx('kernels').where({ organisation_id: organisationId, id: kernelId });

async function save(trx: Knex.Transaction, organisationId: string, kernel: Kernel): Promise<void> {
  await rows(trx, organisationId, kernel.id).update(kernelColumns.write(kernel));
  if (kernel.state !== 'stopped') return;
  await trx('kernel_sessions').where({ organisation_id: organisationId, kernel_id: kernel.id }).delete();
}

const load = (query: Knex.QueryBuilder): Promise<Kernel> =>
  firstOrThrow(query.whereNot({ state: 'stopped' }), kernelColumns, kernelNotFound);
