import type { Clock, Logger } from '@platform-backend/core';
import { kernelNotFound } from '../domain/errors.ts';
import type { KernelHost } from '../domain/kernel-host.ts';
import type { KernelHandle, KernelMessage } from '../domain/kernel-provider.ts';
import type { ExecutionState, Kernel } from '../domain/kernel.ts';
import {
  isRequestedRestart,
  leftOut,
  messageIdIn,
  messageTypeIn,
  stateIn,
  statusMessage,
} from '../domain/status-message.ts';
import { awaySessions, type AwaySessions } from './away-sessions.ts';
import { kernelConnection, type KernelConnection } from './kernel-connection.ts';

/** Requests whose replies are still to come, of one kernel. Of more the oldest are forgotten. */
const MAX_ASKED = 1_000;

/** A kernel that lives here. */
export interface RunningKernel {
  readonly organisationId: string;
  readonly kernel: Kernel;
  readonly state: ExecutionState;
  /** Here: the minutes of one that was begun again have begun before. */
  readonly begunAt: Date;
  readonly lastActivity: Date;
  readonly connections: number;
}

export interface RunningKernelPorts {
  readonly clock: Clock;
  readonly logger: Logger;
  /** How long a client may stand still while its kernel waits. */
  readonly timeoutMs: number;
  /** Told when a kernel ends without being asked to. */
  readonly died: (organisationId: string, kernelId: string, reason: string) => void;
}

export interface RunningKernels extends KernelHost {
  /**
   * One that starts: clients may connect, and what they say waits until it takes messages. Resolves with the reason when it
   * is no more, whoever ended it.
   */
  readonly add: (organisationId: string, kernel: Kernel, starting: Promise<KernelHandle>) => Promise<string>;
  /** For this reason; unless it is given, somebody has asked for it. */
  readonly shutdown: (organisationId: string, kernelId: string, reason?: string) => Promise<void>;
  readonly all: () => readonly RunningKernel[];
  readonly find: (kernelId: string) => RunningKernel | undefined;
  /** Ends all of them, and tells their clients. */
  readonly close: () => Promise<void>;
}

interface Live {
  readonly organisationId: string;
  readonly kernel: Kernel;
  readonly handle: Promise<KernelHandle>;
  readonly connected: Set<KernelConnection>;
  readonly away: AwaySessions;
  /** Who has asked, by the ids of the messages. */
  readonly asked: Map<string, KernelConnection>;
  readonly gone: PromiseWithResolvers<string>;
  readonly begunAt: Date;
  state: ExecutionState;
  lastActivity: Date;
  /** It has started and takes messages. */
  isReady: boolean;
}

