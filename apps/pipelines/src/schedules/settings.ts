import { integer } from '@platform-backend/core';

export const scheduleSettings = {
  PIPELINES_SCHEDULE_SECONDS: integer({
    default: 1,
    min: 1,
    max: 60,
    description: 'how often schedules are looked at',
  }),
};
