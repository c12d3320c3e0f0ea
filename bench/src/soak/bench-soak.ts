/** `npm run bench -- soak`: days of ordinary organisations on the platform that `npm start` starts, and what they cost it. */
import { setTimeout as delay } from 'node:timers/promises';
import { foundOrganisation, liveADay, type Organisation, type Tally } from './organisation.ts';
import { useOfFamilies } from './process-families.ts';
import { dayFigures, memoryGrowth, restingFigures, totalMiB, type Snapshot } from './soak-figures.ts';
import { startPlatform, type StartedPlatform } from './started-platform.ts';
import { storeSizes } from './store-sizes.ts';

export interface Soak {
  readonly organisations: number;
  readonly people: number;
  readonly days: number;
  /** Seconds that it is left alone before its rest is measured, and then while it is; half of them between days. */
  readonly rest: number;
  readonly hasNotebooks: boolean;
}

/** Organisations whose people are at work at the same time. */
const AT_ONCE = 4;

/** Prints figures after each day, and as the last line all of them as JSON. */
export async function benchSoak(
  { organisations: count, people: size, days, rest, hasNotebooks }: Soak,
  print: (line: string) => void,
): Promise<void> {
  print('starting the platform …');
  const platform = await startPlatform();
  try {
    const beganAt = performance.now();
    const look = async (): Promise<Snapshot> => ({
      at: (performance.now() - beganAt) / 1_000,
      uses: useOfFamilies(platform.pid),
      sizes: await storeSizes(platform),
    });
    /** What it takes once what was asked for has been worked off. */
    const measureRest = async (seconds: number) => {
      await delay(seconds * 1_000);
      const before = await look();
      await delay(seconds * 1_000);
      const after = await look();
      return { snapshot: after, resting: restingFigures(before, after) };
    };
    const tally: Tally = { requests: 0, failures: new Map() };
    const fresh = await measureRest(rest);
    print(`at rest, fresh: ${fresh.resting.cpuPercent} % of a core, ${fresh.resting.pssMiB} MiB`);
    for (const { part, cpuPercent, pssMiB } of fresh.resting.parts) print(`  ${part}: ${cpuPercent} %, ${pssMiB} MiB`);

    const organisations = await foundAll(platform, count, { size, hasNotebooks, tally });
    const founded = await measureRest(rest / 2);
    print(`${count} organisations of ${size} people: ${totalMiB(founded.snapshot)} MiB stored`);
    const rests = [founded];
    const lived: ReturnType<typeof dayFigures>[] = [];
    for (let day = 1; day <= days; day += 1) {
      await inTurns(organisations, (organisation) => liveADay(organisation, day));
      const { snapshot: before } = rests.at(-1) ?? founded;
      const after = await measureRest(rest / 2);
      rests.push(after);
      const figures = dayFigures(before, after.snapshot, count);
      lived.push(figures);
      print(
        `day ${day}: ${JSON.stringify(figures.cpuSeconds)} s of CPU and ${JSON.stringify(figures.kib)} KiB an organisation; ` +
          `at rest ${after.resting.cpuPercent} %, ${after.resting.pssMiB} MiB`,
      );
    }
    const growth = memoryGrowth(rests.map(({ snapshot }) => snapshot));
    print(`memory at rest, MiB a day: ${JSON.stringify(growth)}`);
    for (const [what, times] of tally.failures) print(`failed ${times} times: ${what}`);
    const failures = Object.fromEntries(tally.failures);
    const { requests } = tally;
    const restingAfter = rests.map(({ resting }) => ({ cpuPercent: resting.cpuPercent, pssMiB: resting.pssMiB }));
    print(JSON.stringify({ fresh: fresh.resting, days: lived, rests: restingAfter, growth, requests, failures }));
  } finally {
    await platform.stop();
  }
}

async function foundAll(
  platform: StartedPlatform,
  count: number,
  options: { readonly size: number; readonly hasNotebooks: boolean; readonly tally: Tally },
): Promise<readonly Organisation[]> {
  const founded: Organisation[] = [];
  const names = Array.from({ length: count }, (_, at) => `soak-${at + 1}`);
  await inTurns(names, async (name) => void founded.push(await foundOrganisation(platform, { name, ...options })));
  return founded;
}

/** A few at the same time; the first failure ends it. */
async function inTurns<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const waiting = [...items];
  const worker = async (): Promise<void> => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}
