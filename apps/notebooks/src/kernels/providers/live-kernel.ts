import { unavailable } from '@platform-backend/core';
import { randomUUID } from 'node:crypto';
import { invalidMessage } from '../domain/errors.ts';
import type { KernelHandle, KernelLimits, KernelMessage } from '../domain/kernel-provider.ts';
import { sizeOf } from '../domain/message-size.ts';
import { requestedRestart } from '../domain/status-message.ts';
import { executions } from './executions.ts';
import { afterGrace } from './grace.ts';
import { kernelMessage, parentIdOf, readHeader, readJson, messageProblem, type Header } from './jupyter/messages.ts';
import { kernelPreparation, type Preparation } from './kernel-preparation.ts';
import type { KernelRun, StartRun } from './kernel-run.ts';
import { kernelListeners } from './listeners.ts';
import { outputLimit } from './output-limit.ts';

export interface LiveKernelOptions {
  readonly start: StartRun;
  readonly limits: KernelLimits;
  readonly preparation?: Preparation;
  /** How long a kernel may compute after an interrupt before it stops what it runs; then it is killed and begun again. */
  readonly graceMs?: number;
  /** Told whenever it ends by itself, whether it is begun again or not. */
  readonly died?: (reason: string) => void;
}

const usualGraceMs = 3000;
/** So long whoever interrupts waits for the end of what runs. */
const ANSWER_MS = 2_000;
const HOUR_MS = 3_600_000;
/** What is said of the files of one cell. */
const WARNING_BYTES = 64 * 1024;
/** Besides the output of a cell so much waits until files are kept. */
const HELD_BYTES = 64 * 2 ** 20;
/** So long a listener that stands still holds up the word that a kernel is dead. */
const LAST_WORDS_MS = 1_000;