/** The kernels of this replica with their clients: what a client asks is answered to it, everything else to all. */
export function runningKernels({ clock, logger, timeoutMs, died }: RunningKernelPorts): RunningKernels {
  const kernels = new Map<string, Live>();

  const find = (organisationId: string, kernelId: string): Live => {
    const live = kernels.get(kernelId);
    if (live?.organisationId !== organisationId) throw kernelNotFound();
    return live;
  };

  const saysState = ({ kernel }: Live, state: ExecutionState): KernelMessage =>
    statusMessage(kernel.id, state, clock.now());

  const hear = (live: Live, message: KernelMessage): void | Promise<void> => {
    live.lastActivity = clock.now();
    const state = stateIn(message);
    // To clients that is a kernel which restarts by itself; whoever asked for it takes it for a failure. It may have an answer by now.
    if (state === 'restarting' && isRequestedRestart(message)) return;
    live.state = state ?? live.state;
    if (message.channel === 'iopub') live.away.hearAll(message);
    const holding = [...hearersOf(live, message)].map((connection) => connection.deliver(message));
    const pending = holding.filter((held) => held !== undefined);
    return pending.length === 0 ? undefined : Promise.all(pending).then(() => undefined);
  };

  /** No client hears of it any more. */
  const forget = (live: Live, reason: string): void => {
    if (kernels.get(live.kernel.id) !== live) return;
    live.gone.resolve(reason);
    kernels.delete(live.kernel.id);
    live.state = 'dead';
    for (const connection of live.connected) {
      void connection.deliver(saysState(live, 'dead'));
      connection.end();
    }
  };

  const say = async (live: Live, connection: KernelConnection, message: KernelMessage): Promise<void> => {
    const id = messageIdIn(message.header);
    if (id !== undefined && message.channel !== 'stdin') {
      live.asked.set(id, connection);
      const [oldest] = live.asked.keys();
      if (live.asked.size > MAX_ASKED && oldest !== undefined) live.asked.delete(oldest);
    }
    live.lastActivity = clock.now();
    await (await live.handle).send(message);
  };

  /** A client is connected from when it begins to listen: one that has gone before leaves nothing behind. */
  async function* heardOf(
    live: Live,
    sessionId: string,
    messages: AsyncIterable<KernelMessage>,
  ): AsyncGenerator<KernelMessage> {
    const connection = kernelConnection(sessionId, timeoutMs);
    void connection.deliver(saysState(live, live.state));
    if (sessionId !== '') for (const message of live.away.comeBack(sessionId)) void connection.deliver(message);
    if (live.state === 'dead') connection.end();
    const hearing = async () => {
      for await (const message of messages) {
        if (!connection.isOpen()) return;
        await say(live, connection, message);
      }
      connection.end();
    };
    live.connected.add(connection);
    live.lastActivity = clock.now();
    hearing().catch((error: unknown) => connection.fail(error));
    try {
      yield* connection.messages();
    } finally {
      live.connected.delete(connection);
      live.lastActivity = clock.now();
      const isHere = [...live.connected].some((other) => other.sessionId === sessionId);
      if (sessionId !== '' && !isHere && live.state !== 'dead') live.away.leave(sessionId, connection.unsent());
    }
  }

  return {
    add(organisationId, kernel, starting) {
      const live: Live = {
        organisationId,
        kernel,
        handle: starting,
        connected: new Set(),
        away: awaySessions((message) => leftOut(kernel.id, message, clock.now()), isOutput),
        asked: new Map(),
        gone: Promise.withResolvers(),
        begunAt: clock.now(),
        state: 'starting',
        lastActivity: clock.now(),
        isReady: false,
      };
      kernels.set(kernel.id, live);
      const begin = (handle: KernelHandle): void => {
        live.isReady = true;
        handle.listen((message) => hear(live, message));
        void hear(live, saysState(live, 'idle'));
        void handle.died.then((reason) => {
          if (kernels.get(kernel.id) !== live) return;
          forget(live, reason);
          died(organisationId, kernel.id, reason);
        });
      };
      // Whoever has it started hears why it does not.
      starting.then(begin, () => forget(live, 'It did not start'));
      return live.gone.promise;
    },

    all: () => [...kernels.values()].map(shown),
    find: (kernelId) => {
      const live = kernels.get(kernelId);
      return live && shown(live);
    },

    async interrupt(organisationId, kernelId) {
      const live = find(organisationId, kernelId);
      // Nothing runs in one that starts, and nobody waits for it.
      if (live.isReady) await (await live.handle).interrupt();
    },

    refresh: async (organisationId, kernelId) => (await find(organisationId, kernelId).handle).refresh?.(),

    async restart(organisationId, kernelId) {
      const live = find(organisationId, kernelId);
      // It is begun anew already.
      if (!live.isReady) return;
      live.asked.clear();
      // As what begins, also to clients that come meanwhile: they take one that restarts for a failure.
      live.state = 'starting';
      await (await live.handle).restart();
      void hear(live, saysState(live, 'idle'));
    },

    async shutdown(organisationId, kernelId, reason = 'It was stopped') {
      const live = find(organisationId, kernelId);
      const { isReady } = live;
      forget(live, reason);
      const over = ended(live);
      if (isReady) await over;
      // One that starts ends as soon as it has, and nobody waits for that.
      else
        over.catch((error: unknown) =>
          logger.warn({ event: 'kernel.stop_failed', err: error, kernelId }, 'a kernel could not be ended'),
        );
    },

    connect: (organisationId, kernelId, sessionId, messages) =>
      Promise.resolve(heardOf(find(organisationId, kernelId), sessionId, messages)),

    async close() {
      const ending = [...kernels.values()].map(async (live) => {
        forget(live, 'The service stops');
        await ended(live);
      });
      for (const end of await Promise.allSettled(ending)) {
        if (end.status === 'rejected')
          logger.warn({ event: 'kernel.stop_failed', err: end.reason as unknown }, 'a kernel could not be ended');
      }
    },
  };
}

/** One that did not start has nothing to end. */
const ended = ({ handle }: Live): Promise<void> =>
  handle.then(
    (started) => started.shutdown(),
    () => undefined,
  );

const shown = ({ organisationId, kernel, state, begunAt, lastActivity, connected }: Live): RunningKernel => ({
  organisationId,
  kernel,
  state,
  begunAt,
  lastActivity,
  connections: connected.size,
});

/** Output is for everybody; a reply or a question for whoever asked, or has connected again since. */
function hearersOf(live: Live, message: KernelMessage): Iterable<KernelConnection> {
  const { channel, parentHeader } = message;
  if (channel === 'iopub') return live.connected;
  const id = messageIdIn(parentHeader);
  const asker = id === undefined ? undefined : live.asked.get(id);
  if (id === undefined || !asker) return [];
  if (channel !== 'stdin') live.asked.delete(id);
  if (asker.isOpen()) return [asker];
  const back = [...live.connected].filter(({ sessionId }) => sessionId !== '' && sessionId === asker.sessionId);
  if (back.length === 0) live.away.hear(asker.sessionId, message);
  return back;
}

const OUTPUTS = new Set(['stream', 'display_data', 'update_display_data', 'execute_result', 'comm_msg']);

const isOutput = ({ channel, header }: KernelMessage): boolean =>
  channel === 'iopub' && OUTPUTS.has(messageTypeIn(header) ?? '');
