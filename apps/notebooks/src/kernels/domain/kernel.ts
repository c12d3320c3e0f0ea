import { decided, unchanged, type Decision } from '@platform-backend/core';
import type { NotebooksEvent } from '../../events.ts';
import { kernelDead, kernelLimitReached, kernelStartsLimitReached } from './errors.ts';

/** As Jupyter says it. */
export type ExecutionState = 'starting' | 'idle' | 'busy' | 'restarting' | 'dead';

/**
 * Why the platform ended a kernel: nobody uses it, it is as old as it may become, nothing is left to pay with, or nobody
 * could say for too long whether anything is.
 */
export type CullReason = 'idle' | 'lifetime' | 'credits' | 'unreserved';

/** The same, for people. */
export const cullMessages: Readonly<Record<CullReason, string>> = {
  idle: 'Nobody used it',
  lifetime: 'It was as old as a kernel may become',
  credits: 'There are too few credits for its next minute',
  unreserved: 'No credits could be set aside for its minutes for too long',
};

/** Why a replica ends a kernel that others take for dead. */
export const leaseLost = 'Its replica was not heard of in time';

/** A kernel that somebody has started. It lives in one replica, which holds a lease. */
export interface Kernel {
  readonly id: string;
  /** Its kind: `python3`. */
  readonly spec: string;
  readonly notebookId: string | null;
  /** Whose credits and limits it counts against, within the organisation. */
  readonly userId: string | null;
  readonly clientGroupId: string | null;
  readonly apiKeyId: string | null;
  /** The replica that it lives in, and where that one is reached; empty where nobody has said so. */
  readonly nodeId: string;
  readonly nodeAddress: string;
  /** From then on it is dead, unless its replica has said meanwhile that it is not. */
  readonly leaseUntil: Date;
  /** `stopped`: somebody ended it, and nobody finds it any more. */
  readonly state: ExecutionState | 'stopped';
  readonly lastActivity: Date;
  /** Clients connected now. */
  readonly connections: number;
  readonly startedAt: Date;
  readonly endedAt: Date | null;
  /** Its minutes are owed; those of a pipeline's step are paid for with the step. */
  readonly isCharged: boolean;
  /** Minutes that are counted and owed, from the start on. */
  readonly billedMinutes: number;
}

export type NewKernel = Pick<
  Kernel,
  | 'id'
  | 'spec'
  | 'notebookId'
  | 'userId'
  | 'clientGroupId'
  | 'apiKeyId'
  | 'nodeId'
  | 'nodeAddress'
  | 'leaseUntil'
  | 'isCharged'
>;

/** What an organisation has and may have of kernels. */
export interface KernelUse {
  readonly alive: number;
  /** Without those of pipelines' steps. */
  readonly startedInLastMinute: number;
}
export interface KernelAllowance {
  readonly kernels: number;
  readonly startsPerMinute: number;
}

type KernelDecision = Decision<Kernel, NotebooksEvent>;

export const isAlive = ({ state }: Pick<Kernel, 'state'>): boolean => state !== 'dead' && state !== 'stopped';

/** Makes room for a kernel. It is told of when it has really started. */
export function startKernel(wanted: NewKernel, use: KernelUse, allowed: KernelAllowance, at: Date): KernelDecision {
  if (use.alive >= allowed.kernels) {
    throw kernelLimitReached({ alive: use.alive });
  }
  // A step is one of as many as its pipeline may have at once, and would wait a minute for the next start.
  if (wanted.isCharged && use.startedInLastMinute >= allowed.startsPerMinute) {
    throw kernelStartsLimitReached();
  }
  const kernel: Kernel = {
    ...wanted,
    state: 'starting',
    lastActivity: at,
    connections: 0,
    startedAt: at,
    endedAt: null,
    billedMinutes: 0,
  };
  return decided(kernel);
}

/**
 * Begins a kernel anew that has died: its id and its minutes go on where they were, and it counts against what there may be. It is
 * owed like any that a person starts, also where the one before was paid for with a step. Undefined: somebody has begun it already.
 */
export function reviveKernel(
  kernel: Kernel,
  where: Pick<Kernel, 'nodeId' | 'nodeAddress' | 'leaseUntil'>,
  use: KernelUse,
  allowed: KernelAllowance,
  at: Date,
): Decision<Kernel, NotebooksEvent, Kernel | undefined> {
  if (kernel.state !== 'dead') return { ...unchanged(kernel), result: undefined };
  const startedAt = new Date(at.getTime() - kernel.billedMinutes * MINUTE_MS);
  const begun = startKernel({ ...kernel, ...where, isCharged: true }, use, allowed, at).state;
  return decided({ ...begun, startedAt, billedMinutes: kernel.billedMinutes });
}

/** What a minute of a kernel costs, from 0 on, and when it began; nothing where it costs nothing. */
export type MinuteDebits = (kernel: Kernel, minute: number, at: Date) => NotebooksEvent | readonly NotebooksEvent[];

const MINUTE_MS = 60_000;

/** How many minutes of it have begun by then. */
export const minutesBegun = ({ startedAt }: Pick<Kernel, 'startedAt'>, at: Date): number =>
  Math.floor((at.getTime() - startedAt.getTime()) / MINUTE_MS) + 1;

