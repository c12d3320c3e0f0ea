import { BrokenPromise, type Conversation } from './conversation.ts';

type Answer = {
  id: string;
  message: string;
  annotations: { model?: string; approval?: { tool_call_id: string; summary: string } };
};
type Reply = { message: Answer };
type Run = { id: string };

/** What answers where no language model is set up: it quotes, and uses no tool with effects. */
export const QUOTES_ONLY = 'retrieval';

/** An assistant that wants to start a pipeline, and does so when it is approved and not before. */
export const walkApproval = async (
  { chapter, send, say }: Conversation,
  headers: Record<string, string>,
  { id: pipelineId, name }: { readonly id: string; readonly name: string },
): Promise<void> => {
  chapter('An assistant that may start pipelines, each time with the approval of whoever has asked');
  const assistant = await send<{ id: string }>({
    method: 'POST',
    path: '/assistants/',
    headers,
    body: {
      name: 'Operator',
      instructions: 'You start the pipeline that you are asked for, and say how its run went.',
      tools: ['run_pipelines'],
      tool_effects: 'ask',
    },
    expect: 200,
  });
  const runsOfIt = () =>
    send<Run[]>({ method: 'GET', path: `/pipelines/${pipelineId}/runs/?limit=10`, headers, expect: 200 });
  const before = await runsOfIt();
  const { message: asked } = await send<Reply>({
    method: 'POST',
    path: '/agents/submit-to-assistant/',
    headers,
    body: { assistant_name: assistant.id, new_message: `Run the pipeline ${name}, please.` },
    expect: 200,
  });
  const { approval, model } = asked.annotations;
  if (model === QUOTES_ONLY) {
    say(
      'No language model is set up here (LLM_BASE_URL), so no assistant wants to start anything: nothing is approved.',
    );
    return;
  }
  if (!approval) {
    say('The language model has not asked to start it, which another one does: nothing is approved.');
    return;
  }

  chapter(`It waits for an approval: ${approval.summary}`);
  if ((await runsOfIt()).length !== before.length) throw new BrokenPromise('the pipeline ran without an approval');
  await send<Reply>({
    method: 'POST',
    path: `/agents/turns/${asked.id}/approval/`,
    headers,
    body: { tool_call_id: approval.tool_call_id, approve: true },
    expect: 200,
  });
  if ((await runsOfIt()).length !== before.length + 1) throw new BrokenPromise('what was approved did not run once');
};
