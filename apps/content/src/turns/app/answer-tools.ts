import { idOf, type Fields } from '@platform-backend/core';
import type { CitedSources } from '../../conversations/domain/citations.ts';
import type { ToolSession } from '../../tool-servers/app/tool-session.ts';
import type { Approval } from '../domain/approval.ts';
import type { ChatMessage, ModelTool } from '../domain/language-model.ts';
import { approvalGate } from './approval-gate.ts';
import { assistantTools, type ToolScope } from './assistant-tools.ts';
import { datasetTools } from './dataset-tools.ts';
import { pipelineTools } from './pipeline-tools.ts';
import { rewriteQuestion } from './rewrite-question.ts';
import { serverTools } from './server-tools.ts';
import type { TurnExecution, WritingPorts } from './turn-execution.ts';

/** What an answer may use, and what came of it. */
export interface AnswerTools {
  /** As the model may call them: those with effects ask first. */
  readonly callable: readonly ModelTool[];
  /** What whoever has asked is to approve. */
  readonly requested: Approval | undefined;
  /** Servers that cannot be reached now. */
  readonly unavailable: readonly string[];
  /** Names of tools and servers, for whoever reads the answer. */
  readonly failed: ReadonlySet<string>;
  /** As they are for what was asked for in a turn, this one or one before it: those with effects act at once. */
  readonly ofTurn: (turnId: string) => readonly ModelTool[];
  /** Shows that one is used, and what came of it. @throws what the turn is stopped by; any other failure is answered */
  readonly use: (tool: ModelTool, given: Fields) => Promise<ToolResult>;
  readonly onFailed: (tool: string, error: unknown) => void;
  /** What is found of a follow-up question that is said whole, as a tool that has been used already. */
  readonly searchFollowUp: (messages: readonly ChatMessage[]) => Promise<readonly ChatMessage[]>;
}

export type ToolResult = { readonly text: string } | { readonly error: unknown };

/** How often an assistant looks at a run that it waits for. */
const LOOK_AT_RUN_MS = 1_000;

/** Asks the tool servers of the assistant what they offer; one that cannot be reached is left out, and the answer is written without it. */
export async function answerTools(
  ports: WritingPorts,
  turn: TurnExecution,
  {
    session,
    scope,
    sources,
  }: { readonly session: ToolSession; readonly scope: ToolScope; readonly sources: CitedSources },
): Promise<AnswerTools> {
  const { model, logger, meters } = ports;
  const { ref, assistant, live } = turn;
  const failed = new Set<string>();
  const gate = approvalGate({
    effects: assistant.toolEffects,
    isAttended: turn.isAttended,
    toolCallId: idOf(['tool_call', ref.turnId]),
    expiresAt: () => new Date(ports.clock.now().getTime() + ports.approvalMs),
  });
  // Who only quotes uses no tool but the search.
  const serverIds = model.quotesOnly ? [] : assistant.toolServerIds;
  const elsewhere = await session.usable(serverIds, live.signal).catch((error: unknown) => {
    // Whoever has stopped it is heard when the model is asked.
    if (live.signal.aborted) return { tools: [], unavailable: [] };
    throw error;
  });
  for (const { server, error } of elsewhere.unavailable) {
    failed.add(server);
    meters.toolFailed('tool_server');
    logger.warn(
      { event: 'turn.tool_server_unavailable', err: error, server, turnId: ref.turnId },
      'a tool server cannot be asked, and the answer is written without it',
    );
  }
  const ofTurn = (turnId: string): readonly ModelTool[] => [
    ...platformTools(ports, turn, turnId),
    ...serverTools(elsewhere.tools, turnId),
  ];
  const searching = assistantTools(ports.search, scope, sources);
  const callable = [...searching, ...gate.guard(ofTurn(ref.turnId))];
  const onFailed = (tool: string, error: unknown): void => {
    live.use({ name: tool, isFinished: true, isFailed: true });
    failed.add(tool);
    meters.toolFailed(meteredName(callable.find(({ name }) => name === tool)));
    logger.warn(
      { event: 'turn.tool_failed', err: error, tool, turnId: ref.turnId },
      'a tool failed, and the answer is written without it',
    );
  };
  const use = async (tool: ModelTool, given: Fields): Promise<ToolResult> => {
    live.use({ name: tool.name, isFinished: false, isFailed: false });
    try {
      const text = await tool.run(given, live.signal);
      live.use({ name: tool.name, isFinished: true, isFailed: false });
      return { text };
    } catch (error) {
      live.signal.throwIfAborted();
      onFailed(tool.name, error);
      return { error };
    }
  };
  const searchFollowUp = async (messages: readonly ChatMessage[]): Promise<readonly ChatMessage[]> => {
    const tool = searching.find(({ name }) => name === 'search_documents');
    const query = tool && (await rewriteQuestion(ports, messages, live));
    if (!tool || query === undefined) return [];
    const found = await use(tool, { query });
    if ('error' in found) return [];
    return [{ role: 'tool', call: { id: 'follow_up', tool: tool.name, arguments: { query } }, text: found.text }];
  };
  return {
    get requested() {
      return gate.requested;
    },
    ...{ callable, failed, ofTurn, onFailed, searchFollowUp, use },
    unavailable: elsewhere.unavailable.map(({ server }) => server),
  };
}

/** As far as assistant and caller may use them. */
const platformTools = (ports: WritingPorts, { by, assistant }: TurnExecution, turnId: string): ModelTool[] => [
  ...(assistant.tools.includes('query_datasets') && by.rights.datasets ? datasetTools(ports.datasets, by) : []),
  ...(assistant.tools.includes('run_pipelines') && by.rights.runs
    ? pipelineTools(ports.pipelines, { by, turnId, pause: (signal) => ports.pause(LOOK_AT_RUN_MS, signal) })
    : []),
];

/** Each name would be a series of the metric for good, and a model makes up names as well: tools of servers have one together. */
const meteredName = (tool: ModelTool | undefined): string => {
  if (!tool) return 'unknown';
  return tool.schema ? 'tool_server' : tool.name;
};
