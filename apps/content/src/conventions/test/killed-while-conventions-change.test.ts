import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openDatabase, type Database } from '@platform-backend/mongo';
import { member, newOrganisation, startService, type ServiceProcess } from '@platform-backend/service/testing';
import { repetitions, waitFor } from '@platform-backend/testing';
import { startTestContent, type TestContent } from '../../../test/test-content.ts';
import { collectionsOfAll } from '../../service.ts';

const ROUNDS = repetitions({ usual: 1, long: 5 });
/** Conventions that are changed all the time. */
const CONVENTIONS = repetitions({ usual: 3, long: 6 });

describe('a service that is killed while conventions change', () => {
  let content: TestContent;
  let running: ServiceProcess;
  let database: Database;
  const organisationId = newOrganisation();
  const ada = member(organisationId);

  beforeAll(async () => {
    const run = async (env: Readonly<Record<string, string>>) => {
      running = await startService('content', env);
      return { address: running.address, metricsAddress: '', stop: () => running.kill() };
    };
    content = await startTestContent({ run });
    const { url } = content.database;
    database = await openDatabase({
      url,
      applicationName: 'a test',
      logger: content.logger,
      collections: await collectionsOfAll(),
    });
  });
  afterAll(async () => {
    await database.close();
    await content.stop();
  });

  /** Each writes its texts one after the other until the service is gone; answers the last that was acknowledged. */
  async function changeUntilKilled(round: number, id: string, onAnswer: () => void): Promise<string> {
    let last = '';
    for (let change = 0; ; change += 1) {
      const text = `text${round}x${change}x${id.replaceAll('-', '')}`;
      try {
        const request = { conventionId: id, content: text, updateMask: { paths: ['content'] } };
        await content.conventions.updateConvention(request, ada);
        last = text;
        onAnswer();
      } catch {
        return last;
      }
    }
  }

  it('keeps what it has acknowledged, tells of it, and finds each by what it says now and by nothing else', async () => {
    const ids: string[] = [];
    for (let made = 0; made < CONVENTIONS; made += 1)
      ids.push((await content.conventions.createConvention({ title: 'Rule', content: 'First.' }, ada)).id);
    for (let round = 0; round < ROUNDS; round += 1) {
      let answers = 0;
      const killAt = 5 + Math.floor(Math.random() * 20);
      const killed = Promise.withResolvers<undefined>();
      const onAnswer = () => {
        answers += 1;
        if (answers === killAt) running.kill().then(() => killed.resolve(undefined), killed.reject);
      };
      const acknowledged = await Promise.all(ids.map((id) => changeUntilKilled(round, id, onAnswer)));
      await killed.promise;
      // Where its callers look for it.
      running = await startService('content', { ...content.env, CONTENT_LISTEN: content.address });
      for (const [at, id] of ids.entries()) {
        const { content: now } = await waitFor(() => content.conventions.getConvention({ conventionId: id }, ada));
        const numberOf = (text: string) => Number(text.split('x')[2] ?? -1);
        // What was on its way may have come in or not, and nothing older is there.
        if (acknowledged[at] !== '') expect(numberOf(now)).toBeGreaterThanOrEqual(numberOf(acknowledged[at] ?? ''));
      }
    }
    const notes = () =>
      database.tenant(organisationId, () => database.model('conventionsToIndex').countDocuments().exec());
    await waitFor(async () => (await notes()) === 0, { what: 'the indexing of all' });
    for (const id of ids) {
      const { content: now, embedding } = await content.conventions.getConvention({ conventionId: id }, ada);
      expect(embedding.length).toBeGreaterThan(0);
      const { hits } = await content.conventions.searchConventions({ query: now, mode: 'keyword' }, ada);
      expect(hits.map(({ convention }) => convention?.id)).toEqual([id]);
      const { versions } = await content.conventions.listConventionHistory({ conventionId: id, limit: 200 }, ada);
      expect(versions[0]?.content).toBe(now);
      const before = versions[1]?.content ?? '';
      expect((await content.conventions.searchConventions({ query: before, mode: 'keyword' }, ada)).hits).toEqual([]);
      const told = { type: 'platform.v1.content.convention.updated', subject: id };
      const events = await waitFor(async () => {
        const count = await database.unguarded.collection('outbox').countDocuments(told);
        return count >= versions.length - 1 ? count : undefined;
      });
      expect(events).toBe(versions.length - 1);
    }
  }, 600_000);
});