/** What every kernel does in the same way, whatever makes it run: its limits, listeners, interrupts, restarts and its end. */
export async function liveKernel({
  start,
  limits,
  preparation = {},
  graceMs = usualGraceMs,
  died = () => undefined,
}: LiveKernelOptions): Promise<KernelHandle> {
  const session = randomUUID();
  const listeners = kernelListeners();
  const outputs = outputLimit(limits.outputBytes, session);
  // Of our own: it is said how much a cell prints, too.
  const warnings = outputLimit(WARNING_BYTES, session);
  const running = executions(limits.executeSeconds, onTimeLimit);
  const prepared = kernelPreparation(preparation, {
    session,
    warn: (text, parent) => {
      const said = kernelMessage('iopub', 'stream', { name: 'stderr', text }, { session, parent });
      for (const message of warnings.pass(said)) void listeners.give(message);
    },
  });
  const death = Promise.withResolvers<string>();
  let run: KernelRun | undefined;
  /** Which life of the kernel counts; what comes from an earlier one is late. */
  let life = 0;
  let restarting: Promise<void> | undefined;
  /** Bytes that wait for files to be kept. What a kernel says beyond is passed on at once. */
  let held = 0;
  let over: string | undefined;
  /** When it was begun again without anybody having asked for that, in milliseconds. */
  let restartedAt: number[] = [];

  async function begin(): Promise<void> {
    const own = (life += 1);
    const started = await start(async (message) => {
      if (own === life && !over) await receive(message);
    });
    try {
      if (own === life && !over) await prepared?.begin(started);
    } catch (error) {
      await started.end();
      throw unavailable(error);
    }
    if (own !== life || over) {
      await started.end();
      throw gone();
    }
    run = started;
    void started.ended.then((reason) => own === life && run === started && !restarting && onUnexpectedEnd(reason));
  }

  async function receive(message: KernelMessage): Promise<void> {
    if (messageProblem(message) !== undefined) return;
    if (prepared?.take(message)) return;
    // What is cut waits for nothing.
    const passed = message.channel === 'iopub' ? outputs.pass(message) : [message];
    const size = passed.reduce((sum, one) => sum + sizeOf(one), 0);
    const before = held === 0 || held + size <= limits.outputBytes + HELD_BYTES ? prepared?.before(message) : undefined;
    if (before) {
      held += size;
      await before;
      held -= size;
      if (over) return;
    }
    if (message.channel === 'shell' && readHeader(message.header)?.msg_type === 'execute_reply')
      running.end(parentIdOf(message));
    // In one go: nothing that comes meanwhile comes between them.
    await Promise.all(passed.map((one) => listeners.give(one)));
  }

  /** As a kernel on one's own machine: it says why, and is begun again, but not without end. */
  function onUnexpectedEnd(reason: string): void {
    if (over) return;
    died(reason);
    const hourAgo = Date.now() - HOUR_MS;
    restartedAt = restartedAt.filter((at) => at > hourAgo);
    if (restartedAt.length >= (limits.restarts ?? 0)) {
      die(reason);
      return;
    }
    restartedAt.push(Date.now());
    answerAll(reason);
    restart().then(
      () => say('status', { execution_state: 'idle' }),
      () => undefined,
    );
  }

  /** Whatever was asked is answered: nobody waits for a kernel that is no more. */
  function answerAll(reason: string): void {
    const [first, ...others] = running.all();
    running.clear();
    void say('stream', { name: 'stderr', text: `\nThe kernel has died: ${reason}\n` }, first);
    if (first) answer(first, { status: 'error', ename: 'DeadKernelError', evalue: reason, traceback: [] });
    for (const parent of others) answer(parent, { status: 'aborted' });
  }

  function answer(parent: Uint8Array, reply: object): void {
    void listeners.give(kernelMessage('shell', 'execute_reply', reply, { session, parent }));
    void say('status', { execution_state: 'idle' }, parent);
  }

  function die(reason: string): void {
    if (over) return;
    over = reason;
    answerAll(reason);
    void say('status', { execution_state: 'dead' });
    // Whoever hears of it ends what its clients hear.
    const late = new Promise((resolve) => setTimeout(resolve, LAST_WORDS_MS).unref());
    void Promise.race([listeners.taken(), late]).then(() => death.resolve(reason));
  }

  const say = async (type: string, content: object, parent?: Uint8Array): Promise<void> =>
    await listeners.give(kernelMessage('iopub', type, content, { session, ...(parent && { parent }) }));

  const gone = () => unavailable(new Error(over ?? 'the kernel has ended'));

  function onTimeLimit(request: Uint8Array): void {
    const text = `\nThe time limit of ${limits.executeSeconds} s is reached: the cell is interrupted.\n`;
    void say('stream', { name: 'stderr', text }, request);
    void interrupt();
  }

  async function interrupt(): Promise<void> {
    if (over) throw gone();
    const interrupted = run;
    // What ran is gone with the life before.
    if (restarting || !interrupted) return;
    const callOff = afterGrace(
      graceMs,
      () => interrupted.cpuMs?.(),
      () => {
        if (run !== interrupted || !running.any() || over || restarting) return;
        const reason = 'It did not stop when it was interrupted, and is begun again';
        died(reason);
        answerAll(reason);
        restart().catch(() => undefined);
      },
    );
    // A kernel that has stopped may not have said so yet, and aborts what comes before it has.
    // And what comes behind what has stopped may take as long as it wants.
    const answered = running.firstEnded().then(callOff);
    // One that could not even be asked does not stop either.
    const stopped = interrupted.interrupt().then(callOff, () => undefined);
    // Who has its answer may go on at once: what stops does so within milliseconds.
    await Promise.race([
      Promise.all([stopped, answered]),
      new Promise((resolve) => setTimeout(resolve, ANSWER_MS).unref()),
    ]);
  }

  async function restart(isAsked = false): Promise<void> {
    if (over) throw gone();
    restarting ??= (async () => {
      try {
        running.clear();
        life += 1;
        const ending = run?.end();
        void say('status', { execution_state: 'restarting', ...(isAsked && requestedRestart) });
        await ending;
        await begin();
      } catch (error) {
        restarting = undefined;
        const reason = `It could not be started again: ${error instanceof Error ? error.message : String(error)}`;
        died(reason);
        die(reason);
        throw error;
      }
      restarting = undefined;
    })();
    await restarting;
  }

  async function shutdown(): Promise<void> {
    over ??= 'it was shut down';
    running.clear();
    await run?.end();
  }

  /** These two are the service's to do: the kernel would end behind its back, or too late. */
  async function control(header: Header, message: KernelMessage): Promise<boolean> {
    if (header.msg_type !== 'interrupt_request' && header.msg_type !== 'shutdown_request') return false;
    const parent = message.header;
    const state = async (executionState: string) => await say('status', { execution_state: executionState }, parent);
    await state('busy');
    const reply = { status: 'ok', ...(header.msg_type === 'shutdown_request' && { restart: restartWanted(message) }) };
    const type = header.msg_type.replace('request', 'reply');
    if (header.msg_type === 'interrupt_request') await interrupt();
    await listeners.give(kernelMessage('control', type, reply, { session, parent }));
    if (header.msg_type === 'shutdown_request') await say(type, reply, parent);
    await state('idle');
    if (header.msg_type === 'interrupt_request') return true;
    if (restartWanted(message)) await restart();
    else {
      // It ends because it was asked to, and is not begun again.
      life += 1;
      await run?.end();
      die('A client shut it down');
    }
    return true;
  }

  async function send(message: KernelMessage): Promise<void> {
    if (message.channel === 'iopub') throw invalidMessage({ trouble: 'Nobody but the kernel writes on iopub' });
    const trouble = messageProblem(message);
    const header = readHeader(message.header);
    if (trouble !== undefined || !header) throw invalidMessage({ trouble: trouble ?? 'There is no header' });
    if (restarting) await restarting;
    if (over || !run) throw gone();
    if (message.channel === 'control' && (await control(header, message))) return;
    if (message.channel === 'shell') {
      const own = life;
      await running.room();
      if (over) throw gone();
      // What waited is gone with the life before, as what that one had taken: nobody would ever answer it.
      if (own !== life) {
        if (header.msg_type === 'execute_request') answer(message.header, { status: 'aborted' });
        return;
      }
      outputs.expect(header.msg_id);
      warnings.expect(header.msg_id);
      if (header.msg_type === 'execute_request') running.begin(header.msg_id, message.header);
    }
    await run.send(message);
  }

  async function refresh(): Promise<void> {
    if (restarting) await restarting;
    if (run && !over) await prepared?.refresh(run);
  }

  await begin();
  return {
    ...{ send, listen: listeners.add, interrupt, shutdown, refresh, died: death.promise },
    restart: () => restart(true),
  };
}

const restartWanted = ({ content }: KernelMessage): boolean => readJson(content)?.['restart'] === true;
