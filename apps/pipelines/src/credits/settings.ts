import { integer } from '@platform-backend/core';

export const creditSettings = {
  PIPELINES_MICROS_PER_STEP_SECOND: integer({
    default: 1000,
    min: 0,
    max: 1_000_000,
    description: 'what a second of a step costs, in millionths of a credit; 0 asks billing for nothing',
  }),
};
