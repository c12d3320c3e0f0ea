import { formerly, integer } from '@platform-backend/core';

/** How many runs of notebooks there may be, and what one of them may take. */
export const notebookRunSettings = {
  NOTEBOOKS_RUN_CONCURRENCY: formerly(
    'NOTEBOOKS_RUNS_AT_ONCE',
    integer({
      default: 10,
      min: 0,
      max: 1_000,
      description: 'runs of notebooks that a replica carries out at once; 0: it leaves them to others',
    }),
  ),
  NOTEBOOKS_RUNS_PER_ORGANISATION: integer({
    default: 100,
    min: 1,
    max: 100_000,
    description: 'runs of an organisation that are not over; further ones are refused',
  }),
  NOTEBOOKS_RUN_SECONDS: integer({
    default: 3_600,
    min: 1,
    max: 86_400,
    description: 'longest run, all its cells together',
  }),
  NOTEBOOKS_RUN_OUTPUT_MB: integer({
    default: 12,
    min: 1,
    max: 64,
    description: 'what all cells of a run may show, in its result',
  }),
  NOTEBOOKS_RUN_LEASE_SECONDS: integer({
    default: 30,
    min: 3,
    max: 3_600,
    description: 'what a killed replica costs a run that it carried out',
  }),
  NOTEBOOKS_RUN_RETENTION_DAYS: integer({
    default: 365,
    min: 1,
    max: 36_500,
    description: 'when a run that is over is removed, with its result',
  }),
  NOTEBOOKS_RUN_ATTEMPTS: integer({
    default: 3,
    min: 1,
    max: 100,
    description: 'how often a run is begun when what carries it out is lost',
  }),
};
