import { type ActorContext, serviceActorContext } from '@platform-backend/core';
import { untilFirst, type Database, type Knex } from '@platform-backend/postgres';
import { dueNow, firstDue, type CatchUp, type ScheduleSpec, type ScheduleOwner } from '../domain/schedule.ts';
import type { DueSchedule, Schedules } from '../domain/schedules.ts';
import type { Timetable } from '../domain/timetable.ts';

interface ScheduleRow {
  owner_kind: ScheduleOwner['kind'];
  owner_id: string;
  organisation_id: string;
  cron: string;
  time_zone: string;
  starts_at: Date | null;
  catch_up: CatchUp;
  next_at: Date | null;
  look_at: Date | null;
}

/** What an owner does when it is due, in the transaction that writes down that it was; not twice for one time. */
export type OnDue = (
  trx: Knex.Transaction,
  by: ActorContext,
  due: { readonly ownerId: string; readonly dueAt: Date },
) => Promise<unknown>;

/** Sets the schedule of an owner in the transaction in which the owner changes; null ends it. */
export type SetSchedule = (
  trx: Knex.Transaction,
  organisationId: string,
  owner: ScheduleOwner,
  spec: ScheduleSpec | null,
  at: Date,
) => Promise<void>;

/** As long as the spec stays the same, what is due stays due. */
export const setSchedule =
  (timetable: Timetable): SetSchedule =>
  async (trx, organisationId, owner, spec, at) => {
    const row = await scheduleOf(trx, organisationId, owner).forUpdate().first();
    if (!spec) {
      if (row) await scheduleOf(trx, organisationId, owner).delete();
      return;
    }
    if (row && isSame(scheduleSpecOf(row), spec)) return;
    const nextAt = firstDue(spec, at, timetable);
    await trx<ScheduleRow>('schedules')
      .insert({
        owner_kind: owner.kind,
        owner_id: owner.id,
        organisation_id: organisationId,
        cron: spec.cron,
        time_zone: spec.timeZone,
        starts_at: spec.startsAt,
        catch_up: spec.catchUp,
        next_at: nextAt,
        look_at: nextAt,
      })
      .onConflict(['owner_kind', 'owner_id'])
      .merge();
  };

/** When each of these owners is due next; those without a schedule are missing. */
export async function nextTimesOf(
  trx: Knex.Transaction,
  organisationId: string,
  kind: ScheduleOwner['kind'],
  ownerIds: readonly string[],
): Promise<ReadonlyMap<string, Date>> {
  const rows = await trx<ScheduleRow>('schedules')
    .where({ organisation_id: organisationId, owner_kind: kind })
    .whereIn('owner_id', ownerIds)
    .whereNotNull('next_at')
    .select('owner_id', 'next_at');
  return new Map(rows.map(({ owner_id: ownerId, next_at: nextAt }) => [ownerId, nextAt as Date]));
}

export const removeSchedules = async (trx: Knex.Transaction, organisationId: string): Promise<void> => {
  for (const table of ['schedule_fires', 'schedules'])
    await trx(table).where({ organisation_id: organisationId }).delete();
};

/** Schedules in PostgreSQL, of owners of any kind. */
export const schedulesStore = (
  database: Database,
  timetable: Timetable,
  onDue: Readonly<Record<ScheduleOwner['kind'], OnDue>>,
): Schedules => ({
  untilDue: (at) => untilFirst(database, { table: 'schedules', column: 'look_at', settings: DUE }, at),

  async due(at, limit) {
    const rows = await database.systemStatement<ScheduleRow>(dueSchedules, [at, limit], DUE);
    return rows.map((row) => ({ organisationId: row.organisation_id, owner: ownerOf(row) }));
  },

  fire: ({ organisationId, owner }, at, requestId) =>
    database.tenant(organisationId, async (trx) => {
      const row = await scheduleOf(trx, organisationId, owner)
        .where('look_at', '<=', at)
        .forUpdate()
        .skipLocked()
        .first();
      if (!row?.next_at) return undefined;
      const { times, nextAt } = dueNow(scheduleSpecOf(row), row.next_at, at, timetable);
      const fired = await writeFires(trx, { organisationId, owner }, times);
      const by = serviceActorContext('pipelines', organisationId, requestId);
      for (const dueAt of fired) await onDue[owner.kind](trx, by, { ownerId: owner.id, dueAt });
      await scheduleOf(trx, organisationId, owner).update({ next_at: nextAt, look_at: nextAt });
      return fired.length;
    }),

  snooze: ({ organisationId, owner }, until) =>
    database.tenant(organisationId, async (trx) => {
      await scheduleOf(trx, organisationId, owner).whereNotNull('look_at').update({ look_at: until });
    }),

  forgetFired: (before) =>
    database.system({ 'app.schedules': 'forget' }, async (trx) => {
      await trx('schedule_fires').where('due_at', '<', before).delete();
    }),
});

/** Answers the times that nobody has written before. */
async function writeFires(
  trx: Knex.Transaction,
  { organisationId, owner }: DueSchedule,
  times: readonly Date[],
): Promise<readonly Date[]> {
  if (times.length === 0) return [];
  const rows: { due_at: Date }[] = await trx('schedule_fires')
    .insert(
      times.map((dueAt) => ({
        owner_kind: owner.kind,
        owner_id: owner.id,
        due_at: dueAt,
        organisation_id: organisationId,
      })),
    )
    .onConflict()
    .ignore()
    .returning('due_at');
  return rows.map(({ due_at: dueAt }) => dueAt);
}

const scheduleOf = (trx: Knex.Transaction, organisationId: string, { kind, id }: ScheduleOwner) =>
  trx<ScheduleRow>('schedules').where({ organisation_id: organisationId, owner_kind: kind, owner_id: id });

const ownerOf = (row: Pick<ScheduleRow, 'owner_kind' | 'owner_id'>): ScheduleOwner => ({
  kind: row.owner_kind,
  id: row.owner_id,
});

const scheduleSpecOf = (row: ScheduleRow): ScheduleSpec => ({
  cron: row.cron,
  timeZone: row.time_zone,
  startsAt: row.starts_at,
  catchUp: row.catch_up,
});

const isSame = (one: ScheduleSpec, other: ScheduleSpec): boolean =>
  one.cron === other.cron &&
  one.timeZone === other.timeZone &&
  one.startsAt?.getTime() === other.startsAt?.getTime() &&
  one.catchUp === other.catchUp;

/** Opens those of all organisations. */
const DUE = { 'app.schedules': 'due' };

/** Asked every second, by each replica, while there is something to do: one round trip. */
const dueSchedules = {
  name: 'due-schedules',
  text: 'SELECT organisation_id, owner_kind, owner_id FROM schedules WHERE look_at <= $1 ORDER BY look_at LIMIT $2',
};
