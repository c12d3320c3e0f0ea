import type { Run, RunTrigger } from './run.ts';

/** A run that something other than a person has asked for. */
export interface RunRequest {
  /** The run's id: started twice, it is one run. */
  readonly id: string;
  readonly organisationId: string;
  readonly pipelineId: string;
  readonly trigger: RunTrigger;
  /** As of a run. */
  readonly eventChain: Run['eventChain'];
  /** Runs that the same schedule has started before are cancelled first. */
  readonly cancelsOthers: boolean;
}

/** A request whose start somebody is at. */
export interface TakenRequest extends RunRequest {
  readonly requestedAt: Date;
  /** How often somebody was at it, this time included. */
  readonly attempts: number;
  /** Of what has asked for it. */
  readonly requestId: string;
}

/** Where such requests wait until they are started. */
export interface RunRequests {
  /** In how many milliseconds the first one is due; undefined: none will be. */
  readonly untilDue: (at: Date) => Promise<number | undefined>;
  /**
   * Takes some that are due, organisation by organisation in turn. Unless they are done by then, they are due again after a
   * while, which grows with the number of attempts.
   */
  take(at: Date, limit: number): Promise<readonly TakenRequest[]>;
  done(request: RunRequest): Promise<void>;
  /** Nobody is at it any more, until it is due again: what happens meanwhile asks for no other one. */
  postpone(request: RunRequest): Promise<void>;
}
