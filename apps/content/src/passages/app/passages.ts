import { DomainError, type Clock, type Logger } from '@platform-backend/core';
import type { Embeddings } from '../domain/embeddings.ts';
import type { Encoders } from '../domain/encoders.ts';
import type { PassageStore, StaleSources, StoredPassage, StoredSource } from '../domain/passage-store.ts';
import type { Passage, Passages, ReplaceOptions, Source } from '../domain/passage.ts';
import { embeddedText, nameOf } from './prepare-text.ts';

export interface PassagePorts {
  readonly passageStore: PassageStore;
  readonly encoders: Encoders;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
}

/** How many passages are embedded and stored at a time. */
const BATCH = 32;

/** Keeps what can be found, each passage with its vector. */
export function passages({ passageStore, encoders, clock, logger }: PassagePorts): Passages {
  /** The vectors of texts that the source has had all along. */
  const knownVectors = async (
    organisationId: string,
    { kind, id }: Source,
    { model }: Embeddings,
  ): Promise<Map<string, Float32Array>> => {
    const present = await passageStore.find(organisationId, kind, id);
    const known = new Map<string, Float32Array>();
    if (present?.model !== model) return known;
    for (const { vector, ...passage } of await passageStore.passages(organisationId, [present.generation]))
      if (vector) known.set(embeddedText(present, passage), vector);
    return known;
  };

  /** Answers the model of all vectors, or an empty text where some could not be made. */
  const addAll = async (
    organisationId: string,
    source: Source,
    generation: string,
    { replacing, options }: { readonly replacing: readonly Passage[]; readonly options: ReplaceOptions },
  ): Promise<string> => {
    // What comes while another index is filled is found in the one that answers, and goes into the other like all else.
    const embeddings = await encoders.answering(organisationId);
    const known = await knownVectors(organisationId, source, embeddings);
    const embedded = vectorsFor(embeddings, known, logger, organisationId);
    let done = 0;
    let isWhole = true;
    for (const batch of batchesOf(replacing)) {
      const stored = await embedded(source, batch, options);
      isWhole &&= stored.every(({ vector }) => vector);
      await passageStore.add(organisationId, source, generation, stored);
      done += batch.length;
      options.onEmbedded?.(done, replacing.length);
    }
    return isWhole ? embeddings.model : '';
  };

  return {
    async replace(organisationId, source, replacing, options = {}) {
      const generation = await passageStore.begin(organisationId, source, clock.now());
      try {
        const model = await addAll(organisationId, source, generation, { replacing, options });
        const published = { ...source, generation, model, passages: replacing.length };
        return await passageStore.publish(organisationId, published, clock, options.present);
      } catch (error) {
        // Where this fails as well, tidying does it.
        await passageStore.giveUp(organisationId, source, generation).catch(() => undefined);
        throw error;
      }
    },
    describe: (organisationId, source) => passageStore.describe(organisationId, source),
    describeAll: (organisationId, kind, ids, described) =>
      passageStore.describeAll(organisationId, kind, ids, described, clock),
    relabel: (organisationId, source) => passageStore.relabel(organisationId, source, clock),
    hide: (organisationId, kind, ids) => passageStore.hide(organisationId, kind, ids, clock),
    remove: (organisationId, kind, ids) => passageStore.remove(organisationId, kind, ids, clock),
  };
}

/**
 * While there is no encoder, texts are stored without vectors and found by their words; `reembed` makes good for it. After its
 * first failure it is not asked again for the same source.
 */
function vectorsFor(
  embeddings: Embeddings,
  known: ReadonlyMap<string, Float32Array>,
  logger: PassagePorts['logger'],
  organisationId: string,
): (source: Source, batch: readonly Passage[], options: ReplaceOptions) => Promise<StoredPassage[]> {
  let isThere = true;
  return async (source, batch, { signal }) => {
    signal?.throwIfAborted();
    const wanted = batch.map((passage) => embeddedText(source, passage));
    const texts = [...new Set(wanted.filter((text) => !known.has(text)))];
    const made = new Map<string, Float32Array>();
    if (isThere && texts.length > 0) {
      try {
        for (const [at, vector] of (await embeddings.embed(texts, { signal, organisationId, as: 'passage' })).entries())
          made.set(texts[at] ?? '', vector);
      } catch (error) {
        signal?.throwIfAborted();
        logger.warn(
          { event: 'embeddings.failed', err: error },
          'texts could not be embedded and are found by their words alone for now',
        );
        isThere = false;
      }
    }
    return batch.map((passage, at) => {
      const text = wanted[at] ?? '';
      const vector = known.get(text) ?? made.get(text);
      return { ...passage, ...(vector && { vector, model: embeddings.model }) };
    });
  };
}

/** A text that every encoder takes which takes any. */
const HARMLESS = 'text';

