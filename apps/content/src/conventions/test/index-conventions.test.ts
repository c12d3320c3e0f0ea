import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId, type ActorContext } from '@platform-backend/core';
import { createLogger } from '@platform-backend/core/logger';
import { encoderOf, openSearchUnderTest, passagesOf, type SearchUnderTest } from '../../../test/search-under-test.ts';
import type { Passages } from '../../passages/domain/passage.ts';
import { indexDueConventions } from '../app/index-conventions.ts';
import { changeConvention, createConvention } from '../domain/convention.ts';
import { conventionsStore } from '../store/conventions-store.ts';

const logger = createLogger({ service: 'content', level: 'silent' });

describe('conventions that search has still to learn of', () => {
  let parts: SearchUnderTest;
  beforeAll(async () => {
    parts = await openSearchUnderTest();
  });
  afterAll(() => parts.close());

  it.each(['after', 'in the middle of'])(
    'are found by what they say now, also where a replica goes on with what one said before %s the work of another',
    async (when) => {
      const { database, clock, passageStore, replica } = parts;
      const { search, passages } = replica(encoderOf('m').embeddings);
      const conventions = conventionsStore(database, passages);
      const actor = { type: 'user', id: 'ada', name: 'Ada', userId: 'ada', level: 'ADMIN' } as const;
      const by: ActorContext = { organisationId: newId(), requestId: newId(), actor };
      const at = clock.now();
      const id = newId();
      const convention = { id, title: 'c', content: 'bees', createdAt: at, updatedAt: at };
      await conventions.update(by, id, () => createConvention(convention), at);
      const [hasRead, goesOn, hasBegun, otherIsOver] = Array.from({ length: 4 }, () =>
        Promise.withResolvers<undefined>(),
      );
      const split = (text: string) => Promise.resolve(passagesOf(text));
      /** The passages of a replica that does something more before those that are new are found. */
      const doing = (begun: () => void, before: () => Promise<void>): Passages => ({
        ...passages,
        replace: (organisationId, source, said, options) =>
          passages.replace(organisationId, source, said, {
            ...options,
            onEmbedded: begun,
            present: async () => {
              await before();
              return options?.present?.();
            },
          }),
      });
      const { signal } = new AbortController();

      const late = {
        passages: doing(
          () => hasBegun?.resolve(undefined),
          async () => otherIsOver?.promise,
        ),
        splitPassages: async (text: string) => {
          hasRead?.resolve(undefined);
          await goesOn?.promise;
          return split(text);
        },
      };
      const lateIsOver = indexDueConventions({ conventions, clock, logger, ...late }, signal);
      await hasRead?.promise;
      clock.advance(30_001);
      const wasps = { content: 'wasps' };
      await conventions.update(by, id, (found) => changeConvention(found, wasps, clock.now()), clock.now());
      const overtaken = async (): Promise<void> => {
        if (when === 'after') return;
        goesOn?.resolve(undefined);
        await hasBegun?.promise;
      };
      const other = { passages: doing(() => undefined, overtaken), splitPassages: split };
      await indexDueConventions({ conventions, clock, logger, ...other }, signal);
      goesOn?.resolve(undefined);
      otherIsOver?.resolve(undefined);
      await lateIsOver;
      const { generation = '' } = (await passageStore.find(by.organisationId, 'CONVENTION', id)) ?? {};
      const found = await passageStore.page(by.organisationId, generation, 0, 10);
      expect(found.map(({ text }) => text)).toEqual(['wasps']);
      await search.close();
    },
  );

  it('do not wait for one that cannot be indexed, which is tried again later', async () => {
    const { database, clock, passageStore, replica } = parts;
    const { search, passages } = replica(encoderOf('m').embeddings);
    const conventions = conventionsStore(database, passages);
    const actor = { type: 'user', id: 'ada', name: 'Ada', userId: 'ada', level: 'ADMIN' } as const;
    const by: ActorContext = { organisationId: newId(), requestId: newId(), actor };
    for (const id of ['damaged', 'whole']) {
      const at = clock.now();
      const convention = { id, title: id, content: 'bees', createdAt: at, updatedAt: at };
      await conventions.update(by, id, () => createConvention(convention), at);
      clock.advance(1);
    }
    let isDamaged = true;
    const failing: Passages = {
      ...passages,
      replace: (organisationId, source, ...more) =>
        isDamaged && source.id === 'damaged'
          ? Promise.reject(new Error('it cannot be stored'))
          : passages.replace(organisationId, source, ...more),
    };
    const ports = {
      conventions,
      passages: failing,
      splitPassages: (text: string) => Promise.resolve(passagesOf(text)),
      clock,
      logger,
    };
    const isFound = async (id: string) => Boolean(await passageStore.find(by.organisationId, 'CONVENTION', id));
    const { signal } = new AbortController();

    await indexDueConventions(ports, signal);
    expect(await isFound('whole')).toBe(true);
    expect(await isFound('damaged')).toBe(false);
    isDamaged = false;
    clock.advance(30_001);
    await indexDueConventions(ports, signal);
    expect(await isFound('damaged')).toBe(true);
    await search.close();
  });
});
