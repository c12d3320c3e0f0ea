import { median } from '../rounds.ts';

/** Starts a run and answers its id. */
type StartRun = () => Promise<string>;
type AwaitEnd = (runId: string) => Promise<void>;

export interface Throughput {
  readonly runs: number;
  readonly seconds: number;
}

/** Milliseconds. */
export interface Times {
  readonly median: number;
  readonly bestTenth: number;
}

export interface RunLoad {
  readonly seconds: number;
  readonly atOnce: number;
}

/** What carries runs of three empty steps out. */
export interface Runner {
  runs(load: RunLoad): Promise<Throughput>;
  /** Of so many runs. */
  times(runs: number): Promise<Times>;
  cpu(): ProcessTimes;
  stop(): Promise<void>;
}

/** CPU that processes have used so far, in microseconds; whoever asks for runs is one of them only where it is the service itself. */
export interface ProcessTimes {
  readonly service: number;
  readonly postgres: number;
  readonly nats: number;
}

/** So many runs under way for so long; those that are under variant at the end are waited for, and count. */
export async function runsFor(start: StartRun, ended: AwaitEnd, { seconds, atOnce }: RunLoad): Promise<Throughput> {
  const startedAt = performance.now();
  const end = startedAt + seconds * 1000;
  let runs = 0;
  const oneAfterTheOther = async (): Promise<void> => {
    while (performance.now() < end) {
      await ended(await start());
      runs += 1;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, oneAfterTheOther));
  return { runs, seconds: (performance.now() - startedAt) / 1000 };
}

/** From before a run is asked for until its end is committed, one run at a time. */
export async function timesOf(start: StartRun, ended: AwaitEnd, runs: number): Promise<Times> {
  const times: number[] = [];
  for (let count = 0; count < runs; count += 1) {
    const startedAt = performance.now();
    await ended(await start());
    times.push(performance.now() - startedAt);
  }
  times.sort((a, b) => a - b);
  return { median: median(times), bestTenth: times[Math.floor(runs / 10)] ?? NaN };
}
