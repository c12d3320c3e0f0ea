import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  pipelinesContract,
  type QueryDatasetsRequest,
  type StartTaskRunRequest,
} from '@platform-backend/contract-pipelines';
import { newId } from '@platform-backend/core';
import type { CallContext } from '@platform-backend/grpc';
import { member, newOrganisation, standIn } from '@platform-backend/service/testing';
import { chatOf, says, toolAnswer, wants } from '../../../test/chat-script.ts';
import { openAiDouble, type ApiAnswer, type ApiRequest, type OpenAiDouble } from '../../../test/openai-double.ts';
import { keys, startTestContent, type TestContent } from '../../../test/test-content.ts';

const nightly = { id: newId(), name: 'Nightly', description: 'Cleans orders' };
const runId = newId();
const runIs = (status: string, finishedAt: Date | null) => ({
  ...{ id: runId, status, finishedAt },
  runSteps: [{ name: 'clean', status: 'Succeeded' }],
  pipelineVersion: { steps: [{ name: 'clean', config: { outputDatasets: ['clean orders'] } }] },
});

/** Stands in for pipelines, and remembers in which organisation it was asked what. */
async function pipelinesDouble() {
  const asked: string[] = [];
  const written = {
    DatasetService: {
      queryDatasets({ query }: QueryDatasetsRequest, context: CallContext) {
        asked.push(`${context.organisationId()} ${query}`);
        return { columns: [{ name: 'total', type: 'BIGINT' }], rows: [[42]], isCut: false, seconds: 0 };
      },
    },
    PipelineService: {
      listPipelines: () => ({ pipelines: [nightly] }),
      getPipeline: () => nightly,
    },
    RunService: {
      startTaskRun({ pipelineId, userId, permissionLevel }: StartTaskRunRequest, context: CallContext) {
        asked.push([context.organisationId(), pipelineId, userId, permissionLevel].join(' '));
        return runIs('Running', null);
      },
      getRun: () => runIs('Succeeded', new Date()),
    },
  };
  return { ...(await standIn(pipelinesContract, written, keys)), asked };
}

describe('an assistant with datasets and pipelines', () => {
  let content: TestContent;
  let model: OpenAiDouble;
  let pipelines: Awaited<ReturnType<typeof pipelinesDouble>>;
  let answer: (request: ApiRequest) => ApiAnswer;
  const ask = async (newMessage: string, by: ReturnType<typeof member>, assistantName = 'general') => {
    const { message } = await content.assistants.submitToAssistant({ assistantName, newMessage }, by);
    return message;
  };
  /** The id of an assistant that may start runs, which none does that everybody has. */
  const operatorOf = async (organisationId: string): Promise<string> =>
    (
      await content.assistants.createAssistant(
        { name: 'Operator', tools: ['run_pipelines'] },
        member(organisationId, 'ADMIN'),
      )
    ).id;
  /** What the tool answered, unless the model has not used it yet. */
  const answered = (request: ApiRequest): string | undefined =>
    chatOf(request).messages.some(({ role }) => role === 'tool') ? toolAnswer(request) : undefined;

  beforeAll(async () => {
    pipelines = await pipelinesDouble();
    model = await openAiDouble((request) => answer(request));
    content = await startTestContent({
      environment: {
        LLM_BASE_URL: model.baseUrl,
        LLM_MICROS_PER_1000_TOKENS: '0',
        CONTENT_DOCUMENT_WORKERS: '0',
        PIPELINES_ADDRESS: pipelines.address,
      },
    });
  });
  afterAll(async () => {
    await content.stop();
    await model.close();
    await pipelines.close();
  });

  it('answers from rows of datasets that the model selects, in the organisation of who asks', async () => {
    const organisationId = newOrganisation();
    const query = 'SELECT sum(amount) AS total FROM "sales"';
    answer = (request) => {
      const seen = answered(request);
      return seen === undefined ? wants('query_datasets', JSON.stringify({ query })) : says(seen);
    };
    const message = await ask('What did we sell?', member(organisationId));
    expect(message).toMatchObject({ messageType: 'TEXT', message: '["total"]\n[42]' });
    expect(pipelines.asked).toContain(`${organisationId} ${query}`);
  });

  it('runs a pipeline in the name of who asks, and tells how it ended', async () => {
    const organisationId = newOrganisation();
    const by = member(organisationId, 'EDITOR');
    answer = (request) => {
      const seen = answered(request);
      return seen === undefined ? wants('run_pipeline', JSON.stringify({ pipeline_id: nightly.id })) : says(seen);
    };
    const message = await ask('Clean the orders.', by, await operatorOf(organisationId));
    expect(message?.message).toBe(
      `Run ${runId}: Succeeded\nStep "clean": Succeeded\nIt made the datasets clean orders.`,
    );
    expect(pipelines.asked).toContain(`${organisationId} ${nightly.id} ${by.caller.userId ?? ''} EDITOR`);
  });

  it('runs nothing for who may not start runs', async () => {
    const offered: string[][] = [];
    answer = (request) => {
      offered.push((chatOf(request).tools ?? []).map((tool) => tool.function.name));
      return says('No.');
    };
    const organisationId = newOrganisation();
    const operator = await operatorOf(organisationId);
    await ask('Clean the orders.', member(organisationId, 'VIEWER'), operator);
    expect(offered[0]).not.toContain('run_pipeline');
    await ask('Clean the orders.', member(organisationId, 'EDITOR'), operator);
    expect(offered[1]).toContain('run_pipeline');
  });

  it('runs nothing through the assistant that everybody has, whatever a document or a model says', async () => {
    answer = (request) => {
      const seen = answered(request);
      return seen === undefined ? wants('run_pipeline', JSON.stringify({ pipeline_id: nightly.id })) : says(seen);
    };
    const before = pipelines.asked.length;
    await ask('Clean the orders.', member(newOrganisation(), 'OWNER'));
    expect(pipelines.asked).toHaveLength(before);
  });
});
