import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { creditLedger, type CreditLedger } from '@platform-backend/contract-billing/client/testing';
import { newId } from '@platform-backend/core';
import { member, newOrganisation } from '@platform-backend/service/testing';
import { waitFor } from '@platform-backend/testing';
import { says, toolAnswer, wants } from '../../../test/chat-script.ts';
import { documentClient } from '../../../test/document-client.ts';
import { openAiDouble, type OpenAiDouble } from '../../../test/openai-double.ts';
import { keys, startTestContent, type TestContent } from '../../../test/test-content.ts';

describe('a turn of an assistant that is limited to documents with metadata', () => {
  let ledger: CreditLedger;
  let api: OpenAiDouble;
  let content: TestContent;
  let asked = 0;
  beforeAll(async () => {
    ledger = await creditLedger(keys);
    // Texts are found by their words.
    api = await openAiDouble(({ path }) => {
      if (!path.includes('chat')) return { status: 400, body: {} };
      asked += 1;
      return asked === 1 ? wants('search_documents', '{"query":"codes of the doors"}') : says('As said [1].');
    });
    const environment = { BILLING_ADDRESS: ledger.address, EMBEDDINGS_BASE_URL: api.baseUrl };
    content = await startTestContent({ environment: { ...environment, LLM_MODEL: 'm', LLM_BASE_URL: api.baseUrl } });
  });
  afterAll(async () => {
    await content.stop();
    await api.close();
    await ledger.close();
  });
  beforeEach(() => {
    asked = 0;
  });

  const editor = member(newOrganisation(), 'EDITOR');
  const file = async (name: string, text: string, metadata: Record<string, string>): Promise<string> => {
    const client = documentClient(content);
    const { documentId, signedUrl } = await content.documents.uploadDocument({ id: newId(), name, metadata }, editor);
    await client.put(signedUrl, text);
    await client.until(documentId, 'READY', editor);
    return documentId;
  };
  /** What the tool has told the model, what the answer cites, and what became of the things that the client named. */
  const ask = async (assistantName: string, ...named: readonly string[]) => {
    asked = 0;
    const entities = named.map((id) => ({ type: 'document', id }));
    const turn = { assistantName, newMessage: 'Which codes have the doors?', conversationCtx: { entities } };
    const { message } = await content.assistants.submitToAssistant(turn, editor);
    const { citations, context } = (message?.annotations ?? {}) as {
      readonly citations?: readonly { readonly id: string }[];
      readonly context?: readonly { readonly status: string }[];
    };
    // Vectors are asked for as well, of the answer, too.
    const last = api.requests.findLast(({ path }) => path.includes('chat'));
    const told = toolAnswer(last ?? { path: '', headers: {}, body: Buffer.from('{"messages":[]}') });
    return { told, cited: citations?.map(({ id }) => id), statuses: context?.map(({ status }) => status) };
  };

  it('shows the model nothing of others, whichever the client names, and follows what is known of them', async () => {
    const cellar = await file('cellar.txt', 'The codes of the doors: cellar 4711.', { department: 'hr', region: 'eu' });
    const attic = await file('attic.txt', 'The codes of the doors: attic 9922.', { department: 'hr', region: 'us' });
    const roof = await file('roof.txt', 'The codes of the doors: roof 8833.', {});
    const found = async () => (await content.search.search({ query: 'codes of the doors' }, editor)).hits.length;
    await waitFor(async () => (await found()) === 3, { what: 'the index' });
    const tools = ['search_documents'] as const;
    const limited = { name: 'Clerk', tools, documentMetadata: { department: 'hr', region: 'eu' } };
    const { id: clerk } = await content.assistants.createAssistant(limited, editor);
    const { id: anybody } = await content.assistants.createAssistant({ name: 'Anybody', tools }, editor);

    const all = await ask(anybody);
    for (const code of ['4711', '9922', '8833']) expect(all.told).toContain(code);

    const own = await ask(clerk);
    expect(own).toMatchObject({ told: expect.stringContaining('4711'), cited: [cellar] });
    expect(own.told).not.toMatch(/9922|8833/);

    const named = await ask(clerk, attic, roof, cellar);
    expect(named).toMatchObject({ cited: [cellar], statuses: ['NOT_FOUND', 'NOT_FOUND', 'RESOLVED'] });
    expect(named.told).not.toMatch(/9922|8833/);

    const change = async (documentId: string, metadata: Record<string, string>) => {
      const updateMask = { paths: ['metadata'] };
      await content.documents.updateDocument({ documentId, metadata, updateMask }, editor);
    };
    await change(cellar, { department: 'hr' });
    await change(attic, { department: 'hr', region: 'eu', floor: '5' });
    await waitFor(async () => (await ask(clerk)).cited?.join() === attic, { what: 'what is known of the documents' });
    expect((await ask(clerk)).told).not.toMatch(/4711|8833/);
  });
});