/**
 * Embeds by the current model what has vectors of another one or none, until there is nothing more: some sources of one organisation,
 * then some of the next. Meanwhile the other one answers, where it can be had. Replicas share the work; where one stops in the middle, another one goes on with what is left of its sources.
 */
export async function reembed(ports: PassagePorts, stopping: AbortSignal): Promise<void> {
  const { passageStore, encoders, clock, logger } = ports;
  const { current: embeddings } = encoders;
  const isStopping = (): boolean => stopping.aborted;
  /** Whoever cannot be reached refuses nothing: all sources wait alike. */
  const isRefusal = (error: unknown): boolean =>
    !isStopping() && error instanceof DomainError && error.kind === 'upstream_failed';
  const postpone = async (organisationId: string, source: StoredSource, error: unknown): Promise<void> => {
    logger.warn(
      { event: 'embeddings.source_refused', err: error, organisationId, kind: source.kind, sourceId: source.id },
      'a text is refused by the encoder and found by its words alone; it is tried again later',
    );
    await passageStore.postponeStale(organisationId, source, clock.now());
  };
  let behind = '';
  let isRound = false;
  while (!isStopping()) {
    // Whoever has everything by now waits for no other organisation.
    if (isRound) await switchOver(ports, isStopping);
    const taken = await passageStore.takeStale(embeddings.model, behind, clock.now());
    if (!taken) return switchOver(ports, isStopping);
    const { organisationId, sources } = taken;
    isRound = organisationId <= behind;
    behind = organisationId;
    try {
      await embedSources(ports, taken, stopping);
      continue;
    } catch (error) {
      if (!isRefusal(error)) throw error;
      // Nor does whoever takes nothing at all, as with a wrong key or while its server starts.
      const takesOthers = await embeddings.embed([HARMLESS], { signal: stopping, organisationId }).then(
        () => true,
        () => false,
      );
      if (!takesOthers) throw error;
      const [only] = sources;
      if (only && sources.length === 1) {
        await postpone(organisationId, only, error);
        continue;
      }
    }
    // It is one of them: each by itself.
    for (const source of sources)
      try {
        await embedSources(ports, { organisationId, sources: [source] }, stopping);
      } catch (error) {
        if (!isRefusal(error)) throw error;
        await postpone(organisationId, source, error);
      }
  }
}

/** Where all is there the current model answers from now on, and what the one before has left makes room for it. */
async function switchOver({ passageStore, encoders: { current }, logger }: PassagePorts, isStopping: () => boolean) {
  for (const organisationId of await passageStore.switchTo(current.model))
    logger.info(
      { event: 'search.model_changed', organisationId, model: current.model },
      'all texts of an organisation have vectors of the new model, which answers from now on',
    );
  while (!isStopping() && (await passageStore.promote(current.model)));
}

async function embedSources(
  { passageStore, encoders, clock }: PassagePorts,
  { organisationId, sources }: StaleSources,
  stopping: AbortSignal,
): Promise<void> {
  const { current: embeddings } = encoders;
  const { model } = embeddings;
  // Vectors that answer stay as they are until all others are there.
  const beside = (await encoders.answering(organisationId)).model !== model;
  const bySet = new Map(sources.map((source) => [source.generation, source]));
  /** Of a source that is called otherwise now: the name that each vector has to be made by. */
  const names = new Map(
    sources.flatMap((source) => (source.formerNameModel === undefined ? [] : [[source.generation, nameOf(source)]])),
  );
  const isThere = ({ generation, ...passage }: StoredPassage & { readonly generation: string }): boolean => {
    const name = names.get(generation);
    const made = beside ? passage.next : passage;
    return made?.model === model && (name === undefined || made.embeddedName === name);
  };
  const stored = await passageStore.passages(organisationId, [...bySet.keys()]);
  for (const batch of batchesOf(stored.filter((passage) => !isThere(passage)))) {
    const texts = batch.map((passage) => {
      const source = bySet.get(passage.generation);
      return source ? embeddedText(source, passage) : passage.text;
    });
    const vectors = await embeddings.embed(texts, { signal: stopping, organisationId, as: 'passage' });
    const made = batch.flatMap(({ generation, ordinal }, at) => {
      const vector = vectors[at];
      const embeddedName = names.get(generation);
      return vector ? [{ generation, ordinal, vector, ...(embeddedName !== undefined && { embeddedName }) }] : [];
    });
    await passageStore.setVectors(organisationId, made, { model, beside });
    if (stopping.aborted) return;
  }
  await passageStore.setModel(organisationId, sources, { model, beside }, clock);
}

function* batchesOf<T>(all: readonly T[]): Generator<readonly T[]> {
  for (let at = 0; at < all.length; at += BATCH) yield all.slice(at, at + BATCH);
}
