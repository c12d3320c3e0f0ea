import { newId } from '@platform-backend/core';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { openSearchUnderTest } from '../../../../test/search-under-test.ts';
import type { Embeddings } from '../../domain/embeddings.ts';
import { madeDocuments } from './made-documents.ts';
import type { Embed } from './measure-documents.ts';

const model = 'm';

/** How long the first search after a start takes of so many passages in MongoDB, without a snapshot and with one; by words. */
export async function measureOpening(passages: number, embed: Embed, print: (line: string) => void): Promise<object> {
  const folder = mkdtempSync(join(tmpdir(), 'snapshots-'));
  const parts = await openSearchUnderTest();
  const { passageStore, clock } = parts;
  const organisationId = newId();
  const embeddings: Embeddings = { model, embed: (texts) => embed(texts) };
  try {
    for await (const { source: indexed, passages: own } of madeDocuments(passages, embed)) {
      const source = { kind: indexed.kind, id: indexed.id, title: indexed.title, createdAt: clock.now() };
      const generation = await passageStore.begin(organisationId, source, clock.now());
      const stored = own.map((passage) => ({
        ...passage,
        heading: passage.heading ?? '',
        model,
        start: 0,
        end: passage.text.length,
      }));
      await passageStore.add(organisationId, source, generation, stored);
      await passageStore.publish(organisationId, { ...source, generation, model, passages: own.length }, clock);
    }
    const firstSearchMs = async (): Promise<number> => {
      const { search } = parts.replica(embeddings, { maxPassages: 2 * passages, snapshotsIn: folder });
      const begun = performance.now();
      const query = { text: 'fire extinguisher', mode: 'keyword', kinds: ['DOCUMENT'], limit: 5 } as const;
      // What takes longer than anybody waits goes on.
      while (!(await search.search(organisationId, query).catch(() => undefined)));
      const ms = performance.now() - begun;
      await search.close();
      return ms;
    };
    const [builtMs, restoredMs] = [await firstSearchMs(), await firstSearchMs()];
    print(
      `the first search after a start, of ${String(passages)} passages: ${(builtMs / 1000).toFixed(1)} s with MongoDB alone, ${(restoredMs / 1000).toFixed(1)} s with a snapshot`,
    );
    return { builtMs, restoredMs };
  } finally {
    await parts.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
