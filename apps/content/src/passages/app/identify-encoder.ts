import { upstreamFailed, type Logger } from '@platform-backend/core';
import { NO_PREFIXES, type Embeddings } from '../domain/embeddings.ts';
import {
  isSameEncoder,
  mayHaveMade,
  nameToStore,
  type EncoderIdentity,
  type KnownEncoder,
} from '../domain/encoder-identity.ts';
import type { EncoderRegister } from '../domain/encoder-register.ts';
import { namesFromBefore } from './prepare-text.ts';

/** Under which name an encoder's vectors are stored, and all that are known with it. */
export interface IdentifiedEncoder {
  readonly current: KnownEncoder;
  readonly known: readonly KnownEncoder[];
}

/**
 * Finds the encoder among those that are known, or notes it. Vectors from before, of which nothing but a name was noted, are the
 * first one's of that name, unless they cannot be. Replicas that start together agree, and whoever is killed leaves nothing half done.
 */
export async function identifyEncoder(
  identity: EncoderIdentity,
  register: EncoderRegister,
): Promise<IdentifiedEncoder> {
  for (;;) {
    const known = await register.known();
    const current = known.findLast((one) => isSameEncoder(one, identity));
    if (current) return { current, known };
    const { name } = identity;
    const isFirst = known.every((one) => one.name !== name);
    const before = isFirst ? await register.dimensionsOf(namesFromBefore(name)) : undefined;
    const isAnothers = before !== undefined && !mayHaveMade(identity, before);
    const added: EncoderIdentity = isAnothers
      ? { name, dimensions: before, prefixes: NO_PREFIXES }
      : { ...identity, dimensions: identity.dimensions ?? before };
    await register.add({ ...added, storedAs: nameToStore(name, known) });
  }
}

/** A text that every encoder takes which takes any. */
const HARMLESS = 'text';

/** How long a start waits to learn how many dimensions there are, in milliseconds. */
const ASKED_FOR_MS = 3_000;

/** With the number of dimensions where that can be learnt now; else it is with the first vectors. */
export async function withDimensions(identity: EncoderIdentity, embeddings: Embeddings): Promise<EncoderIdentity> {
  if (identity.dimensions !== undefined) return identity;
  const signal = AbortSignal.timeout(ASKED_FOR_MS);
  const options = { organisationId: 'start', urgent: true, signal };
  const vectors = await embeddings.embed([HARMLESS], options).catch(() => undefined);
  return { ...identity, dimensions: vectors?.[0]?.length };
}

/**
 * The encoder under the name that its vectors are stored under. Of another length than those it makes none: its server has got another
 * model under the same name, which the next start knows as another one.
 */
export function storedEmbeddings(
  embeddings: Embeddings,
  { storedAs, dimensions }: KnownEncoder,
  register: Pick<EncoderRegister, 'noteDimensions'>,
  logger: Pick<Logger, 'warn'>,
): Embeddings {
  let expected = dimensions;
  let isSaid = false;
  return {
    ...embeddings,
    model: storedAs,
    async embed(texts, options) {
      const vectors = await embeddings.embed(texts, options);
      const length = vectors[0]?.length;
      if (length === undefined) return vectors;
      if (expected === undefined) {
        await register.noteDimensions(storedAs, length);
        expected = length;
      }
      if (length === expected) return vectors;
      if (!isSaid)
        logger.warn(
          { event: 'embeddings.other_dimensions', model: storedAs, expected, length },
          'the encoder makes vectors of another length than before: start again to embed all texts by it',
        );
      isSaid = true;
      throw upstreamFailed(new Error(`vectors have ${String(length)} dimensions in place of ${String(expected)}`));
    },
  };
}

/** The encoder whose vectors are stored under a name, where it can still be had. Of one that nobody has noted the name is all that is known. */
export function encodersBefore(
  before: (wanted: EncoderIdentity, current: EncoderIdentity) => Embeddings | undefined,
  { current, known }: IdentifiedEncoder,
  ...ports: readonly [Pick<EncoderRegister, 'noteDimensions'>, Pick<Logger, 'warn'>]
): (storedAs: string) => Embeddings | undefined {
  return (storedAs) => {
    const wanted = known.find((one) => one.storedAs === storedAs);
    if (!wanted) return before({ name: storedAs, prefixes: NO_PREFIXES }, current);
    const embeddings = before(wanted, current);
    return embeddings && storedEmbeddings(embeddings, wanted, ...ports);
  };
}