/** Counts its minutes up to so many, each of them once, with what they cost. */
export function countMinutes(kernel: Kernel, minutes: number, debits: MinuteDebits): KernelDecision {
  if (!kernel.isCharged || !isAlive(kernel) || minutes <= kernel.billedMinutes) return unchanged(kernel);
  const state: Kernel = { ...kernel, billedMinutes: minutes };
  const events = Array.from({ length: minutes - kernel.billedMinutes }, (_, at) => kernel.billedMinutes + at).flatMap(
    (minute) => debits(kernel, minute, new Date(kernel.startedAt.getTime() + minute * MINUTE_MS)),
  );
  return { state, events, result: state };
}

/**
 * The end of a kernel, with the minutes that had begun by then and are not counted yet; none of one that never started, and
 * none after its lease, when it was no more, whenever that came to be known.
 */
function withLastMinutes(kernel: Kernel, end: KernelDecision, at: Date, debits: MinuteDebits): KernelDecision {
  if (kernel.billedMinutes === 0) return end;
  const until = at < kernel.leaseUntil ? at : kernel.leaseUntil;
  const { state, events } = countMinutes(kernel, minutesBegun(kernel, until), debits);
  const ended: Kernel = { ...end.state, billedMinutes: state.billedMinutes };
  return decided(ended, [...events, ...end.events]);
}

/** It takes messages, and the minute that has begun is owed, if its minutes are. */
export function kernelStarted(starting: Kernel, at: Date, debits: MinuteDebits): KernelDecision {
  requireAlive(starting);
  const { state: kernel, events } = countMinutes(starting, starting.billedMinutes + 1, debits);
  const { id, spec, notebookId } = kernel;
  const fields = { name: spec, notebook_id: notebookId };
  const state: Kernel = { ...kernel, state: 'idle', lastActivity: at };
  const change = { before: null, after: fields };
  return decided(state, [
    { name: 'kernel.started', subject: id, at, data: { kernel_id: id, ...fields }, change },
    ...events,
  ]);
}

/** CONFLICT: it is dead. */
export function interruptKernel(kernel: Kernel, at: Date): KernelDecision {
  requireAlive(kernel);
  const event: NotebooksEvent = {
    ...{ name: 'kernel.interrupted', subject: kernel.id, at, data: { kernel_id: kernel.id } },
    change: { before: { execution_state: kernel.state }, after: { execution_state: 'idle' } },
  };
  return decided({ ...kernel, lastActivity: at }, event, kernel);
}

/** CONFLICT: it is dead. */
export function restartKernel(kernel: Kernel, at: Date): KernelDecision {
  requireAlive(kernel);
  const event: NotebooksEvent = {
    ...{ name: 'kernel.restarted', subject: kernel.id, at, data: { kernel_id: kernel.id } },
    change: { before: { execution_state: kernel.state }, after: { execution_state: 'restarting' } },
  };
  return decided({ ...kernel, lastActivity: at }, event, kernel);
}

/** Somebody ends it. Of one that is dead already nothing is told. */
export function stopKernel(kernel: Kernel, at: Date, debits: MinuteDebits): KernelDecision {
  const stopped: Kernel = { ...kernel, state: 'stopped', connections: 0, endedAt: kernel.endedAt ?? at };
  const events = isAlive(kernel) ? [ended('kernel.stopped', kernel, stopped, {}, at)] : [];
  return withLastMinutes(kernel, { state: stopped, events, result: stopped }, at, debits);
}

/** It could not be started, and was never told of: nothing is told of its end either. */
export const abandonKernel = (kernel: Kernel, at: Date): KernelDecision => ({
  ...stopKernel(kernel, at, () => []),
  events: [],
});

/** The platform ends it. A minute for which there are no credits does not begin. */
export const cullKernel = (kernel: Kernel, reason: CullReason, at: Date, debits: MinuteDebits): KernelDecision => {
  const end = endsDead('kernel.culled', kernel, reason, at);
  return reason === 'credits' ? end : withLastMinutes(kernel, end, at, debits);
};

/** It has ended, or nobody has heard of it since then. */
export const kernelDied = (
  kernel: Kernel,
  reason: string,
  { at, lastHeardAt = at }: { readonly at: Date; readonly lastHeardAt?: Date },
  debits: MinuteDebits,
): KernelDecision => withLastMinutes(kernel, endsDead('kernel.died', kernel, reason, at), lastHeardAt, debits);

function endsDead(name: 'kernel.culled' | 'kernel.died', kernel: Kernel, reason: string, at: Date): KernelDecision {
  if (!isAlive(kernel)) return unchanged(kernel);
  const dead: Kernel = { ...kernel, state: 'dead', connections: 0, endedAt: at };
  return decided(dead, ended(name, kernel, dead, { reason }, at));
}

const ended = (
  name: 'kernel.culled' | 'kernel.died' | 'kernel.stopped',
  { id, state: before }: Kernel,
  { state: after }: Kernel,
  why: { readonly reason?: string },
  at: Date,
): NotebooksEvent =>
  ({
    name,
    subject: id,
    at,
    data: { kernel_id: id, ...why },
    change: { before: { state: before }, after: { state: after, ...why } },
  }) as NotebooksEvent;

function requireAlive(kernel: Kernel): void {
  if (!isAlive(kernel)) throw kernelDead();
}
