import {
  beginningOf,
  DomainError,
  idOf,
  type Clock,
  type FairSemaphore,
  type Fields,
  type Logger,
  type Tenant,
} from '@platform-backend/core';
import { citedSources } from '../../conversations/domain/citations.ts';
import type { Conversations, Messages } from '../../conversations/domain/conversations.ts';
import { interrupted, type Incomplete } from '../../conversations/domain/incomplete.ts';
import { writeMessage, type Message, type MessageEnd } from '../../conversations/domain/message.ts';
import { readerOf } from '../../conversations/domain/reader.ts';
import type { Payer } from '../../credits/domain/credits.ts';
import type { Search } from '../../passages/domain/search.ts';
import type { ToolSession } from '../../tool-servers/app/tool-session.ts';
import { modelNameOf } from '../../tool-servers/domain/server-tool.ts';
import { approvalFields, approvalOf } from '../domain/approval.ts';
import type { AssistantConfig, TurnRights } from '../domain/assistant-config.ts';
import type { Datasets } from '../domain/datasets.ts';
import { answerEmpty, answerWithheld } from '../domain/errors.ts';
import {
  isSameUsage,
  noUsage,
  ToolRefusal,
  type ChatMessage,
  type EndReason,
  type GenerationOptions,
  type LanguageModel,
  type ModelTool,
  type Question,
} from '../domain/language-model.ts';
import type { Pipelines } from '../domain/pipelines.ts';
import {
  formatInstructions,
  responseFormatOf,
  structuredOutput,
  wordsIn,
  type JsonSchemas,
  type ResponseFormat,
} from '../domain/structured-output.ts';
import { approvalGate } from './approval-gate.ts';
import { assistantTools, SEARCH_WAS_INCOMPLETE } from './assistant-tools.ts';
import { readAttachments, scopeWithAttachments, type AttachedFiles, type ReadAttachments } from './attachments.ts';
import type { ConversationTurns, TurnRef } from './conversation-turns.ts';
import { datasetTools } from './dataset-tools.ts';
import { reasonOf, TurnInterrupted, TurnStopped, usageOf, type LiveAnswer } from './live-answer.ts';
import { pipelineTools } from './pipeline-tools.ts';
import { rewriteQuestion, type RewritePorts } from './rewrite-question.ts';
import { serverTools } from './server-tools.ts';
import { storePeriodically } from './store-answer.ts';
import type { TurnContext } from './turn-context.ts';
import type { TurnMeters } from './turn-meters.ts';
import { turnInstructions, turnMessages, turnTool } from './turn-prompt.ts';

export interface AnswerPorts {
  readonly meters: TurnMeters;
  readonly clock: Clock;
  /** For how long a call of a tool may be approved. */
  readonly approvalMs: number;
  readonly datasets: Datasets;
  readonly pipelines: Pipelines;
  readonly attachedFiles: AttachedFiles;
  /** Of the answers that hold images at once. */
  readonly imageSlots: FairSemaphore;
  readonly schemas: JsonSchemas;
  /** Connects to the tool servers of one answer. */
  readonly toolServers: (organisationId: string) => ToolSession;
  /** Rejected when the signal is aborted. */
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly conversationTurns: ConversationTurns;
  readonly conversations: Conversations;
  readonly messages: Messages;
  readonly model: LanguageModel;
  readonly rewriteModel: RewritePorts['rewriteModel'];
  readonly search: Search;
  readonly turnLeaseMs: number;
  readonly logger: Pick<Logger, 'warn'>;
}

export type WritingPorts = Pick<
  AnswerPorts,
  | 'approvalMs'
  | 'attachedFiles'
  | 'clock'
  | 'datasets'
  | 'imageSlots'
  | 'logger'
  | 'meters'
  | 'model'
  | 'pause'
  | 'pipelines'
  | 'rewriteModel'
  | 'schemas'
  | 'search'
  | 'toolServers'
