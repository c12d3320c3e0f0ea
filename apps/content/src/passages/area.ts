import type { Area } from '@platform-backend/service';
import { join } from 'node:path';
import type { AccessExports } from '../access/area.ts';
import type { ModelRuntimeExports } from '../model-runtime/area.ts';
import type { ContentContext, service } from '../service.ts';
import { answeringEncoders } from './app/answering-encoders.ts';
import { encodersBefore, identifyEncoder, storedEmbeddings, withDimensions } from './app/identify-encoder.ts';
import { reembed, passages } from './app/passages.ts';
import { asStored, storedBefore } from './app/prepare-text.ts';
import { preparingVectorIndex } from './app/prepare-vector-index.ts';
import { rerankedSearch } from './app/reranked-search.ts';
import { splitText } from './extraction/split-passages.ts';
import { countTokens } from './extraction/tokens.ts';
import { databaseSearch } from './indexes/database-search.ts';
import { indexSnapshots } from './indexes/index-snapshots.ts';
import { passageSearch } from './indexes/passage-search.ts';
import { countingInPieces } from './models/count-in-pieces.ts';
import { openEmbeddings } from './models/open-embeddings.ts';
import { openReranker } from './models/open-reranker.ts';
import { encoderRegister } from './store/encoder-register.ts';
import { openPassageFinder } from './store/passage-finder.ts';
import { passagesStore } from './store/passages-store.ts';

export type PassagesExports = Awaited<ReturnType<typeof passagesArea>>['exports'];

/** A set of passages that nobody has completed for so long is given up. */
const ABANDONED_AFTER_MS = 24 * 60 * 60_000;

const MIB = 1024 * 1024;

/** Passages: what can be found of documents, conventions and messages, by words and by meaning. */
export const passagesArea = async (
  { settings, storage, clock, logger, defer, metrics }: ContentContext,
  { access: { reader }, modelRuntime }: { readonly access: AccessExports; readonly modelRuntime: ModelRuntimeExports },
) => {
  const selected = await openEmbeddings(settings, modelRuntime.models, logger);
  defer(selected.close);
  logger.info(selected.notice);
  const reranking = await openReranker(settings, modelRuntime.models, logger);
  defer(reranking.close);
  logger.info(reranking.notice);
  const passageStore = passagesStore(storage.database);
  const finder = settings.CONTENT_SEARCH === 'mongodb' ? await openPassageFinder(storage.database) : undefined;
  const register = encoderRegister(storage.database);
  const identified = await identifyEncoder(await withDimensions(selected.identity, selected.model), register);
  const stored = storedEmbeddings(selected.model, identified.current, register, logger);
  const embeddings = asStored(finder ? preparingVectorIndex(stored, finder, logger) : stored);
  const before = encodersBefore(selected.before, identified, register, logger);
  const encoders = answeringEncoders(embeddings, (name) => storedBefore(name, before), passageStore);
  const ports = { passageStore, encoders, clock, logger };
  const { PLATFORM_HOME: home } = settings;
  const directory = settings.CONTENT_SEARCH_DIRECTORY ?? (home === undefined ? undefined : join(home, 'search'));
  const found = finder
    ? databaseSearch({ ...ports, opening: reader.opening, finder })
    : passageSearch({
        ...ports,
        opening: reader.opening,
        budgets: {
          DOCUMENT: settings.CONTENT_SEARCH_PASSAGES,
          CONVENTION: settings.CONTENT_SEARCH_CONVENTION_PASSAGES,
          MESSAGE: settings.CONTENT_SEARCH_MESSAGE_PASSAGES,
        },
        maxBytes: settings.CONTENT_SEARCH_MEMORY_MB * MIB,
        snapshots:
          directory === undefined
            ? undefined
            : indexSnapshots({ directory, maxBytes: settings.CONTENT_SEARCH_SNAPSHOTS_MB * MIB, passageStore, clock }),
      });
  defer(found.close);
  const search = reranking.model
    ? rerankedSearch({
        ...{ search: found, reranker: reranking.model, logger },
        count: metrics.counter(
          'content_search_rerankings_total',
          'Searches whose best were reranked, and those that stayed as they were found since the reranker failed or was late, or had done so again and again (paused).',
          ['outcome'],
        ),
      })
    : found;
  const { counts } = found;
  if (counts) {
    const help = 'Indexes of this replica: open ones, and those of which something was left out.';
    for (const state of ['open', 'incomplete'] as const)
      metrics.observe('content_search_indexes', help, () => counts()[state], { state });
    metrics.observe(
      'content_search_index_builds_total',
      'How often this replica has built an index.',
      () => counts().builds,
    );
    metrics.observe(
      'content_search_index_restores_total',
      'How often this replica has opened an index from its snapshot.',
      () => counts().restored,
    );
  }
  metrics.observe(
    'content_sources_without_vectors',
    'Documents, conventions and messages that wait for their vectors, up to 100,000; after a change of the model that is all of them.',
    () => passageStore.countStale(embeddings.model, 100_000),
  );
  const { keepSnapshots } = found;
  const tidy = () => passageStore.tidy(new Date(clock.now().getTime() - ABANDONED_AFTER_MS));
  return {
    jobs: [
      { name: 'the embedding by another model', everyMs: 5_000, run: (stopping) => reembed(ports, stopping) },
      { name: 'the tidying of passages', everyMs: 60_000, run: tidy },
      ...(keepSnapshots ? [{ name: 'the snapshots of search indexes', everyMs: 60_000, run: keepSnapshots }] : []),
    ],
    exports: {
      passages: passages(ports),
      passageStore,
      model: embeddings.model,
      /** The one that makes vectors now. */
      embeddings: selected.model,
      search,
      splitPassages: splitText,
      countTokens,
      countTexts: countingInPieces(countTokens),
      removeAll: async (organisationId: string): Promise<void> => {
        await passageStore.removeAll(organisationId);
        await found.removeIndex(organisationId);
      },
    },
  } satisfies Area<typeof service.declaration>;
};
