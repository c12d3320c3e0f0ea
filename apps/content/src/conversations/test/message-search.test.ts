import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { member, newOrganisation } from '@platform-backend/service/testing';
import { waitFor } from '@platform-backend/testing';
import { actingAs, conversationsOf } from '../../../test/conversation-under-test.ts';
import { startTestContent, type TestContent } from '../../../test/test-content.ts';

let content: TestContent;
beforeAll(async () => {
  content = await startTestContent();
});
afterAll(() => content.stop());

describe('a message that is searched for', () => {
  it('is found by who may read it, under the title it has now, until it is deleted', async () => {
    const organisationId = newOrganisation();
    const [ada, bob] = [member(organisationId, 'VIEWER'), member(organisationId, 'VIEWER')];
    const { conversationId } = await conversationsOf(content).ask(actingAs(ada), 'Walrus insurance');
    const titles = async (by: object): Promise<string[]> => {
      const { hits } = await content.search.search({ query: 'walrus', mode: 'keyword', kinds: ['MESSAGE'] }, by);
      return [...new Set(hits.map(({ title }) => title))];
    };
    const until = async (by: object, ...wanted: string[]): Promise<void> => {
      const isSo = async () => (await titles(by)).join() === wanted.join();
      await waitFor(isSo, { what: `the titles ${wanted.join()}` });
    };
    await until(ada, 'Walrus insurance');
    expect(await titles(bob)).toEqual([]);
    await content.conversations.shareConversation({ conversationId }, ada);
    await until(bob, 'Walrus insurance');
    const rename = { conversationId, title: 'Animals', updateMask: { paths: ['title'] } };
    await content.conversations.updateConversation(rename, ada);
    await until(bob, 'Animals');
    await content.conversations.unshareConversation({ conversationId }, ada);
    expect(await titles(bob)).toEqual([]);
    expect(await titles(ada)).toEqual(['Animals']);
    await content.conversations.deleteConversation({ conversationId }, ada);
    expect(await titles(ada)).toEqual([]);
  });
});
