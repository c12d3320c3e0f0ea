import type { Clock, Configuration, Logger } from '@platform-backend/core';
import type { Database } from '@platform-backend/mongo';
import type { PeriodicJob } from '@platform-backend/service';
import { embedAgain, passages } from '../passages/app/passages.ts';
import type { Embeddings } from '../passages/domain/embeddings.ts';
import type { PassageFinder } from '../passages/domain/passage-finder.ts';
import { databaseSearch } from '../passages/indexes/database-search.ts';
import { passageSearch } from '../passages/indexes/passage-search.ts';
import { passageFinder } from '../passages/store/passage-finder.ts';
import { passagesStore } from '../passages/store/passages-store.ts';
import type { searchSettings } from './search-settings.ts';

export interface SearchParts {
  readonly database: Database;
  readonly embeddings: Embeddings;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A set of passages that nobody has completed for so long is given up. */
const ABANDONED_AFTER_MS = 24 * 60 * 60_000;

/** All that has to do with finding passages, made once. */
export async function openSearch(settings: Configuration<typeof searchSettings>, parts: SearchParts) {
  const passageStore = passagesStore(parts.database);
  const finder = settings.CONTENT_SEARCH === 'mongodb' ? await openFinder(parts.database) : undefined;
  const embeddings = finder ? preparing(parts.embeddings, finder, parts.logger) : parts.embeddings;
  const ports = { ...parts, embeddings, passageStore };
  const search = finder
    ? databaseSearch({ ...ports, finder })
    : passageSearch({
        ...ports,
        mostPassages: settings.CONTENT_SEARCH_PASSAGES,
        mostBytes: settings.CONTENT_SEARCH_MEMORY_MB * 1024 * 1024,
      });
  const tidy = () => passageStore.tidy(new Date(parts.clock.now().getTime() - ABANDONED_AFTER_MS));
  const repeated: PeriodicJob[] = [
    { name: 'the embedding by another model', everyMs: 5_000, run: (stopping) => embedAgain(ports, stopping) },
    { name: 'the tidying of passages', everyMs: 60_000, run: tidy },
  ];
  return {
    passages: passages(ports),
    passageStore,
    search,
    repeated,
    removeAll: async (organisationId: string): Promise<void> => {
      await passageStore.removeAll(organisationId);
      await search.removeIndex(organisationId);
    },
  };
}

/** Tells whoever starts the service at once when the database has no search. */
async function openFinder(database: Database): Promise<PassageFinder> {
  const finder = passageFinder(database);
  try {
    await finder.prepareWords();
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    throw new Error(
      `CONTENT_SEARCH=mongodb does not work here: ${said}. Without it the service has an index of its own.`,
      {
        cause: error,
      },
    );
  }
  return finder;
}

/** With the first vectors of a length their index is made, so that it is there when somebody asks. */
function preparing(embeddings: Embeddings, finder: PassageFinder, logger: SearchParts['logger']): Embeddings {
  const prepared = new Set<number>();
  return {
    model: embeddings.model,
    async embed(texts, options) {
      const vectors = await embeddings.embed(texts, options);
      const dimensions = vectors[0]?.length ?? 0;
      if (dimensions > 0 && !prepared.has(dimensions)) {
        prepared.add(dimensions);
        void finder.prepareVectors(dimensions).catch((error: unknown) => {
          prepared.delete(dimensions);
          logger.warn(
            { event: 'vector_index.creation_failed', err: error },
            'MongoDB could not be told to index vectors now',
          );
        });
      }
      return vectors;
    },
  };
}
