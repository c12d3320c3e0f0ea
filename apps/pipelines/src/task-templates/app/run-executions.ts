import {
  DomainError,
  includesLevel,
  inParallel,
  isUnavailable,
  newId,
  serviceActorContext,
  type Clock,
  type Logger,
} from '@platform-backend/core';
import type { DueItem, FindMembers } from '../../notifications/domain/notifications.ts';
import { hearReply, postponeExecution, refuseExecution, takeExecution } from '../domain/task-execution.ts';
import type { AskAssistant, TaskExecutions } from '../domain/task-templates.ts';

export interface RunExecutionPorts {
  readonly executions: TaskExecutions;
  readonly askAssistant: AskAssistant;
  readonly findMembers: FindMembers;
  readonly clock: Clock;
}

const ROUND = 100;
const AT_ONCE = 8;
const FORGET_AFTER_MS = 90 * 24 * 60 * 60_000;

/**
 * One round of looking after executions: asks assistants, and hears what they have answered. Replicas share it; what one had
 * when it died, another one takes over when its lease is up, and asks for the same turn. Answers how many there were.
 */
export async function runExecutions(ports: RunExecutionPorts, logger: Logger, stopping: AbortSignal): Promise<number> {
  const due = await ports.executions.due(ports.clock.now(), ROUND);
  await inParallel(due, { atOnce: AT_ONCE, stopping }, (one) => runExecution(ports, one, logger));
  return due.length;
}

async function runExecution(ports: RunExecutionPorts, due: DueItem, logger: Logger): Promise<void> {
  const { executions, clock } = ports;
  const by = serviceActorContext('pipelines', due.organisationId, newId());
  const taken = await executions.take(due, (execution) => takeExecution(execution, newId(), clock.now()));
  const turnId = taken?.execution.turnId;
  if (!turnId) return;
  const { task } = taken;
  try {
    const [owner] = await ports.findMembers(by, [task.memberId]);
    if (!owner || !includesLevel(owner.level, 'EDITOR')) {
      const error = 'The member who created the template may not execute it any more';
      await executions.update(by, due.id, (found) => refuseExecution(found, turnId, error, clock.now()));
      return;
    }
    const reply = await ports.askAssistant(by, { turnId, task, level: owner.level });
    await executions.update(by, due.id, (found) => hearReply(found, turnId, reply, clock.now()));
  } catch (error) {
    if (error instanceof DomainError && !isUnavailable(error) && isRefusal(error)) {
      const { message } = error;
      await executions.update(by, due.id, (found) => refuseExecution(found, turnId, message, clock.now()));
      return;
    }
    logger.warn(
      { event: 'task_execution.interrupted', err: error, ...due },
      'an execution could not go on now, trying again',
    );
    await executions.update(by, due.id, (found) => postponeExecution(found, turnId, clock.now()));
  }
}

/** What asking again would not change. */
const isRefusal = ({ kind }: DomainError): boolean =>
  ['invalid', 'payment_required', 'forbidden', 'not_found', 'conflict', 'too_large'].includes(kind);

/** Forgets executions that have long been finished. */
export const forgetExecutions = ({ executions, clock }: RunExecutionPorts): Promise<void> =>
  executions.forget(new Date(clock.now().getTime() - FORGET_AFTER_MS));