> & {
  readonly conversationTurns: Pick<ConversationTurns, 'branchOf' | 'claimApproved'>;
};

export interface Caller extends Payer {
  readonly rights: TurnRights;
}

/** An answer while it is written. */
export interface TurnExecution {
  readonly by: Caller;
  readonly ref: TurnRef;
  readonly assistant: AssistantConfig;
  readonly context: TurnContext;
  /** Whoever has asked is there, and may be asked back. */
  readonly isAttended: boolean;
  /** In which the answer is asked for; absent: text, or as `given` says. */
  readonly responseFormat?: ResponseFormat;
  readonly live: LiveAnswer;
  /** What is asked, where it comes with the request; absent: it stands in the conversation. */
  readonly given?: GivenQuestion;
}

/** All that was said, of which nothing is kept. */
export interface GivenQuestion {
  /** Beside those of the assistant. */
  readonly instructions: string;
  /** Oldest first; the last one is a person's. */
  readonly messages: readonly ChatMessage[];
  /** What was read of files that came with it. */
  readonly attached: ReadAttachments['texts'];
  /** In place of the assistant's; null: that one. */
  readonly temperature: number | null;
  readonly generation: GenerationOptions;
}

const MAX_CHARACTERS = 100_000;
/** That a model reads of a branch, with the answer itself; older ones are left out. */
const MAX_MESSAGES = 41;
/** How often an assistant looks at a run that it waits for. */
const LOOK_AT_RUN_MS = 1_000;

/**
 * Has the model answer, into `live`, and says how the message ends. What was written is kept, with the reason why there is no more.
 *
 * @throws what stopped it where there is nothing of it, unless a person did
 */
export async function writeAnswer(ports: WritingPorts, turn: TurnExecution): Promise<MessageEnd> {
  const { organisationId } = turn.by;
  const session = ports.toolServers(organisationId);
  let tenant: Tenant | undefined;
  const beforeImages = async (): Promise<void> => {
    tenant ??= await ports.imageSlots.acquire('tenants', organisationId, turn.live.signal);
  };
  try {
    return await writeWith(ports, turn, { session, beforeImages });
  } finally {
    if (tenant) ports.imageSlots.release(tenant);
    await session.close();
  }
}

