import { decided, unchanged, type Decision } from '@platform-backend/core';
import type { PipelinesEvent } from '../../events.ts';
import type { TaskTemplate } from './task-template.ts';

export type ExecutionStatus = 'PENDING' | 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'SKIPPED';

/** What the template said when the execution began. */
export type GivenTask = Pick<TaskTemplate, 'name' | 'instruction' | 'assignee' | 'entities' | 'memberId'>;

/** One time that an assistant is given the instruction. */
export interface TaskExecution {
  readonly id: string;
  readonly taskTemplateId: string;
  readonly status: ExecutionStatus;
  readonly trigger: 'SCHEDULE' | 'MANUAL';
  readonly dueAt: Date | null;
  /** How often the assistant was asked; each time is a turn of its own. */
  readonly attempts: number;
  readonly turnId: string | null;
  readonly conversationId: string | null;
  readonly messageId: string | null;
  /** Up to 100,000 characters. */
  readonly answer: string;
  readonly error: string | null;
  readonly createdAt: Date;
  readonly startedAt: Date | null;
  /** When the assistant was first asked for the present turn. */
  readonly attemptStartedAt: Date | null;
  readonly finishedAt: Date | null;
  /** When somebody has to look after it; null once it is finished. */
  readonly nextCheckAt: Date | null;
}

/** How far the assistant is. */
export interface TaskReply {
  readonly conversationId: string;
  readonly messageId: string;
  readonly isFinished: boolean;
  /** There is no answer, and the text says why. */
  readonly hasFailed: boolean;
  readonly text: string;
}

interface Begun {
  readonly id: string;
  readonly trigger: TaskExecution['trigger'];
  readonly dueAt: Date | null;
  /** An earlier one goes on still. */
  readonly isBusy: boolean;
}

const SECOND = 1_000;
/** How long whoever looks after one has it to itself. */
const LEASE_MS = 60 * SECOND;
const POLL_MS = SECOND;
const RETRY_MS = 20 * SECOND;
/** From its start on an attempt takes no longer, and the other parts of the platform may be away no longer. */
const ATTEMPT_MS = 60 * 60 * SECOND;
const MAX_ATTEMPTS = 3;

/** Begins an execution, or writes down that it was skipped. */
export function beginExecution(
  template: TaskTemplate,
  { id, trigger, dueAt, isBusy }: Begun,
  at: Date,
): Decision<TaskExecution, PipelinesEvent> {
  const begun: TaskExecution = {
    id,
    taskTemplateId: template.id,
    status: 'PENDING',
    trigger,
    dueAt,
    attempts: 0,
    turnId: null,
    conversationId: null,
    messageId: null,
    answer: '',
    error: null,
    createdAt: at,
    startedAt: null,
    attemptStartedAt: null,
    finishedAt: null,
    nextCheckAt: at,
  };
  if (isBusy && template.overlap === 'SKIP') {
    const error = 'An earlier execution was still going on';
    const skipped: TaskExecution = { ...begun, status: 'SKIPPED', error, finishedAt: at, nextCheckAt: null };
    return decided(skipped);
  }
  const data = { task_template_id: template.id, execution_id: id };
  const change = { before: null, after: { execution_id: id, trigger } };
  return decided(begun, { name: 'task_template.fired', subject: template.id, at, data, change });
}

/** Somebody looks after it now: what was not begun begins. Null: there is nothing to do now. */
export function takeExecution(execution: TaskExecution, turnId: string, at: Date): TaskExecution | null {
  if (!execution.nextCheckAt || execution.nextCheckAt > at) return null;
  const taken = { ...execution, nextCheckAt: later(at, LEASE_MS) };
  if (execution.status !== 'PENDING') return taken;
  return {
    ...taken,
    status: 'RUNNING',
    attempts: execution.attempts + 1,
    turnId,
    startedAt: execution.startedAt ?? at,
    attemptStartedAt: at,
  };
}

/** What the assistant says of the turn that is running; of an earlier one it says nothing new. */
export function hearReply(
  execution: TaskExecution,
  turnId: string,
  reply: TaskReply,
  at: Date,
): Decision<TaskExecution, never> {
  if (!isRunning(execution, turnId)) return unchanged(execution);
  const { conversationId, messageId, isFinished, hasFailed, text } = reply;
  const heard = { ...execution, conversationId, messageId };
  if (!isFinished && isTooLate(execution, at))
    return decided(ended({ ...heard, error: 'The assistant was not done within an hour' }, 'FAILED', at));
  if (!isFinished) return decided({ ...heard, nextCheckAt: later(at, POLL_MS) });
  if (!hasFailed) return decided(ended({ ...heard, answer: text }, 'SUCCEEDED', at));
  if (execution.attempts >= MAX_ATTEMPTS) return decided(ended({ ...heard, error: text }, 'FAILED', at));
  return decided({ ...heard, status: 'PENDING', nextCheckAt: later(at, RETRY_MS * execution.attempts) });
}

/** It cannot be done, whoever asks again. */
export const refuseExecution = (
  execution: TaskExecution,
  turnId: string,
  error: string,
  at: Date,
): Decision<TaskExecution, never> =>
  isRunning(execution, turnId) ? decided(ended({ ...execution, error }, 'FAILED', at)) : unchanged(execution);

/** Another part of the platform is away: the same turn is asked for again, for an hour. */
export function postponeExecution(execution: TaskExecution, turnId: string, at: Date): Decision<TaskExecution, never> {
  if (!isRunning(execution, turnId)) return unchanged(execution);
  if (isTooLate(execution, at)) {
    return decided(ended({ ...execution, error: 'The assistant could not be reached' }, 'FAILED', at));
  }
  return decided({ ...execution, nextCheckAt: later(at, RETRY_MS / 4) });
}

const isTooLate = ({ attemptStartedAt, createdAt }: TaskExecution, at: Date): boolean =>
  at.getTime() - (attemptStartedAt ?? createdAt).getTime() > ATTEMPT_MS;

const isRunning = ({ status, turnId }: TaskExecution, ofTurn: string): boolean =>
  status === 'RUNNING' && turnId === ofTurn;

const ended = (
  execution: TaskExecution,
  status: Extract<ExecutionStatus, 'SUCCEEDED' | 'FAILED'>,
  at: Date,
): TaskExecution => ({ ...execution, status, finishedAt: at, nextCheckAt: null });

const later = (at: Date, ms: number): Date => new Date(at.getTime() + ms);
