import type { Area } from '@platform-backend/service';
import type { PipelinesContext, service } from '../service.ts';
import { fireSchedules, forgetFired } from './app/fire-schedules.ts';
import type { ScheduleOwner } from './domain/schedule.ts';
import { removeSchedules, schedulesStore, setSchedule, type OnDue } from './store/schedules-store.ts';
import { cronTimetable as timetable } from './timetable/cron-timetable.ts';

export type SchedulesExports = ReturnType<typeof schedulesArea>['exports'];

const HOUR_MS = 60 * 60_000;

/** Schedules of owners of any kind: who is due, and when. */
export const schedulesArea = (
  { storage, clock, logger, settings }: PipelinesContext,
  { onDue }: { readonly onDue: Readonly<Record<ScheduleOwner['kind'], OnDue>> },
) => {
  const ports = { schedules: schedulesStore(storage.database, timetable, onDue), clock };
  return {
    jobs: [
      {
        name: 'the firing of schedules',
        everyMs: settings.PIPELINES_SCHEDULE_SECONDS * 1000,
        run: (stopping) => fireSchedules(ports, logger, stopping),
        untilDueMs: () => ports.schedules.untilDue(clock.now()),
      },
      { name: 'the forgetting of fired times', everyMs: HOUR_MS, run: () => forgetFired(ports) },
    ],
    removeOrganisation: removeSchedules,
    exports: { timetable, setSchedule: setSchedule(timetable) },
  } satisfies Area<typeof service.declaration>;
};
