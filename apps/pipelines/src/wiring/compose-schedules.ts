import { newId } from '@platform-backend/core';
import type { ServiceContext, PeriodicJob } from '@platform-backend/service';
import { fireSchedules, forgetFired } from '../schedules/app/fire-schedules.ts';
import type { ScheduleOwner } from '../schedules/domain/schedule.ts';
import { schedulesStore, setSchedule, type OnDue } from '../schedules/store/schedules-store.ts';
import { cronTimetable } from '../schedules/timetable/cron-timetable.ts';
import type { service } from '../service.ts';

/** What owners of schedules need. */
export const scheduling = { timetable: cronTimetable, setSchedule: setSchedule(cronTimetable) };

const HOUR_MS = 60 * 60_000;

/** Schedules of owners of any kind: who is due, and when. */
export function composeSchedules(
  { storage, clock, logger, settings }: ServiceContext<typeof service.declaration>,
  onDue: Readonly<Record<ScheduleOwner['kind'], OnDue>>,
) {
  const ports = { schedules: schedulesStore(storage.database, cronTimetable, onDue), clock, newId };
  const repeated: readonly PeriodicJob[] = [
    {
      name: 'the firing of schedules',
      everyMs: settings.PIPELINES_SCHEDULE_SECONDS * 1000,
      run: (stopping) => fireSchedules(ports, logger, stopping),
    },
    { name: 'the forgetting of fired times', everyMs: HOUR_MS, run: () => forgetFired(ports) },
  ];
  return { repeated };
}
