import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { saying } from '@platform-backend/content/testing/address-server';
import { chatOf, says, toolAnswer, wants } from '@platform-backend/content/testing/chat-script';
import type { ApiRequest } from '@platform-backend/content/testing/openai-double';
import { conversation } from '@platform-backend/demo/conversation';
import { walkApproval } from '@platform-backend/demo/walk-approval';
import { walkContent } from '@platform-backend/demo/walk-content';
import { waitFor } from '@platform-backend/testing';
import { uploadDataset } from './datasets.ts';
import { send } from './http.ts';
import { chats, type OwnPlatform } from './own-platform.ts';
import { expectOk, newCustomer, newOrganisation, newPerson } from './people.ts';
import { startRun } from './pipeline-run.ts';
import type { RunningPlatform } from './platform.ts';

type AnswerMessage = { id: string; message: string; annotations: { approval?: { tool_call_id: string } } };

const path = '/payment-methods/create-setup-intent/';
const KERNELS = '/notebooks/services/session/api/kernels';

const numbers = {
  name: 'numbers',
  config: {
    query_type: 'PYTHON',
    query: 'datasets.write("numbers", [{"n": 1}])',
    output_datasets: ['numbers'],
    job_type: 'INGEST',
  },
};

/** What a platform does that opens set-up intents, has a language model and few kernels. */
export const describeOtherSettings = (tried: () => OwnPlatform): void =>
  describe('a platform as npm start makes it, which opens set-up intents and has a language model, and few kernels', () => {
    let own: OwnPlatform;
    let platform: RunningPlatform;
    beforeAll(() => {
      own = tried();
      ({ platform } = own);
    });
    afterAll(() => {
      own.answer = chats;
    });

    it('makes them without a credential, but few for one address', async () => {
      const answers = [];
      for (let n = 0; n < 8; n += 1) answers.push(await send(platform.facts.url, 'POST', path));
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 429, 429, 429]);
      expect(answers[0]?.body).toEqual({ client_secret: expect.stringMatching(/./) });
      expect(Number(answers.at(-1)?.headers['retry-after'])).toBeGreaterThan(0);
    });

    it('gives a fresh organisation what its first question costs, as npm start says', async () => {
      const ada = await newPerson(platform.facts, 'Ada');
      await newOrganisation(ada);
      const body = { assistant_name: 'general', new_message: 'What can you do?' };
      const { message } = expectOk(
        await ada.call<{ message: { message_type: string } }>('POST', '/agents/submit-to-assistant/', { body }),
      );
      expect(message.message_type).toBe('TEXT');
      expect((await ada.call('GET', '/credits/purchases/')).body).toEqual([]);
    });

    it('still refuses a bad credential', async () => {
      expect((await send(platform.facts.url, 'POST', path, { token: 'wrong' })).status).toBe(401);
    });

    it('lets an assistant use tools of a server of its organisation: at once, and once for an approval', async () => {
      const ada = await newCustomer(platform.facts, 'Ada');
      const body = {
        ...{ name: 'crm', url: own.orders.url, headers: { Authorization: 'Bearer hunter2' } },
        tools: [{ name: 'find_order', approval: 'none' }, { name: 'cancel_order' }],
      };
      const made = await ada.call<{ id: string }>('POST', '/tool-servers/', { body });
      const { id } = expectOk(made);
      const offered = await ada.call('GET', `/tool-servers/${id}/tools/`);
      expect(expectOk(offered)).toMatchObject([
        { name: 'find_order', model_name: 'crm__find_order', is_allowed: true, approval: 'none' },
        { name: 'cancel_order', model_name: 'crm__cancel_order', is_allowed: true, approval: 'required' },
      ]);
      expect(own.orders.headers.at(-1)).toMatchObject({ authorization: 'Bearer hunter2' });

      const clerk = { name: 'Clerk', tool_effects: 'always', tool_server_ids: [id] };
      const assistant = expectOk(await ada.call<{ id: string }>('POST', '/assistants/', { body: clerk }));
      const post = async (to: string, given: object) =>
        expectOk(await ada.call<{ message: AnswerMessage }>('POST', to, { body: given })).message;
      const ask = (question: string) =>
        post('/agents/submit-to-assistant/', { assistant_name: assistant.id, new_message: question });
      const using = (tool: string) => (asked: ApiRequest) =>
        chatOf(asked).messages.some(({ role }) => role === 'tool')
          ? says(toolAnswer(asked))
          : wants(tool, JSON.stringify({ number: 42 }));
      own.answer = using('crm__find_order');
      expect((await ask('What is order 42?')).message).toBe('Order 42: 3 chairs');

      own.answer = using('crm__cancel_order');
      const { id: turnId, annotations } = await ask('Cancel order 42.');
      expect(annotations.approval).toMatchObject({ name: 'crm__cancel_order', status: 'pending' });
      expect(own.cancelled).toEqual([]);
      own.answer = (asked) => says(toolAnswer(asked));
      const decision = { tool_call_id: annotations.approval?.tool_call_id, approve: true };
      const approved = await post(`/agents/turns/${turnId}/approval/`, decision);
      expect(approved.message).toBe('Order 42 is cancelled');
      expect((await post(`/messages/${approved.id}/regenerate/`, {})).message).toMatch('is not done twice');
      expect(own.cancelled).toEqual([42]);

      const audit = () => ada.call<unknown[]>('GET', '/audit-log/?action=tool_server.created');
      await waitFor(async () => expectOk(await audit()).length === 1, { what: 'the entry of the audit log' });
      const shown = [made, offered, await ada.call('GET', '/tool-servers/'), await audit()].map(({ text }) => text);
      expect(shown.join()).toContain('Authorization');
      expect(shown.join()).not.toContain('hunter2');
    });

    it('has a language model answer about each row of a pipeline, once, and paid', async () => {
      const ada = await newCustomer(platform.facts, 'Ada');
      await uploadDataset(ada, 'Letters', 'id,words\n1,Where is my chair?\n2,Thank you!\n');
      const before = own.model.requests.length;
      own.answer = (asked) =>
        says(JSON.stringify({ mood: JSON.stringify(chatOf(asked)).includes('Thank you') ? 'glad' : 'cross' }));
      const properties = { mood: { type: 'string', enum: ['glad', 'cross'] } };
      const config = {
        ...{ query_type: 'LLM', query: 'How is who writes this? {{row.words}}' },
        ...{ input_datasets: ['letters'], output_datasets: ['moods'] },
        llm: { json_schema: { type: 'object', properties, required: ['mood'] } },
      };
      const body = { name: 'Moods', steps: [{ name: 'ask', config }] };
      const pipeline = expectOk(await ada.call<{ id: string }>('POST', '/pipelines/', { body }));
      const run = expectOk(await ada.call<{ id: string }>('POST', `/pipelines/${pipeline.id}/runs/`, { body: {} }));
      const at = `/pipelines/${pipeline.id}/runs/${run.id}/`;
      const ended = await waitFor(
        async () => {
          const { status, message } = expectOk(await ada.call<{ status: string; message: string }>('GET', at));
          return ['Succeeded', 'Failed', 'Error'].includes(status) && { status, message };
        },
        { what: 'the end of the run' },
      );
      expect(ended).toEqual({ status: 'Succeeded', message: '' });
      const query = { query: 'SELECT id, mood FROM moods ORDER BY id' };
      expect(expectOk(await ada.call('POST', '/datasets/query/', { body: query }))).toMatchObject({
        rows: [
          [1, 'cross'],
          [2, 'glad'],
        ],
      });
      expect(own.model.requests.length).toBe(before + 2);
      const paid = async () => {
        const path = '/credits/transactions/?kind=DEBIT&limit=100';
        const debits = expectOk(await ada.call<{ purpose: string; work_id: string }[]>('GET', path));
        return debits.filter(({ purpose, work_id: work }) => purpose === 'pipeline_step' && work === run.id).length;
      };
      await waitFor(async () => (await paid()) === 2, { what: 'both debits' });
      // Nobody else's, and not for a model that is not offered.
      const unknown = { ...config, llm: { model: 'another' } };
      const refused = { name: 'Refused', steps: [{ name: 'ask', config: unknown }] };
      expect((await ada.call('POST', '/pipelines/', { body: refused })).status).toBe(422);
    });

    it('imports documents from addresses that operators allow or that are public, and from no others', async () => {
      const ada = await newCustomer(platform.facts, 'Ada');
      const items = [
        {
          url: `${own.files.answer('/lakes.txt', saying('The deepest lake is Baikal. '.repeat(5)))}?signature=hunter2`,
        },
        { url: own.files.url('/missing.txt') },
      ];
      const made = expectOk(await ada.call<{ id: string }>('POST', '/document-imports/', { body: { items } }));
      const state = () => ada.call<{ queued: number; fetching: number }>('GET', `/document-imports/${made.id}/`);
      await waitFor(
        async () => {
          const { queued, fetching } = expectOk(await state());
          return queued + fetching === 0;
        },
        { what: 'the end of the import' },
      );
      expect((await state()).body).toMatchObject({ total: 2, imported: 1, failed: 1 });
      const shown = await ada.call<{ document_id: string }[]>(
        'GET',
        `/document-imports/${made.id}/items/?status=IMPORTED`,
      );
      const [item] = expectOk(shown);
      const read = () => ada.call<{ status: string }>('GET', `/documents/${item?.document_id ?? ''}/`);
      await waitFor(async () => expectOk(await read()).status === 'READY', { what: 'the document' });
      expect((await read()).body).toMatchObject({ name: 'lakes.txt', content: expect.stringContaining('Baikal') });
      expect(shown.text).toContain('/lakes.txt');
      expect(shown.text).not.toContain('hunter2');
      for (const url of ['http://169.254.169.254/latest/', 'https://localhost/', 'file:///etc/passwd'])
        expect((await ada.call('POST', '/documents/import/', { body: { url } })).status).toBe(422);
    });

    it('shows of a run of a pipeline that a step waits for a kernel while the organisation has all it may have, and goes on with the next', async () => {
      const owner = await newCustomer(platform.facts, 'Olga');
      const { status: started, body: kernel } = await owner.call<{ id: string }>('POST', KERNELS, { body: {} });
      expect(started).toBe(201);
      const { look, watch, waitForStep } = await startRun(owner, [numbers]);
      const waiting = await waitForStep(({ status, message }) => status === 'Pending' && message !== '');
      expect(waiting.message).toMatch(/^Waits for a kernel: /);
      expect((await look()).status).toMatch(/^(Pending|Running)$/);
      expect((await owner.call('DELETE', `${KERNELS}/${kernel.id}`)).status).toBe(204);
      expect((await watch()).at(-1)).toMatchObject({ event: 'finished' });
      expect(await look()).toMatchObject({ status: 'Succeeded', run_steps: [{ status: 'Succeeded', message: '' }] });
      const body = { query: 'SELECT * FROM numbers' };
      expect(expectOk(await owner.call('POST', '/datasets/query/', { body }))).toMatchObject({ rows: [[1]] });
    });

    it('shows by npm run demo what an answer stands on, and that an assistant starts a pipeline once it is approved, and not before', async () => {
      const ada = await newCustomer(platform.facts, 'Ada');
      const steps = [
        { name: 'one', config: { job_type: 'INGEST', query: 'SELECT 1 AS one', output_datasets: ['ones'] } },
      ];
      const pipeline = expectOk(
        await ada.call<{ id: string; name: string }>('POST', '/pipelines/', { body: { name: 'Ones', steps } }),
      );
      own.answer = (asked) => {
        const { messages } = chatOf(asked);
        const isAboutLeave = JSON.stringify(messages).includes('days of leave');
        if (messages.some(({ role }) => role === 'tool'))
          return says(isAboutLeave ? 'Everybody has thirty days [1].' : toolAnswer(asked));
        return isAboutLeave
          ? wants('search_documents', JSON.stringify({ query: 'How many days of leave does everybody have?' }))
          : wants('run_pipeline', JSON.stringify({ pipeline_id: pipeline.id }));
      };
      const printed: string[] = [];
      const talk = conversation(platform.facts.url, (line) => printed.push(line));
      const headers = { authorization: `Bearer ${ada.token}` };
      await walkContent(talk, headers);
      await walkApproval(talk, headers, pipeline);
      expect(printed.join('\n')).toContain(
        'It stands on page 3 of house-rules.pdf: “Holidays. Everybody has thirty days',
      );
      expect(printed.join('\n')).toContain('It waits for an approval: Run the pipeline “Ones”');
    });

    it('has no tool server for another organisation, nor at an address that its operator does not allow', async () => {
      const [ada, eve] = [await newCustomer(platform.facts, 'Ada'), await newCustomer(platform.facts, 'Eve')];
      const body = { name: 'crm', url: own.orders.url };
      const { id } = expectOk(await ada.call<{ id: string }>('POST', '/tool-servers/', { body }));
      for (const path of [`/tool-servers/${id}/`, `/tool-servers/${id}/tools/`])
        expect(await eve.call('GET', path)).toMatchObject({ status: 404, body: { detail: 'Tool server not found' } });
      const clerk = { name: 'Clerk', tool_server_ids: [id] };
      expect((await eve.call('POST', '/assistants/', { body: clerk })).status).toBe(422);
      for (const url of ['http://127.0.0.1:9/', 'https://169.254.169.254/', 'https://[::127.0.0.1]/'])
        expect((await eve.call('POST', '/tool-servers/', { body: { ...body, url } })).status).toBe(422);
    });
  });
