/** Callers: each variant of a benchmark has a process of its own, so that nothing that is measured shares it. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { processCpu } from './process-cpu.ts';

/** What a caller is asked for. */
export interface Load {
  readonly seconds: number;
  /** How many are under way at once. */
  readonly connections: number;
}

/** What came of it. */
export interface Done {
  readonly done: number;
  readonly seconds: number;
}
type Outcome = Done | { readonly failure: string };

export interface Callers<Variant extends string, Asked extends Load> {
  readonly work: (variant: Variant, load: Asked) => Promise<Done>;
  /** CPU time of a variant's process so far, in microseconds. */
  readonly cpu: (variant: Variant) => number;
  readonly stop: () => Promise<void>;
}

/** Starts a caller for each variant; the program is one that calls `serveLoads`, which is given these options. */
export function startCallers<const Variant extends string, Asked extends Load>(
  program: string,
  {
    variants,
    options,
    profiling,
  }: {
    readonly variants: readonly Variant[];
    readonly options: object;
    readonly profiling: readonly string[];
  },
): Callers<Variant, Asked> {
  const running = Object.fromEntries(
    variants.map((variant) => {
      const child = fork(program, { execArgv: [...profiling] });
      child.once('exit', (code) => {
        if (code !== 0) throw new Error(`the caller of the variant "${variant}" ended with ${String(code)}`);
      });
      child.send({ ...options, variant });
      return [variant, child];
    }),
  ) as Record<Variant, ChildProcess>;
  return {
    async work(variant, load) {
      running[variant].send(load);
      const [outcome] = (await once(running[variant], 'message')) as [Outcome];
      if ('failure' in outcome) throw new Error(`${variant}: ${outcome.failure}`);
      return outcome;
    },
    cpu: (variant) => processCpu(running[variant].pid ?? 0),
    async stop() {
      for (const child of Object.values<ChildProcess>(running)) {
        const exited = once(child, 'exit');
        child.disconnect();
        await exited;
      }
    },
  };
}

/** In a caller: works whenever its parent tells it to. `taskOf` answers what is then done over and over. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller names what its parent sends
export function serveLoads<Options, Asked extends Load>(
  prepare: (options: Options) => (load: Asked) => () => Promise<unknown>,
): void {
  const answer = (outcome: Outcome): void => void process.send?.(outcome);
  process.once('message', (options: Options) => {
    const taskOf = prepare(options);
    process.on('message', (load: Asked) => {
      workFor(taskOf(load), load).then(answer, (error: unknown) => answer({ failure: String(error) }));
    });
  });
  process.once('disconnect', () => process.exit(0));
}

async function workFor(task: () => Promise<unknown>, { seconds, connections }: Load): Promise<Done> {
  const startedAt = performance.now();
  const end = startedAt + seconds * 1000;
  let done = 0;
  const oneAfterTheOther = async (): Promise<void> => {
    while (performance.now() < end) {
      await task();
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: connections }, oneAfterTheOther));
  return { done, seconds: (performance.now() - startedAt) / 1000 };
}
