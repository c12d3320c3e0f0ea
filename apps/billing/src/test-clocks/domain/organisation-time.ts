import type { Clock } from '@platform-backend/core';
import { everybody, type ForRealTime } from './schedule-scope.ts';

/**
 * For so long the answer that an organisation has no clock may be old, in milliseconds: whoever has one created by another
 * replica goes by the real time meanwhile, which a new clock shows as well.
 */
export const unheardMs = 1_000;

/** What time it is for each organisation. */
export interface OrganisationTime {
  /** Of the organisation for which something is being done; otherwise the real one. */
  readonly clock: Clock;
  /** Does something by the time of an organisation, as it is when this begins. */
  by<Answer>(organisationId: string, work: () => Promise<Answer>): Promise<Answer>;
  readonly forRealTime: ForRealTime;
  /** Who has a clock is asked anew. */
  forget(): void;
}

/** All go by the real time: there are no test clocks. */
export const realTimeAlone = (clock: Clock): OrganisationTime => ({
  clock,
  by: (_organisationId, work) => work(),
  forRealTime: (round) => round(everybody),
  forget: () => undefined,
});
