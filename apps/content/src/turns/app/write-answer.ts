import { beginningOf, type Tenant } from '@platform-backend/core';
import { citedSources } from '../../conversations/domain/citations.ts';
import type { Incomplete } from '../../conversations/domain/incomplete.ts';
import type { Message, MessageEnd } from '../../conversations/domain/message.ts';
import { readerOf } from '../../conversations/domain/reader.ts';
import type { ToolSession } from '../../tool-servers/app/tool-session.ts';
import { incompleteBy } from '../domain/answer-end.ts';
import { approvalFields } from '../domain/approval.ts';
import { answerEmpty } from '../domain/errors.ts';
import type { Question } from '../domain/language-model.ts';
import {
  formatInstructions,
  responseFormatOf,
  structuredOutput,
  wordsIn,
  type ResponseFormat,
} from '../domain/structured-output.ts';
import { answerTools, type AnswerTools } from './answer-tools.ts';
import { SEARCH_WAS_INCOMPLETE } from './assistant-tools.ts';
import { readAttachments, scopeWithAttachments, type ReadAttachments } from './attachments.ts';
import { executeApproved } from './execute-approved.ts';
import { reasonOf, TurnStopped } from './live-answer.ts';
import { modelOf, type TurnExecution, type WritingPorts } from './turn-execution.ts';
import { turnInstructions, turnMessages, turnTool } from './turn-prompt.ts';

const MAX_CHARACTERS = 100_000;
/** That a model reads of a branch, with the answer itself; older ones are left out. */
const MAX_MESSAGES = 41;

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

interface AnswerResources {
  readonly session: ToolSession;
  /** Waits until there is room for images. */
  readonly beforeImages: () => Promise<void>;
}

async function writeWith(
  ports: WritingPorts,
  turn: TurnExecution,
  { session, beforeImages }: AnswerResources,
): Promise<MessageEnd> {
  const { conversationTurns, model } = ports;
  const { by, ref, assistant, context, given, live } = turn;
  const begunAt = performance.now();
  const sources = citedSources();
  const searched = { isComplete: true };
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
  const tools = await answerTools(ports, turn, { session, scope, sources });
  let attached: ReadAttachments = { images: new Map(), texts: given?.attached, cut: [], missing: [], unread: [] };
  const ask = async (): Promise<Question> => {
    // Who only quotes reads none of them, and finds what is in them.
    if (!given && !model.quotesOnly) {
      const seesImages = model.seesImages(assistant.model);
      attached = await readAttachments(ports, before, { by, seesImages, beforeImages, signal: live.signal });
    }
    if (given?.messages.some((message) => message.role === 'user' && message.images)) await beforeImages();
    return questionOf(ports, turn, { tools, before, attached, format });
  };
  // A model that understands has read them, and says so in its own words.
  const notes = model.quotesOnly ? context.entities.flatMap(({ note }) => note ?? []) : [];
  if (notes.length > 0) live.write(`${notes.join('\n')}\n\n`);
  const end = await generate(ports, turn, { tools, ask, begunAt });
  if (!searched.isComplete && model.quotesOnly) live.write(`\n\n${SEARCH_WAS_INCOMPLETE}`);
  const structured =
    format &&
    !tools.requested &&
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
      ...(attached.unread.length > 0 && { unread_attachments: attached.unread }),
      ...(tools.failed.size > 0 && { failed_tools: [...tools.failed] }),
      ...(tools.requested && !end.isStopped && !end.incomplete && { approval: approvalFields(tools.requested) }),
      ...(end.isStopped && { stopped: true }),
      ...(end.isCut && { cut: true }),
      ...(end.incomplete && { incomplete: end.incomplete }),
    },
  };
}

/** What the model is asked: all that was said, then what was read and found for it, then what was approved. */
async function questionOf(
  ports: WritingPorts,
  turn: TurnExecution,
  {
    tools,
    before,
    attached,
    format,
  }: {
    readonly tools: AnswerTools;
    /** The messages of the branch before the answer. */
    readonly before: readonly Message[];
    readonly attached: ReadAttachments;
    readonly format: ResponseFormat | undefined;
  },
): Promise<Question> {
  const { assistant, context, given } = turn;
  const about = turnTool(context, tools.unavailable);
  const found = await tools.searchFollowUp(given ? given.messages : turnMessages(before));
  const shown = [...(about ? [about] : []), ...(attached.texts ? [attached.texts] : [])];
  const besides = [...shown.map((one) => one.shown), ...found];
  return {
    instructions: turnInstructions(assistant, [given?.instructions, format && formatInstructions(format)]),
    messages: given
      ? [...given.messages, ...besides]
      : turnMessages(before, besides, {
          executed: await executeApproved(ports, turn, tools, before.at(-1)),
          images: attached.images,
        }),
    tools: [...tools.callable, ...shown.map(({ tool }) => tool)],
    model: assistant.model,
    temperature: given?.temperature ?? assistant.temperature,
    ...((given || format) && { generation: { ...given?.generation, ...(format && { responseFormat: format }) } }),
    isOver: () => tools.requested !== undefined,
  };
}

interface GenerationEnd {
  /** By a person. */
  readonly isStopped?: true;
  /** At the most characters that an answer may have. */
  readonly isCut?: true;
  readonly incomplete?: Incomplete | undefined;
}

/** Writes what the model answers, as it comes. @throws what ended it where nothing was written, unless a person did */
async function generate(
  { model, meters, logger }: WritingPorts,
  { ref, live }: TurnExecution,
  {
    tools,
    ask,
    begunAt,
  }: {
    readonly tools: AnswerTools;
    readonly ask: () => Promise<Question>;
    /** By the monotonic clock, in milliseconds. */
    readonly begunAt: number;
  },
): Promise<GenerationEnd> {
  let end: GenerationEnd = {};
  try {
    for await (const part of model.answer(await ask(), live.signal)) {
      if (part.kind === 'usage') live.count(part.usage);
      else if (part.kind === 'tool_call') live.use({ name: part.tool, isFinished: false, isFailed: false });
      else if (part.kind === 'tool_result' && part.isError) tools.onFailed(part.tool, part.error);
      else if (part.kind === 'tool_result') live.use({ name: part.tool, isFinished: true, isFailed: false });
      else if (part.kind === 'end') end = tools.requested ? {} : { incomplete: incompleteBy(part.reason, live.text) };
      else {
        const written = beginningOf(part.text, MAX_CHARACTERS - live.text.length);
        if (live.text === '') meters.timeToFirstToken((performance.now() - begunAt) / 1000);
        live.write(written);
        if (written !== part.text || live.text.length >= MAX_CHARACTERS) {
          end = { isCut: true };
          break;
        }
      }
    }
    if (tools.requested && live.text.trim() === '')
      live.write(`I would like to do this, and wait for your approval: ${tools.requested.summary}.`);
    if (live.text.trim() === '') throw answerEmpty();
    return end;
  } catch (error) {
    if (live.signal.reason instanceof TurnStopped) return { isStopped: true };
    const failure: unknown = live.signal.aborted ? live.signal.reason : error;
    if (live.text.trim() === '') throw failure;
    logger.warn({ event: 'turn.failed', err: failure, turnId: ref.turnId }, 'an answer ends before its end');
    return { incomplete: reasonOf(failure) };
  }
}
