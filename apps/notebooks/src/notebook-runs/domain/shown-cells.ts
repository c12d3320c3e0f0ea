import type { Json } from '../../notebooks/domain/json.ts';
import { displayIdOf, withDisplay, withOutput } from './cell-outputs.ts';
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
  const outputs = new Map<number, readonly JsonObject[]>();
  const counts = new Map<number, number | null>();
  /** What programs call that which they update later. */
  const displayIds = new Map<JsonObject, string>();

  /** Everything that was shown under this name, in whichever cell. */
  function update(id: string, word: KernelSignal): void {
    for (const [at, shown] of outputs)
      outputs.set(
        at,
        shown.map((output) => {
          if (displayIds.get(output) !== id) return output;
          const updated = withDisplay(output, word);
          displayIds.delete(output);
          displayIds.set(updated, id);
          return updated;
        }),
      );
  }

  return {
    hear(at: number, word: KernelSignal): void {
      if (bytes > maxBytes) return;
      bytes += Buffer.byteLength(JSON.stringify(word.content));
      const id = displayIdOf(word);
      if (word.type === 'update_display_data' && bytes <= maxBytes) {
        update(id, word);
        return;
      }
      const shown = withOutput(outputs.get(at) ?? [], bytes > maxBytes ? leftOut(maxBytes) : word);
      outputs.set(at, shown);
      const last = shown.at(-1);
      if (word.type === 'display_data' && id !== '' && last) displayIds.set(last, id);
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
