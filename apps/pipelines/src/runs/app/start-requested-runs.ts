import { DomainError, isUnavailable, type Clock, type Logger, serviceActorContext } from '@platform-backend/core';
import type { RunRequest, RunRequests } from '../domain/run-requests.ts';
import type { RunUseCases } from './runs.ts';

export interface RequestedPorts {
  readonly requests: RunRequests;
  readonly app: Pick<RunUseCases, 'start' | 'refuse'>;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'warn'>;
}

const AT_ONCE = 50;
const AGAIN_AFTER_MS = 30_000;

/**
 * Starts what schedules and events have asked for. What is refused, for want of credits say, is given up and has failed;
 * what cannot be started now is tried again.
 */
export async function startRequestedRuns(ports: RequestedPorts, stopping: AbortSignal): Promise<void> {
  const { requests, clock } = ports;
  while (!stopping.aborted) {
    const at = clock.now();
    const taken = await requests.take(at, new Date(at.getTime() + AGAIN_AFTER_MS), AT_ONCE);
    await Promise.all(taken.map((request) => startOne(ports, request)));
    if (taken.length < AT_ONCE) return;
  }
}

async function startOne(ports: RequestedPorts, request: RunRequest): Promise<void> {
  const { id: runId, pipelineId } = request;
  try {
    await start(ports, request);
    await ports.requests.done(request);
  } catch (error) {
    ports.logger.warn(
      { event: 'run.start_postponed', err: error, runId, pipelineId },
      'a run could not be started yet',
    );
  }
}

async function start({ app, logger }: RequestedPorts, request: RunRequest): Promise<void> {
  const { id: runId, organisationId, pipelineId, trigger } = request;
  const by = serviceActorContext('pipelines', organisationId, runId);
  try {
    await app.start(by, { runId, pipelineId, trigger });
  } catch (error) {
    if (!(error instanceof DomainError) || isUnavailable(error)) throw error;
    logger.warn({ event: 'run.start_refused', err: error, runId, pipelineId }, 'a run is not started');
    await app.refuse(by, { runId, pipelineId, trigger }, error.message);
  }
}
