import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@platform-backend/core';
import { encoderOf, openSearchUnderTest, passagesOf, type SearchUnderTest } from '../../../test/search-under-test.ts';
import { encodersBefore, identifyEncoder, storedEmbeddings, withDimensions } from '../app/identify-encoder.ts';
import { asStored, storedBefore } from '../app/prepare-text.ts';
import { NO_PREFIXES, type Embeddings } from '../domain/embeddings.ts';
import type { EncoderIdentity } from '../domain/encoder-identity.ts';
import type { EncoderRegister } from '../domain/encoder-register.ts';
import { encoderRegister } from '../store/encoder-register.ts';

const quiet = { warn: () => undefined };
const DIMENSIONS = 4;
const of = (name: string, others: Partial<EncoderIdentity> = {}): EncoderIdentity => ({
  ...{ name, endpoint: 'one.example', dimensions: DIMENSIONS, prefixes: NO_PREFIXES },
  ...others,
});

let parts: SearchUnderTest;
let register: EncoderRegister;
beforeAll(async () => {
  parts = await openSearchUnderTest();
  register = encoderRegister(parts.database);
});
afterAll(() => parts.close());

/** The encoder of a process with this configuration, as its vectors are stored. */
async function started(identity: EncoderIdentity, embeddings: Embeddings): Promise<Embeddings> {
  const { current } = await identifyEncoder(await withDimensions(identity, embeddings), register);
  return asStored(storedEmbeddings(embeddings, current, register, quiet));
}

/** A document with vectors as the version before has stored them. */
async function embeddedBefore(name: string) {
  const organisationId = newId();
  const { passages, search } = parts.replica(asStored(encoderOf(name).embeddings));
  const source = { kind: 'DOCUMENT', id: 'd', title: '', createdAt: parts.clock.now() } as const;
  await passages.replace(organisationId, source, passagesOf('bees', 'bread'));
  await search.close();
  return organisationId;
}

describe('the encoder that vectors are of', () => {
  it('is that of before when nothing has changed, and nothing is embedded again', async () => {
    const organisationId = await embeddedBefore('same');
    const { embeddings, embedded } = encoderOf('same');
    for (let start = 1; start <= 2; start += 1) {
      const { search, reembed } = parts.replica(await started(of('same'), embeddings));
      await reembed();
      expect(embedded()).toBe(0);
      expect(await parts.passageStore.find(organisationId, 'DOCUMENT', 'd')).toMatchObject({ model: 'same#2' });
      await search.close();
    }
  });

  it.each([
    ['endpoint', { endpoint: 'other.example' }],
    ['prefixes', { prefixes: { question: 'query:', passage: 'passage:' } }],
  ])('is another one by its %s, which fills a second index while the one before answers', async (what, change) => {
    const organisationId = await embeddedBefore(what);
    const old = await started(of(what), encoderOf(what).embeddings);
    const other = encoderOf(what, ['bees', 'wax', 'honey']);
    const current = await started(of(what, change), other.embeddings);
    expect([old.model, current.model]).toEqual([`${what}#2`, `${what}@2#2`]);
    const { search, reembed } = parts.replica(current, { before: old });
    const bees = async () => {
      const { hits } = await search.search(organisationId, { text: 'bees', mode: 'semantic', limit: 1 });
      return hits[0]?.text;
    };
    expect(await bees()).toBe('bees');
    await reembed();
    expect(await parts.passageStore.find(organisationId, 'DOCUMENT', 'd')).toMatchObject({ model: current.model });
    expect(await bees()).toBe('bees');
    // Whoever goes back finds the first one.
    expect((await started(of(what), old)).model).toBe(old.model);
    await search.close();
  });

  it('is another one by its dimensions, also than one from before of which only the name is known', async () => {
    await embeddedBefore('long');
    const { current, known } = await identifyEncoder(of('long', { dimensions: 8 }), register);
    expect(current.storedAs).toBe('long@2');
    const asked: EncoderIdentity[] = [];
    const find = (wanted: EncoderIdentity) => {
      asked.push(wanted);
      return encoderOf(wanted.name).embeddings;
    };
    const before = encodersBefore(find, { current, known }, register, quiet);
    expect(storedBefore('long#2', before)?.model).toBe('long#2');
    expect(storedBefore('never noted#1', before)?.model).toBe('never noted#1');
    expect(asked.map(({ name, dimensions }) => [name, dimensions])).toEqual([
      ['long', DIMENSIONS],
      ['never noted', undefined],
    ]);
  });

  it('is one among replicas that start at once, whatever each of them was told', async () => {
    const wanted = ['a', 'b', 'a', 'b', 'a'].map((endpoint) => of('together', { endpoint }));
    const found = await Promise.all(wanted.map((identity) => identifyEncoder(identity, register)));
    const names = found.map(({ current }) => current.storedAs);
    expect(new Set(names)).toEqual(new Set(['together', 'together@2']));
    expect([names[2], names[3], names[4]]).toEqual([names[0], names[1], names[0]]);
    expect(found.map(({ current }) => current.endpoint)).toEqual(wanted.map(({ endpoint }) => endpoint));
  });

  it('may be away at the start: how long its vectors are is noted when it comes, and others are refused', async () => {
    const { embeddings, away } = encoderOf('late');
    let served = embeddings;
    const api: Embeddings = { model: 'late', embed: (texts, options) => served.embed(texts, options) };
    const open = () => started(of('late', { dimensions: undefined }), api);
    away(true);
    const first = await open();
    away(false);
    const options = { organisationId: 'org_1' };
    expect(await first.embed(['bees'], options)).toHaveLength(1);
    const known = await register.known();
    expect(known.filter(({ name }) => name === 'late')).toMatchObject([{ dimensions: DIMENSIONS }]);
    expect((await open()).model).toBe(first.model);

    // Its server has another model now.
    served = encoderOf('late', ['bees', 'bread', 'clocks', 'wax', 'honey']).embeddings;
    await expect(first.embed(['bees'], options)).rejects.toMatchObject({ kind: 'upstream_failed' });
    const again = await open();
    expect(again.model).toBe('late@2#2');
    expect(await again.embed(['bees'], options)).toHaveLength(1);
  });
});
