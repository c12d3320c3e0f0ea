import { DomainError, isUnavailable, type Clock, type Logger, serviceActorContext } from '@platform-backend/core';
import { REQUEST_ATTEMPTS, REQUEST_GIVE_UP_MS } from '../domain/limits.ts';
import type { RunRequests, TakenRequest } from '../domain/run-requests.ts';
import type { RunUseCases } from './runs.ts';

export interface RequestedPorts {
  readonly requests: RunRequests;
  readonly app: Pick<RunUseCases, 'start' | 'refuse' | 'cancelScheduled'>;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'warn'>;
}

const AT_ONCE = 50;

/**
 * Starts what schedules and events have asked for. What is refused, for want of credits say, is given up and has failed;
 * what cannot be started now is tried again, for a day. Answers how many there were.
 */
export async function startRequestedRuns(ports: RequestedPorts, stopping: AbortSignal): Promise<number> {
  const { requests, clock } = ports;
  let found = 0;
  while (!stopping.aborted) {
    const taken = await requests.take(clock.now(), AT_ONCE);
    await Promise.all(taken.map((request) => startOne(ports, request)));
    found += taken.length;
    if (taken.length < AT_ONCE) break;
  }
  return found;
}

async function startOne(ports: RequestedPorts, request: TakenRequest): Promise<void> {
  const { requests, clock, logger } = ports;
  const { id: runId, pipelineId, requestedAt, attempts } = request;
  try {
    await start(ports, request);
    await requests.done(request);
  } catch (error) {
    const postponed = (err: unknown): void =>
      logger.warn({ event: 'run.start_postponed', err, runId, pipelineId }, 'a run could not be started yet');
    postponed(error);
    const isOld = clock.now().getTime() - requestedAt.getTime() >= REQUEST_GIVE_UP_MS;
    const isGivenUp = isOld && attempts >= REQUEST_ATTEMPTS;
    await (isGivenUp ? giveUp(ports, request, error) : requests.postpone(request)).catch(postponed);
  }
}

async function start(ports: RequestedPorts, request: TakenRequest): Promise<void> {
  const { organisationId, id: runId, pipelineId, trigger, eventChain, requestId } = request;
  const by = serviceActorContext('pipelines', organisationId, requestId);
  try {
    await ports.app.start(by, { runId, pipelineId, trigger, eventChain });
  } catch (error) {
    if (!(error instanceof DomainError) || isUnavailable(error)) throw error;
    await refuse(ports, request, error, error.message);
    return;
  }
  // Only now: one that is refused takes nobody's place.
  if (request.cancelsOthers) await ports.app.cancelScheduled(by, pipelineId, runId);
}

/** Ends a request whatever comes of it: only what cannot even be removed is tried once more. */
async function giveUp(ports: RequestedPorts, request: TakenRequest, error: unknown): Promise<void> {
  const reason = error instanceof DomainError ? error.message : 'what it needs could not be reached';
  try {
    await refuse(ports, request, error, `${reason}, for a day`);
  } finally {
    await ports.requests.done(request);
  }
}

async function refuse({ app, logger }: RequestedPorts, request: TakenRequest, err: unknown, reason: string) {
  const { organisationId, id: runId, pipelineId, trigger, eventChain, requestId } = request;
  logger.warn({ event: 'run.start_refused', err, runId, pipelineId }, 'a run is not started');
  const by = serviceActorContext('pipelines', organisationId, requestId);
  await app.refuse(by, { runId, pipelineId, trigger, eventChain }, reason);
}