async function writeWith(
  ports: WritingPorts,
  turn: TurnExecution,
  {
    session,
    beforeImages,
  }: {
    readonly session: ToolSession;
    /** Waits until there is room for images. */
    readonly beforeImages: () => Promise<void>;
  },
): Promise<MessageEnd> {
  const { conversationTurns, model, logger } = ports;
  const { by, ref, assistant, context, live } = turn;
  const begun = performance.now();
  const sources = citedSources();
  const searched = { isComplete: true };
  const { given } = turn;
  const branch = given ? [] : await conversationTurns.branchOf(by, ref.turnId, MAX_MESSAGES);
  const before = branch.slice(0, -1);
  const scope = {
    organisationId: by.organisationId,
    memberId: readerOf(by).memberId,
    rights: by.rights,
    assistant,
    documents: scopeWithAttachments(context.documents, before, model),
    quotesOnly: model.quotesOnly,
    onLeftOut: () => {
      searched.isComplete = false;
    },
  };
  const format = turn.responseFormat ?? responseFormatOf(given?.generation.responseFormat ?? null);
  const failedTools = new Set<string>();
  const toolFailed = (tool: string, error: unknown): void => {
    live.use({ name: tool, isFinished: true, isFailed: true });
    failedTools.add(tool);
    // A model makes up names as well, and each would be a series of the metric for good.
    ports.meters.toolFailed(meteredName(tools.find(({ name }) => name === tool)));
    logger.warn(
      { event: 'turn.tool_failed', err: error, tool, turnId: ref.turnId },
      'a tool failed, and the answer is written without it',
    );
  };
  const gate = approvalGate({
    effects: assistant.toolEffects,
    isAttended: turn.isAttended,
    toolCallId: idOf(['tool_call', ref.turnId]),
    expiresAt: () => new Date(ports.clock.now().getTime() + ports.approvalMs),
  });
  // Who only quotes uses no tool but the search.
  const serverIds = model.quotesOnly ? [] : assistant.toolServerIds;
  const elsewhere = await session.usable(serverIds, live.signal).catch((error: unknown) => {
    // Whoever has stopped it is heard below.
    if (live.signal.aborted) return { tools: [], unavailable: [] };
    throw error;
  });
  for (const { server, error } of elsewhere.unavailable) {
    failedTools.add(server);
    ports.meters.toolFailed('tool_server');
    logger.warn(
      { event: 'turn.tool_server_unavailable', err: error, server, turnId: ref.turnId },
      'a tool server cannot be asked, and the answer is written without it',
    );
  }
  const unavailable = elsewhere.unavailable.map(({ server }) => server);
  const about = turnTool(context, unavailable);
  const toolsOf = (turnId: string): readonly ModelTool[] => [
    ...toolsElsewhere(ports, turn, turnId),
    ...serverTools(elsewhere.tools, turnId),
  ];
  const searching = assistantTools(ports.search, scope, sources);
  /** What is found of a follow-up question that is said whole, as a tool that has been used already. */
  const foundBefore = async (messages: readonly ChatMessage[]): Promise<readonly ChatMessage[]> => {
    const tool = searching.find(({ name }) => name === 'search_documents');
    const query = tool && (await rewriteQuestion(ports, messages, live));
    if (!tool || query === undefined) return [];
    const { name } = tool;
    live.use({ name, isFinished: false, isFailed: false });
    try {
      const text = await tool.run({ query }, live.signal);
      live.use({ name, isFinished: true, isFailed: false });
      return [{ role: 'tool', call: { id: 'follow_up', tool: name, arguments: { query } }, text }];
    } catch (error) {
      live.signal.throwIfAborted();
      toolFailed(name, error);
      return [];
    }
  };
  const tools: readonly ModelTool[] = [...searching, ...gate.guard(toolsOf(ref.turnId))];
  let attached: ReadAttachments = { images: new Map(), texts: given?.attached, cut: [], missing: [] };
  const question = async (): Promise<Question> => {
    // Who only quotes reads none of them, and finds what is in them.
    if (!given && !model.quotesOnly) {
      const seesImages = model.seesImages(assistant.model);
      attached = await readAttachments(ports, before, { by, seesImages, beforeImages, signal: live.signal });
    }
    if (given?.messages.some((message) => message.role === 'user' && message.images)) await beforeImages();
    const said = given ? given.messages : turnMessages(before);
    const found = await foundBefore(said);
    const shown = [...(about ? [about] : []), ...(attached.texts ? [attached.texts] : [])];
    const besides = [...shown.map((one) => one.shown), ...found];
    return {
      instructions: turnInstructions(assistant, [given?.instructions, format && formatInstructions(format)]),
      messages: given
        ? [...given.messages, ...besides]
        : turnMessages(before, besides, {
            executed: await executeApproved(ports, turn, before.at(-1), { toolsOf, unavailable, toolFailed }),
            images: attached.images,
          }),
      tools: [...tools, ...shown.map(({ tool }) => tool)],
      model: assistant.model,
      temperature: given?.temperature ?? assistant.temperature,
      ...((given || format) && { generation: { ...given?.generation, ...(format && { responseFormat: format }) } }),
      isOver: () => gate.requested !== undefined,
    };
  };
  // A model that understands has read them, and says so in its own words.
  const notes = model.quotesOnly ? context.entities.flatMap(({ note }) => note ?? []) : [];
  if (notes.length > 0) live.write(`${notes.join('\n')}\n\n`);
  let end: { isStopped?: true; isCut?: true; incomplete?: Incomplete | undefined } = {};
  try {
    for await (const part of model.answer(await question(), live.signal)) {
      if (part.kind === 'usage') live.count(part.usage);
      else if (part.kind === 'tool_call') live.use({ name: part.tool, isFinished: false, isFailed: false });
      else if (part.kind === 'tool_result' && part.isError) toolFailed(part.tool, part.error);
      else if (part.kind === 'tool_result') live.use({ name: part.tool, isFinished: true, isFailed: false });
      else if (part.kind === 'end') end = gate.requested ? {} : { incomplete: endOf(part.reason, live.text) };
      else {
        const written = beginningOf(part.text, MAX_CHARACTERS - live.text.length);
        if (live.text === '') ports.meters.timeToFirstToken((performance.now() - begun) / 1000);
        live.write(written);
        if (written !== part.text || live.text.length >= MAX_CHARACTERS) {
          end = { isCut: true };
          break;
        }
      }
    }
    if (gate.requested && live.text.trim() === '')
      live.write(`I would like to do this, and wait for your approval: ${gate.requested.summary}.`);
    if (live.text.trim() === '') throw answerEmpty();
  } catch (error) {
    if (live.signal.reason instanceof TurnStopped) end = { isStopped: true };
    else {
      const failure: unknown = live.signal.aborted ? live.signal.reason : error;
      if (live.text.trim() === '') throw failure;
      logger.warn({ event: 'turn.failed', err: failure, turnId: ref.turnId }, 'an answer ends before its end');
      end = { incomplete: reasonOf(failure) };
    }
  }
  if (!searched.isComplete && model.quotesOnly) live.write(`\n\n${SEARCH_WAS_INCOMPLETE}`);
  const structured =
    format &&
    !gate.requested &&
    (await structuredOutput({ ...ports, organisationId: by.organisationId }, format, live.text));
  return {
    message: live.text,
    messageType: 'TEXT',
    annotations: {
      citations: sources.citedIn(format ? wordsIn(live.text) : live.text),
      context: context.entities,
      model: modelOf(ports, turn),
      ...(structured && { structured_output: structured }),
      ...(!searched.isComplete && { search_incomplete: true }),
      ...(attached.cut.length > 0 && { cut_attachments: attached.cut }),
      ...(attached.missing.length > 0 && { missing_attachments: attached.missing }),
      ...(failedTools.size > 0 && { failed_tools: [...failedTools] }),
      ...(gate.requested && !end.isStopped && !end.incomplete && { approval: approvalFields(gate.requested) }),
      ...(end.isStopped && { stopped: true }),
      ...(end.isCut && { cut: true }),
      ...(end.incomplete && { incomplete: end.incomplete }),
    },
  };
}

