/** `npm run bench -- rest`: what the platform that `npm start` starts takes while nothing happens. */
import { setTimeout as delay } from 'node:timers/promises';
import { median } from '../rounds.ts';
import { useOfProcesses } from './process-families.ts';
import { startPlatform } from './started-platform.ts';

export interface Rest {
  /** Seconds that it is left alone first: work rests a minute after something has happened. */
  readonly settle: number;
  readonly rounds: number;
  /** Of each round. */
  readonly seconds: number;
}

/** Prints a line for each process that takes something, and as the last line the sums as JSON. */
export async function benchRest({ settle, rounds, seconds }: Rest, print: (line: string) => void): Promise<void> {
  print('starting the platform …');
  const platform = await startPlatform();
  try {
    await delay(settle * 1_000);
    let before = useOfProcesses(platform.pid);
    const shares: number[] = [];
    let pssMiB = 0;
    for (let round = 1; round <= rounds; round += 1) {
      const beganAt = performance.now();
      await delay(seconds * 1_000);
      const after = useOfProcesses(platform.pid);
      const passed = (performance.now() - beganAt) / 1_000;
      const lines = [...after].map(([pid, use]) => {
        const cpuPercent = (100 * (use.cpuSeconds - (before.get(pid)?.cpuSeconds ?? 0))) / passed;
        return { ...use, cpuPercent };
      });
      const share = lines.reduce((sum, { cpuPercent }) => sum + cpuPercent, 0);
      pssMiB = lines.reduce((sum, one) => sum + one.pssMiB, 0);
      shares.push(share);
      print(`round ${round}: ${share.toFixed(2)} % of a core, ${pssMiB.toFixed(0)} MiB`);
      for (const { part, cpuPercent, pssMiB: own, command } of lines.toSorted((a, b) => b.cpuPercent - a.cpuPercent))
        if (cpuPercent >= 0.01 || own >= 1)
          print(
            `  ${cpuPercent.toFixed(2).padStart(6)} % ${own.toFixed(0).padStart(5)} MiB  ${part}: ${command.slice(-70)}`,
          );
      before = after;
    }
    print(JSON.stringify({ cpu_percent: Number(median(shares).toFixed(2)), pss_mib: Math.round(pssMiB) }));
  } finally {
    await platform.stop();
  }
}
