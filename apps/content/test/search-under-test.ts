import { fixedClock, newId, unavailable, type FixedClock } from '@platform-backend/core';
import { createLogger } from '@platform-backend/core/logger';
import { openDatabase } from '@platform-backend/mongo';
import { mongoWithSearch, throwawayMongo } from '@platform-backend/mongo/testing';
import type { Opening } from '../src/access/domain/opening.ts';
import { presentReader } from '../src/access/store/present-reader.ts';
import { conventionCollections } from '../src/conventions/store/convention-collections.ts';
import { documentCollections } from '../src/documents/store/document-collections.ts';
import { answeringEncoders } from '../src/passages/app/answering-encoders.ts';
import { reembed, passages } from '../src/passages/app/passages.ts';
import type { Embeddings } from '../src/passages/domain/embeddings.ts';
import type { Passage } from '../src/passages/domain/passage.ts';
import { databaseSearch } from '../src/passages/indexes/database-search.ts';
import { sameBudgets } from '../src/passages/indexes/index-parts.ts';
import { indexSnapshots } from '../src/passages/indexes/index-snapshots.ts';
import { passageSearch } from '../src/passages/indexes/passage-search.ts';
import { passageCollections } from '../src/passages/store/passage-collections.ts';
import { passageFinder } from '../src/passages/store/passage-finder.ts';
import { passagesStore } from '../src/passages/store/passages-store.ts';

const logger = createLogger({ service: 'content', level: 'silent' });

/** Knows what a text is about by one word, and may be away. */
export function encoderOf(model: string, topics: readonly string[] = ['bees', 'bread', 'clocks']) {
  let embedded = 0;
  let isDown = false;
  const vectorOf = (text: string) => {
    const vector = Float32Array.from(['', ...topics], (topic, at) => (at === 0 ? 0.1 : text.includes(topic) ? 1 : 0));
    const length = Math.hypot(...vector);
    return vector.map((value) => value / length);
  };
  const embeddings: Embeddings = {
    model,
    embed: (texts) => {
      if (isDown) return Promise.reject(unavailable(new Error('the encoder is away')));
      embedded += texts.length;
      return Promise.resolve(texts.map(vectorOf));
    },
  };
  return {
    embeddings,
    embedded: () => embedded,
    away: (away: boolean) => {
      isDown = away;
    },
  };
}

export const passagesOf = (...texts: readonly string[]): Passage[] =>
  texts.map((text, ordinal) => ({ ordinal, text, start: ordinal * 1000, end: ordinal * 1000 + text.length }));

export type SearchUnderTest = Awaited<ReturnType<typeof openSearchUnderTest>>;

export interface SearchUnderTestOptions {
  /** `mongodb`: on a double of MongoDB's own search. */
  readonly kind?: 'own' | 'mongodb';
  /** How long the double builds an index. */
  readonly buildsForMs?: number;
}

/** The parts of the search on a database of their own; `replica` adds another process' parts on the same. */
export async function openSearchUnderTest({ kind = 'own', buildsForMs = 100 }: SearchUnderTestOptions = {}) {
  const mongo = await throwawayMongo();
  const withSearch = kind === 'mongodb' ? await mongoWithSearch(mongo.url, { buildsForMs }) : undefined;
  const database = await openDatabase({
    url: withSearch?.url ?? mongo.url,
    applicationName: 'search under test',
    logger,
    // Each index of all the others would be made for every test.
    collections: { ...passageCollections, ...conventionCollections, ...documentCollections },
  });
  await database.createIndexes();
  const clock: FixedClock = fixedClock(new Date());
  const passageStore = passagesStore(database);
  /** Who may open what, by what a test says of a reader. */
  const openings = new Map<string, Opening>();
  const reader = presentReader((one) => Promise.resolve(one.kind === 'member' ? openings.get(one.userId) : undefined));
  const { opening } = reader;

  /** `before` can still be had for what it has embedded; `snapshotsIn` is the folder of snapshots, none unless given. */
  const replica = (
    embeddings: Embeddings,
    {
      maxPassages = 10_000,
      maxBytes = 1e9,
      before,
      snapshotsIn,
    }: { maxPassages?: number; maxBytes?: number; before?: Embeddings; snapshotsIn?: string } = {},
  ) => {
    const encoders = answeringEncoders(
      embeddings,
      (name) => (before?.model === name ? before : undefined),
      passageStore,
    );
    const ports = { passageStore, encoders, clock, logger };
    const search =
      kind === 'mongodb'
        ? databaseSearch({ ...ports, opening, finder: passageFinder(database) })
        : passageSearch({
            ...{ budgets: sameBudgets(maxPassages), maxBytes, timeoutMs: 60_000, opening, ...ports },
            ...(snapshotsIn !== undefined && {
              snapshots: indexSnapshots({ directory: snapshotsIn, maxBytes: 1e9, passageStore, clock }),
              minSavedPassages: 1,
            }),
          });
    return {
      passages: passages(ports),
      search,
      reembed: (stopping = new AbortController().signal) => reembed(ports, stopping),
    };
  };

  return {
    database,
    passageStore,
    clock,
    replica,
    /** Does work for a reader who may open this. */
    forReader<T>(organisationId: string, opened: Opening, work: () => T): T {
      const userId = newId();
      openings.set(userId, opened);
      return reader.within({ kind: 'member', organisationId, userId }, work);
    },
    count: (organisationId: string) =>
      database.tenant(organisationId, () => database.model('passages').countDocuments().exec()),
    async close() {
      await database.close();
      await withSearch?.close();
      await mongo.drop();
    },
  };
}
