import type { FamilyUse } from './process-families.ts';
import type { StoreSizes } from './store-sizes.ts';

/** What was seen at one moment. */
export interface Snapshot {
  /** Seconds since the platform was ready. */
  readonly at: number;
  readonly uses: ReadonlyMap<string, FamilyUse>;
  readonly sizes: StoreSizes;
}

const round = (value: number, digits = 1): number => Number(value.toFixed(digits));
const MIB = 2 ** 20;

/** What each part takes while nobody asks for anything: percent of a core, and MiB. */
export function restingFigures(before: Snapshot, after: Snapshot) {
  const seconds = after.at - before.at;
  const parts = [...after.uses].map(([part, { cpuSeconds, pssMiB }]) => {
    const share = (cpuSeconds - (before.uses.get(part)?.cpuSeconds ?? 0)) / seconds;
    return { part, cpuPercent: round(share * 100, 2), pssMiB: round(pssMiB, 0) };
  });
  const total = (value: (one: (typeof parts)[number]) => number): number =>
    round(
      parts.reduce((sum, one) => sum + value(one), 0),
      2,
    );
  return { parts, cpuPercent: total(({ cpuPercent }) => cpuPercent), pssMiB: total(({ pssMiB }) => pssMiB) };
}

/** What one day of one organisation costs each part, and what it leaves behind. */
export function dayFigures(before: Snapshot, after: Snapshot, organisations: number) {
  const each = (value: number, digits?: number): number => round(value / organisations, digits);
  const cpuSeconds = [...after.uses].map(
    ([part, { cpuSeconds: seconds }]) => [part, each(seconds - (before.uses.get(part)?.cpuSeconds ?? 0), 2)] as const,
  );
  const rows = [...after.sizes.rows]
    .map(([table, count]) => [table, each(count - (before.sizes.rows.get(table) ?? 0))] as const)
    .filter(([, grown]) => grown !== 0)
    .sort(([, one], [, other]) => other - one);
  const kib = [...after.sizes.bytes].map(
    ([store, bytes]) => [store, each((bytes - (before.sizes.bytes.get(store) ?? 0)) / 1_024)] as const,
  );
  return {
    cpuSeconds: Object.fromEntries(cpuSeconds),
    rows: Object.fromEntries(rows),
    kib: Object.fromEntries(kib),
    objects: each(after.sizes.objects - before.sizes.objects),
  };
}

/**
 * By how many MiB a part has grown from day to day, from its memory at rest after each: the median of the differences, which one day of
 * collecting, or of a cache that fills, does not move.
 */
export function memoryGrowth(rests: readonly Snapshot[]): Readonly<Record<string, number>> {
  const parts = [...(rests.at(-1)?.uses.keys() ?? [])];
  return Object.fromEntries(
    parts.map((part) => {
      const used = rests.map(({ uses }) => uses.get(part)?.pssMiB ?? 0);
      const differences = used.slice(1).map((value, at) => value - (used[at] ?? 0));
      differences.sort((one, other) => one - other);
      return [part, round(differences[Math.floor(differences.length / 2)] ?? 0)];
    }),
  );
}

export const totalMiB = ({ sizes }: Snapshot): number =>
  round([...sizes.bytes.values()].reduce((sum, bytes) => sum + bytes, 0) / MIB);
