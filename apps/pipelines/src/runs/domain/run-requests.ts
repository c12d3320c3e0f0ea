import type { RunTrigger } from './run.ts';

/** A run that something other than a person has asked for. */
export interface RunRequest {
  /** The run's id: started twice, it is one run. */
  readonly id: string;
  readonly organisationId: string;
  readonly pipelineId: string;
  readonly trigger: RunTrigger;
}

/** Where such requests wait until they are started. */
export interface RunRequests {
  /** Takes some that are due; they are due again at `lookAgainAt` unless they are done by then. */
  take(at: Date, lookAgainAt: Date, limit: number): Promise<readonly RunRequest[]>;
  done(request: RunRequest): Promise<void>;
}