/** Each name would be a series for good: tools of servers have one together. */
const meteredName = (tool: ModelTool | undefined): string => {
  if (!tool) return 'unknown';
  return tool.schema ? 'tool_server' : tool.name;
};

/** Which one answers; of those that are chosen for an assistant nobody asks who only quotes. */
export const modelOf = (
  { model }: Pick<AnswerPorts, 'model'>,
  { assistant }: Pick<TurnExecution, 'assistant'>,
): string => (assistant.model === '' || model.quotesOnly ? model.name : assistant.model);

const CUT_BY_MODEL: Incomplete = {
  code: 'length',
  message: 'The answer is longer than the language model may write at once, and ends here.',
};
const OUT_OF_STEPS: Incomplete = {
  code: 'tool_calls',
  message: 'The language model wanted to look for more than it may in one answer, and ends here.',
};
const WITHHELD: Incomplete = {
  code: 'content_filter',
  message: 'The provider of the language model withholds the rest of the answer.',
};

/** Why an answer is not whole of which the model says that it ends. @throws where there is nothing of it. */
function endOf(reason: EndReason, text: string): Incomplete | undefined {
  if (text.trim() === '') throw reason === 'content_filter' ? answerWithheld() : answerEmpty();
  return {
    length: CUT_BY_MODEL,
    tool_calls: OUT_OF_STEPS,
    content_filter: WITHHELD,
    stop: undefined,
    other: undefined,
  }[reason];
}

