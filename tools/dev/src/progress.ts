/** Writes what happens, for the person in front of the terminal. */
export interface Progress {
  /** Runs one phase and says how long it took; `result` may add where to find it. */
  phase<T>(name: string, work: () => Promise<T>, describe?: (result: T) => string): Promise<T>;
  say(text: string): void;
}

/** How often it is said that a phase still goes on. */
const stillGoingOnMs = 15_000;

export function terminalProgress(write: (line: string) => void = console.log): Progress {
  return {
    async phase(name, work, describe = () => '') {
      const startedAt = performance.now();
      const waiting = setInterval(() => {
        write(`  ${name} is not done yet (${seconds(performance.now() - startedAt)})`);
      }, stillGoingOnMs).unref();
      const result = await work().finally(() => clearInterval(waiting));
      write(
        `  ${name.padEnd(20)} ${seconds(performance.now() - startedAt).padStart(7)}   ${describe(result)}`.trimEnd(),
      );
      return result;
    },
    say: (text) => write(text),
  };
}

export function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}
