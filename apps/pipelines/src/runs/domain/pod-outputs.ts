import { idOf } from '@platform-backend/core';

/** As many as pods of a step may fill without telling anybody. */
export const OUTPUT_LOCATIONS = 4;

/** The version that becomes of what a pod puts there: the same whenever it is asked, so that later steps know it. */
export const outputVersionId = (runId: string, stepIndex: number, location: number): string =>
  idOf(['output of a step', runId, String(stepIndex), String(location)]);
