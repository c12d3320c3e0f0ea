import type { Json } from '../../notebooks/domain/json.ts';
import { displayIdOf, withDisplay, addOutput } from './cell-outputs.ts';
import type { KernelSignal } from './job-messages.ts';
import type { NotebookProgram } from './notebook-program.ts';

type JsonObject = Readonly<Record<string, Json>>;

/** What the cells of a run have shown, by their indexes in its program. */
export interface ShownCells {
  readonly outputs: ReadonlyMap<number, readonly JsonObject[]>;
  readonly counts: ReadonlyMap<number, number | null>;
}

/** Hears what the cells of a run show, up to so many bytes of JSON; that there was more is the last thing shown. */
export function shownCells(maxBytes: number) {
  let bytes = 0;
  const outputs = new Map<number, JsonObject[]>();
  const counts = new Map<number, number | null>();
  /** Of each cell where in it is what programs update later, by what they call it. */
  const displays = new Map<number, Map<string, number[]>>();

  /** Everything that was shown under this name, in whichever cell. */
  const shownUnder = (id: string) =>
    [...displays].flatMap(([at, ofCell]) => (ofCell.get(id) ?? []).map((index) => [at, index] as const));

  function update(all: ReturnType<typeof shownUnder>, word: KernelSignal): void {
    for (const [at, index] of all) {
      const shown = outputs.get(at);
      const output = shown?.[index];
      if (shown && output) shown[index] = withDisplay(output, word);
    }
  }

  function add(at: number, word: KernelSignal): void {
    const shown = outputs.get(at) ?? [];
    outputs.set(at, shown);
    addOutput(shown, word);
    const id = word.type === 'display_data' ? displayIdOf(word) : '';
    if (id === '') return;
    const ofCell = displays.get(at) ?? new Map<string, number[]>();
    displays.set(at, ofCell);
    const indexes = ofCell.get(id) ?? [];
    ofCell.set(id, indexes);
    indexes.push(shown.length - 1);
  }

  return {
    hear(at: number, word: KernelSignal): void {
      if (bytes > maxBytes) return;
      const updated = word.type === 'update_display_data' ? shownUnder(displayIdOf(word)) : undefined;
      // Each of those that are updated has all of it.
      bytes += Buffer.byteLength(JSON.stringify(word.content)) * Math.max(1, updated?.length ?? 1);
      if (bytes > maxBytes) add(at, leftOut(maxBytes));
      else if (updated) update(updated, word);
      else if (word.type === 'clear_output') {
        outputs.set(at, []);
        displays.delete(at);
      } else add(at, word);
    },

    count(at: number, executionCount: number | null): void {
      counts.set(at, executionCount);
    },

    /** So far. */
    all: { outputs, counts } satisfies ShownCells,
  };
}

/** A notebook as it is when its cells have run. */
export const withShown = ({ rest, cells }: NotebookProgram, { outputs, counts }: ShownCells): JsonObject => ({
  ...rest,
  cells: cells.map(({ cell, code }, at) =>
    code === undefined
      ? cell
      : { ...cell, execution_count: counts.get(at) ?? null, outputs: [...(outputs.get(at) ?? [])] },
  ),
});

const leftOut = (maxBytes: number): KernelSignal => ({
  type: 'stream',
  parentId: '',
  content: {
    name: 'stderr',
    text: `\nWhat the cells of this run have shown beyond ${String(maxBytes)} bytes is left out\n`,
  },
});
