import { fairSemaphore, newId, unavailable, type Logger } from '@platform-backend/core';
import type { KernelHandle, KernelLimits, KernelProvider } from '../../kernels/domain/kernel-provider.ts';
import { readFinding, type SyntaxFinding, type SyntaxProgram } from '../domain/program-check.ts';
import { jobKernel, type JobKernel } from './job-kernel.ts';

export interface CompilingKernelOptions {
  readonly provider: Pick<KernelProvider, 'specs' | 'start'>;
  readonly syntax: SyntaxProgram;
  readonly limits: KernelLimits;
  /** So long all that one caller wants compiled may take, once there is a kernel. */
  readonly timeoutMs?: number;
  /** The kernel ends when nobody has wanted it for so long. */
  readonly idleMs?: number;
  readonly logger: Logger;
}

/** A program as its cells. */
type Program = readonly string[];

export interface CompilingKernel {
  /**
   * What is wrong with each of the programs; undefined: nothing, or it cannot be told. UNAVAILABLE: there is no kernel before
   * the signal is aborted, or too many wait for it.
   */
  readonly check: (
    organisationId: string,
    programs: readonly Program[],
    signal: AbortSignal,
  ) => Promise<readonly (SyntaxFinding | undefined)[]>;
}

interface Compiler {
  readonly handle: KernelHandle;
  readonly kernel: JobKernel;
}

const TIMEOUT_MS = 5_000;
const IDLE_MS = 10 * 60_000;
const WAITING = { maxWaiting: 16, maxWaitingInAll: 64, timeoutMs: 3_000 };
/** Of one program; more is not looked at. */
const MAX_CHARACTERS = 1_000_000;

/**
 * Compiles programs of all organisations, one after the other, in one kernel of the same make as those in which they run. As
 * nothing of them ever runs there, it never has anything of anybody; where one takes too long or ends it, it is started anew.
 */
export function compilingKernel({
  provider,
  syntax,
  limits,
  logger,
  timeoutMs = TIMEOUT_MS,
  idleMs = IDLE_MS,
}: CompilingKernelOptions): CompilingKernel {
  const semaphore = fairSemaphore({ slots: 1, share: 1, ...WAITING });
  let current: Promise<Compiler> | undefined;
  let users = 0;
  let idle: NodeJS.Timeout | undefined;

  async function start(spec: string): Promise<Compiler> {
    const handle = await provider.start({ kernelId: newId(), organisationId: null, spec, limits });
    try {
      const kernel = jobKernel(handle, handle.died);
      const begun = await kernel.execute({ code: syntax.begin, isSilent: true, mayAsk: false });
      if (begun.status === 'error') throw new Error(`the compiler does not begin: ${begun.errorText}`);
      return { handle, kernel };
    } catch (error) {
      await handle.shutdown();
      throw error;
    }
  }

  function compiler(spec: string): Promise<Compiler> {
    if (current) return current;
    const starting = start(spec);
    current = starting;
    const forget = (): void => {
      if (current === starting) current = undefined;
    };
    starting.then(({ handle }) => handle.died.then(forget), forget);
    return starting;
  }

  function end(): void {
    const ending = current;
    current = undefined;
    ending?.then(({ handle }) => handle.shutdown()).catch(() => undefined);
  }

  async function find({ kernel }: Compiler, program: Program): Promise<SyntaxFinding | undefined> {
    let finding: SyntaxFinding | undefined;
    const answer = (text: string): Promise<string> => {
      finding = readFinding(text);
      return Promise.resolve('');
    };
    const reply = await kernel.execute({ code: syntax.check(program), isSilent: true, mayAsk: true, answer });
    if (reply.status === 'error') throw new Error(`${reply.errorName}: ${reply.errorText}`);
    return finding;
  }

  async function judge(organisationId: string, spec: string, program: Program, late: AbortSignal) {
    if (late.aborted || isTooLong(program)) return undefined;
    try {
      return await within(
        late,
        compiler(spec).then((begun) => find(begun, program)),
      );
    } catch (error) {
      logger.warn(
        { event: 'program_check.failed', err: error, organisationId },
        'a program could not be compiled, and is not judged',
      );
      end();
      return undefined;
    }
  }

  async function checkAll(organisationId: string, spec: string, programs: readonly Program[], signal: AbortSignal) {
    await within(signal, compiler(spec)).catch((error: unknown) => {
      throw unavailable(error, 1);
    });
    return semaphore.run('tenants', organisationId, async () => {
      const late = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
      const findings: (SyntaxFinding | undefined)[] = [];
      for (const program of programs) findings.push(await judge(organisationId, spec, program, late));
      return findings;
    });
  }

  return {
    async check(organisationId, programs, signal) {
      const [spec] = await provider.specs();
      if (spec?.language !== 'python') return programs.map(() => undefined);
      clearTimeout(idle);
      users += 1;
      try {
        return await checkAll(organisationId, spec.name, programs, signal);
      } finally {
        users -= 1;
        if (users === 0) idle = setTimeout(end, idleMs).unref();
      }
    },
  };
}

const isTooLong = (program: Program): boolean => program.reduce((sum, { length }) => sum + length, 0) > MAX_CHARACTERS;

/** Rejects when the signal is aborted; what is waited for goes on. */
function within<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  // It may fail when nobody waits any more.
  work.catch(() => undefined);
  if (signal.aborted) return Promise.reject(signal.reason as Error);
  const late = Promise.withResolvers<never>();
  const abort = (): void => late.reject(signal.reason);
  signal.addEventListener('abort', abort);
  return Promise.race([work, late.promise]).finally(() => signal.removeEventListener('abort', abort));
}
