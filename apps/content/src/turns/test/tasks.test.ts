import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { TaskServiceClient } from '@platform-backend/contract-content';
import { newId } from '@platform-backend/core';
import type { CallOptions } from '@platform-backend/grpc';
import { member, newOrganisation, refusalOf, service } from '@platform-backend/service/testing';
import { waitFor } from '@platform-backend/testing';
import { says } from '../../../test/chat-script.ts';
import { openAiDouble, type OpenAiDouble } from '../../../test/openai-double.ts';
import { startTestContent, type TestContent } from '../../../test/test-content.ts';

describe('a task of another service', () => {
  let content: TestContent;
  let model: OpenAiDouble;
  let tasks: TaskServiceClient<CallOptions>;
  let organisationId: string;
  let by: CallOptions;
  beforeAll(async () => {
    model = await openAiDouble(() => says('All is well.'));
    const environment = { LLM_BASE_URL: model.baseUrl, LLM_MICROS_PER_1000_TOKENS: '0', CONTENT_DOCUMENT_WORKERS: '0' };
    content = await startTestContent({ environment });
    tasks = content.calledBy('pipelines').to<TaskServiceClient<CallOptions>>('TaskService');
  });
  afterAll(async () => {
    await content.stop();
    await model.close();
  });
  beforeEach(() => {
    organisationId = newOrganisation();
    by = service('pipelines', organisationId);
  });

  const task = (turnId: string, userId: string, more: object = {}) => ({
    ...{ turnId, userId, permissionLevel: 'EDITOR' as const },
    ...{ assistantName: 'general', instruction: 'Look after the figures', ...more },
  });
  const answered = (turnId: string, userId: string) =>
    waitFor(
      async () => {
        const turn = await tasks.runTask(task(turnId, userId), by);
        return turn.message?.isFinished ? turn : null;
      },
      { what: 'the answer' },
    );

  it('is a conversation of the member, who finds instruction and answer in it', async () => {
    const ada = member(organisationId, 'EDITOR');
    const userId = ada.caller.userId ?? '';
    const { conversationId, message } = await answered(newId(), userId);
    expect(message).toMatchObject({ message: 'All is well.', messageType: 'TEXT', senderType: 'ASSISTANT' });
    const { messages } = await content.messages.listMessages({ conversationId, order: 'asc' }, ada);
    expect(messages.map(({ senderType, memberId, message: text }) => [senderType, memberId, text])).toEqual([
      ['USER', userId, 'Look after the figures'],
      ['ASSISTANT', userId, 'All is well.'],
    ]);
  });

  it('is done once, however often it is asked for', async () => {
    const [turnId, userId] = [newId(), newId()];
    const first = await answered(turnId, userId);
    const again = await Promise.all([1, 2, 3].map(() => tasks.runTask(task(turnId, userId), by)));
    expect(again).toEqual([first, first, first]);
    const other = await refusalOf(tasks.runTask(task(turnId, userId, { instruction: 'Something else' }), by));
    expect(other.kind).toBe('invalid');
  });

  it('is refused where there is no such assistant', async () => {
    const unknown = await refusalOf(tasks.runTask(task(newId(), newId(), { assistantName: 'nobody' }), by));
    expect(unknown).toMatchObject({ kind: 'not_found', message: 'Assistant not found' });
  });
});