/** What came of the call that the message before asked for, where that was approved. */
async function executeApproved(
  ports: WritingPorts,
  turn: TurnExecution,
  asked: Message | undefined,
  {
    toolsOf,
    unavailable,
    toolFailed,
  }: {
    readonly toolsOf: (turnId: string) => readonly ModelTool[];
    /** Servers that cannot be reached now. */
    readonly unavailable: readonly string[];
    readonly toolFailed: (tool: string, error: unknown) => void;
  },
): Promise<string | undefined> {
  const approval = asked && approvalOf(asked);
  if (!asked || approval?.status !== 'approved') return undefined;
  const { live, assistant } = turn;
  const { tool: name } = approval;
  // In the turn that asked for it: what is done again, after the end of a process say, is done once.
  const usable = toolsOf(asked.id);
  const tool = assistant.toolEffects === 'never' ? undefined : usable.find((one) => one.name === name);
  if (!tool && unavailable.some((server) => name.startsWith(modelNameOf(server, ''))))
    return 'It is approved and was not carried out: its server cannot be reached now.';
  if (!tool) return 'It is approved and was not carried out: the tool may be used no more.';
  if (tool.isOnce && !(await ports.conversationTurns.claimApproved(turn.by, asked.id)))
    return 'It was begun before, and is not done twice. What came of it then is not known here.';
  live.use({ name, isFinished: false, isFailed: false });
  try {
    const answered = await tool.run(approval.arguments, live.signal);
    live.use({ name, isFinished: true, isFailed: false });
    return answered;
  } catch (error) {
    live.signal.throwIfAborted();
    toolFailed(name, error);
    if (error instanceof ToolRefusal) return error.forModel;
    return 'The tool has failed: it does not work right now. Say so in your answer, and what is missing for it.';
  }
}

/** As far as assistant and caller may use them. */
const toolsElsewhere = (ports: WritingPorts, { by, assistant }: TurnExecution, turnId: string): ModelTool[] => [
  ...(assistant.tools.includes('query_datasets') && by.rights.datasets ? datasetTools(ports.datasets, by) : []),
  ...(assistant.tools.includes('run_pipelines') && by.rights.runs
    ? pipelineTools(ports.pipelines, { by, turnId, pause: (signal) => ports.pause(LOOK_AT_RUN_MS, signal) })
    : []),
];

/** Stores what is written and used, asks whether it is still wanted and keeps the lease of its turn, until its end is stored. */
export function persistAnswerPeriodically(
  ports: AnswerPorts,
  { by, ref: { turnId, conversationId }, live }: TurnExecution,
  usageSoFar: () => Fields,
): Promise<void> {
  const { conversationTurns, conversations, messages } = ports;
  let [stored, counted] = ['', noUsage];
  const store = async (renews: boolean): Promise<void> => {
    const conversation = renews
      ? await conversationTurns.renewTurn(by, conversationId, turnId)
      : await conversations.find(by.organisationId, conversationId);
    if (conversation?.turn?.id !== turnId) live.stop(new TurnInterrupted(interrupted));
    else if (conversation.turn.isStopped) live.stop(new TurnStopped());
    const used = usageOf(live);
    if (live.text !== stored || !isSameUsage(used, counted)) {
      [stored, counted] = [live.text, used];
      const usage = usageSoFar();
      await messages.update(by, turnId, (found) => writeMessage(found, stored, { usage }));
    }
  };
  return storePeriodically(ports, live, { store, isOver });
}

/** Somebody has ended the turn, or its conversation is gone; anything else may pass. */
const isOver = (error: unknown): boolean =>
  error instanceof DomainError && (error.code === 'turn_over' || error.kind === 'not_found');
