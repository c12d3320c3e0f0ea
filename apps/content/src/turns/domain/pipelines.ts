import type { ActorContext } from '@platform-backend/core';
import type { Payer } from '../../credits/domain/credits.ts';

/** What an assistant has to know of a pipeline to start it. */
export interface Pipeline {
  readonly id: string;
  readonly name: string;
  readonly description: string;
}

/** How far a run is. */
export interface PipelineRun {
  readonly id: string;
  readonly status: string;
  /** Nothing of it changes any more. */
  readonly isOver: boolean;
  /** Why it ended as it did; empty unless something went wrong. */
  readonly message: string;
  readonly steps: readonly { readonly name: string; readonly status: string; readonly message: string }[];
  /** The datasets that it makes, by their names or ids. */
  readonly makes: readonly string[];
}

/** The organisation's pipelines, which another service keeps. UNAVAILABLE: it is away. */
export interface Pipelines {
  readonly find: (by: ActorContext, id: string) => Promise<Pipeline | undefined>;
  /** The newest ones, at most so many. */
  readonly list: (by: ActorContext, limit: number) => Promise<readonly Pipeline[]>;
  /**
   * Starts the current version in the name of who asks; once for each task, however often it is asked. NOT_FOUND: unknown
   * pipeline. CONFLICT: archived, or nothing published. PAYMENT_REQUIRED: too few credits.
   */
  readonly start: (by: Payer, pipelineId: string, taskId: string) => Promise<PipelineRun>;
  /** NOT_FOUND: unknown. */
  readonly readRun: (by: ActorContext, pipelineId: string, runId: string) => Promise<PipelineRun>;
}
