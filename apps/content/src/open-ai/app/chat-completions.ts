import {
  deadlineExceeded,
  DomainError,
  isNotFound,
  newId,
  serviceActorContext,
  unavailable,
  upstreamFailed,
  withoutCaller,
} from '@platform-backend/core';
import { forEachIsolated } from '../../conversations/app/for-each-isolated.ts';
import type { Citation } from '../../conversations/domain/citations.ts';
import { interrupted, type Incomplete } from '../../conversations/domain/incomplete.ts';
import type { MessageEnd } from '../../conversations/domain/message.ts';
import { readerOf } from '../../conversations/domain/reader.ts';
import type { ReservedCredits } from '../../credits/app/reserved-credits.ts';
import type { Credits, DebitCreated } from '../../credits/domain/credits.ts';
import { withDocuments } from '../../turns/app/attachments.ts';
import { MAX_TURN_MS, priceOf, reserveForTurn, TOO_LONG } from '../../turns/app/execute-turn.ts';
import { liveAnswer, TurnInterrupted, TurnStopped, usageOf, type LiveAnswer } from '../../turns/app/live-answer.ts';
import { storePeriodically, storePersistently } from '../../turns/app/store-answer.ts';
import { resolveContext } from '../../turns/app/turn-context.ts';
import { modelOf, type Caller, type GivenQuestion, type TurnExecution } from '../../turns/app/turn-execution.ts';
import type { TurnOutcome } from '../../turns/app/turn-meters.ts';
import { turnPayerOf, type AnsweringPorts } from '../../turns/app/turns.ts';
import { writeAnswer } from '../../turns/app/write-answer.ts';
import type { AssistantConfig } from '../../turns/domain/assistant-config.ts';
import { contextTooLong } from '../../turns/domain/errors.ts';
import { isSameUsage, type TokenUsage } from '../../turns/domain/language-model.ts';
import { requireFormat, type StructuredOutput } from '../../turns/domain/structured-output.ts';
import {
  completionDebitId,
  expireCompletion,
  finishCompletion,
  renewCompletion,
  startCompletion,
  type ChatCompletion,
  type CompletionOutcome,
  type CompletionUse,
} from '../domain/chat-completion.ts';
import type { ChatCompletions } from '../domain/chat-completions.ts';
import { chatQuestion, textsOf, type ChatRequest } from '../domain/chat-request.ts';
import { completionOver, contextLengthExceeded, modelUnknown } from '../domain/errors.ts';
import { readRequestFiles, type RequestFilePorts } from './read-request-files.ts';

export interface ChatCompletionPorts extends AnsweringPorts, Pick<RequestFilePorts, 'readFile'> {
  readonly completions: ChatCompletions;
  readonly credits: Credits;
  /** Those that may be asked for by their names. */
  readonly languageModels: readonly string[];
  /** How many tokens texts have together, about as the language model counts them, and no further than up to so many. */
  readonly countTexts: (texts: readonly string[], upTo: number) => Promise<number>;
}

/** How an answer has ended that was told to its end. */
export interface CompletionEnd {
  readonly outcome: 'stop' | 'length' | 'content_filter';
  readonly citations: readonly Citation[];
  readonly usage: TokenUsage;
  readonly costMicros: number;
  /** Where it was asked for in JSON. */
  readonly structuredOutput?: StructuredOutput | undefined;
}

/** What is told of an answer while it is written. */
export type CompletionUpdate =
  | { readonly kind: 'started'; readonly id: string; readonly createdAt: Date }
  | { readonly kind: 'text'; readonly text: string }
  | ({ readonly kind: 'finished'; readonly text: string } & CompletionEnd);

export type { Caller };

/** An answer that is being written here, and what is set aside for it. */
interface RunningCompletion extends TurnExecution {
  readonly credits: ReservedCredits;
}

export type ChatCompletionUseCases = ReturnType<typeof chatCompletionUseCases>;

/** The assistant that answers where a client names the language model alone. */
const GENERAL = 'general';

/** How many one round looks after. */
const ROUND = 50;

/** What is asked comes with each request, and no conversation is kept of it. */
const NO_CONVERSATION = { branchOf: () => Promise.resolve([]), claimApproved: () => Promise.resolve(false) };

/** Answers of assistants to clients of OpenAI's interface: as in a turn, but that nothing of what is said is kept. */
export function chatCompletionUseCases(ports: ChatCompletionPorts) {
  const { completions, clock, turnLeaseMs, logger } = ports;
  const running = new Map<string, { readonly live: LiveAnswer; readonly done: Promise<unknown> }>();
  let isClosing = false;

  /** NOT_FOUND: nobody is called so. */
  async function findModel(by: Caller, name: string): Promise<AssistantConfig> {
    const find = (assistant: string) => ports.findAssistant(by.organisationId, readerOf(by).memberId, assistant);
    try {
      return await find(name);
    } catch (error) {
      if (!isNotFound(error)) throw error;
      // A language model by itself is the assistant that everybody has, with it.
      if (name === ports.model.name) return find(GENERAL);
      if (ports.languageModels.includes(name)) return { ...(await find(GENERAL)), model: name };
      throw modelUnknown();
    }
  }

  const useOf = (turn: RunningCompletion): CompletionUse => ({
    usage: usageOf(turn.live),
    costMicros: Number(turn.credits.covered(priceOf(ports, turn))),
  });

  /** Stored first, so that a request which is repeated finds that it was begun, and a process which dies leaves what is owed. */
  async function begin(
    by: Caller,
    assistant: AssistantConfig,
    { question, documentIds }: { readonly question: GivenQuestion; readonly documentIds: readonly string[] },
  ) {
    const resolved = await resolveContext(ports, { by, assistant, entities: [] });
    const documents = withDocuments(resolved.documents, documentIds, ports.model);
    const context = { ...resolved, documents };
    const tenant = await ports.slots.acquire('tenants', by.organisationId);
    const whenDone = () => ports.slots.release(tenant);
    try {
      const credits = await reserveForTurn(ports, by, assistant);
      const id = newId();
      const started = {
        ...{ id, assistantId: assistant.id, model: modelOf(ports, { assistant }) },
        payer: turnPayerOf(by, credits.reservationId),
      };
      try {
        const { createdAt } = await completions.update(by, id, () =>
          startCompletion(started, clock.now(), turnLeaseMs),
        );
        const ref = { turnId: id, conversationId: '' };
        const live = liveAnswer(id);
        const turn = {
          by,
          ref,
          assistant,
          context,
          isAttended: false,
          live,
          credits,
          given: question,
        };
        const done = withoutCaller(() => execute(turn)).finally(() => {
          running.delete(id);
          whenDone();
        });
        // Whoever waits for it hears of it.
        done.catch(() => undefined);
        running.set(id, { live, done });
        if (isClosing) live.stop(new TurnInterrupted(interrupted));
        return { id, createdAt, live, done };
      } catch (error) {
        await credits.release();
        throw error;
      }
    } catch (error) {
      whenDone();
      throw error;
    }
  }

  /** Has the answer written; what was read and written is owed, whatever it ends with. */
  async function execute(turn: RunningCompletion): Promise<CompletionEnd> {
    const { live, credits } = turn;
    const kept = persistPeriodically(turn);
    const tooLong = setTimeout(() => live.stop(new TurnInterrupted(TOO_LONG)), MAX_TURN_MS);
    const ended = await writeAnswer({ ...ports, conversationTurns: NO_CONVERSATION }, turn)
      .then(endOf, (error: unknown) => ({ outcome: outcomeOfFailure(error), failure: failureOf(error), citations: [] }))
      .finally(() => clearTimeout(tooLong));
    live.finish();
    await kept;
    const use = useOf(turn);
    await storeEnd(turn, { ...use, outcome: ended.outcome });
    ports.meters.ended(METERED[ended.outcome], use.usage);
    if (use.costMicros === 0) await credits.release();
    if ('failure' in ended) throw ended.failure;
    const { outcome, citations, structuredOutput } = ended;
    return { outcome, citations, structuredOutput, ...use };
  }

  function persistPeriodically(turn: RunningCompletion): Promise<void> {
    const { by, ref, live } = turn;
    let stored: TokenUsage | undefined;
    const store = async (renews: boolean): Promise<void> => {
      const use = useOf(turn);
      if (stored && isSameUsage(stored, use.usage) && !renews) return;
      await completions.update(by, ref.turnId, (found) => renewCompletion(found, use, clock.now(), turnLeaseMs));
      stored = use.usage;
    };
    return storePeriodically(ports, live, { store, isOver });
  }

  /** Tried again while nothing can be stored; beyond, its lease ends and what was stored of it is owed. */
  async function storeEnd(turn: RunningCompletion, end: CompletionUse & { readonly outcome: CompletionOutcome }) {
    const { by, ref, credits } = turn;
    const store = () =>
      completions.update(by, ref.turnId, (found) => {
        const at = clock.now();
        const debitId = completionDebitId(ref.turnId);
        const debits = credits.debit({ debitId, workId: ref.turnId, micros: BigInt(end.costMicros), at });
        return finishCompletion(found, end, at, debits);
      });
    const failed = (error: unknown): void => {
      ports.meters.notStored('end');
      logger.warn(
        { event: 'turn.end_not_stored', err: error, turnId: ref.turnId },
        'the end of an answer could not be stored',
      );
    };
    await storePersistently(ports, store, { failed, isOver });
  }

  return {
    /**
     * Has an assistant answer, and tells it while it is written. Where the signal is aborted, or nobody takes what is told any more, it
     * ends, and what was written until then is paid. NOT_FOUND: unknown model. INVALID: something that nothing here follows.
     * MALFORMED: it is too long. PAYMENT_REQUIRED: no credits left. UNAVAILABLE, UPSTREAM_FAILED, DEADLINE_EXCEEDED: there is no answer, or no more of it.
     */
    async *complete(
      by: Caller,
      model: string,
      request: ChatRequest,
      signal: AbortSignal,
    ): AsyncGenerator<CompletionUpdate, void, undefined> {
      const { quotesOnly } = ports.model;
      const asked = chatQuestion(request, { followsOptions: !quotesOnly });
      const assistant = await findModel(by, model);
      await requireFormat({ ...ports, organisationId: by.organisationId }, request.responseFormat, {
        isFollowed: !quotesOnly,
      });
      const seesImages = ports.model.seesImages(assistant.model);
      const { documentIds, ...read } = await readRequestFiles(ports, asked.messages, {
        by,
        seesImages,
        quotesOnly,
        signal,
      });
      const question = { ...asked, ...read };
      // What is beyond that is set aside by nobody, and would be read for nothing.
      const { maxTokens, contextTokens = maxTokens } = ports.model.termsOf(assistant.model);
      const readable = Math.min(maxTokens, contextTokens);
      const isTooLong = async () => (await ports.countTexts(textsOf(question), readable)) > readable;
      if (!quotesOnly && (await isTooLong())) throw contextLengthExceeded();
      const { id, createdAt, live, done } = await begin(by, assistant, { question, documentIds });
      const leave = (): void => live.stop(new TurnStopped());
      signal.addEventListener('abort', leave);
      if (signal.aborted) leave();
      try {
        yield { kind: 'started', id, createdAt };
        for (let told = 0; ;) {
          const { changes, text } = live;
          const isLast = live.finished.aborted;
          if (text.length > told) yield { kind: 'text', text: text.slice(told) };
          told = text.length;
          if (isLast) break;
          await live.changedSince(changes, live.finished);
        }
        yield { kind: 'finished', text: live.text, ...(await done) };
      } finally {
        signal.removeEventListener('abort', leave);
        leave();
        await done.catch(() => undefined);
      }
    },

    findModel,

    /** In how many milliseconds what a process answers is left over, should it be dead; undefined: nobody answers. */
    untilExpiry: (): Promise<number | undefined> => completions.untilExpiredLease(clock.now()),

    /** Ends what dead processes have left. May be repeated, and done by several replicas. */
    async expire(stopping: AbortSignal): Promise<void> {
      const found = await completions.withExpiredLease(clock.now(), ROUND);
      const failure = 'an answer that was broken off could not be ended now';
      await forEachIsolated(
        found,
        ({ organisationId, id }) => {
          const by = serviceActorContext('content', organisationId, newId());
          return completions.update(by, id, (completion) =>
            expireCompletion(completion, clock.now(), (left) => debitsLeft(by, left)),
          );
        },
        { logger, failure, stopping },
      );
    },

    /** Ends what is written here, with what there is of it, and waits until it is stored. */
    async close(): Promise<void> {
      isClosing = true;
      for (const { live } of running.values()) live.stop(new TurnInterrupted(interrupted));
      await Promise.all([...running.values()].map(({ done }) => done.catch(() => undefined)));
    },
  };

  function debitsLeft(by: ReturnType<typeof serviceActorContext>, left: ChatCompletion): readonly DebitCreated[] {
    const { id, payer, costMicros } = left;
    if (costMicros === 0) return [];
    const { reservationId, memberId: userId, ...counted } = payer;
    const spent = { debitId: completionDebitId(id), workId: id, micros: BigInt(costMicros), at: clock.now() };
    return [ports.credits.debit({ ...by, ...counted, actor: { ...by.actor, userId } }, reservationId, spent)];
  }
}

const METERED: Readonly<Record<CompletionOutcome, TurnOutcome>> = {
  stop: 'whole',
  length: 'cut',
  content_filter: 'incomplete',
  stopped: 'stopped',
  failed: 'error',
  interrupted: 'incomplete',
};

type Ended =
  | Pick<CompletionEnd, 'outcome' | 'citations' | 'structuredOutput'>
  | { readonly outcome: CompletionOutcome; readonly failure: unknown; readonly citations: readonly Citation[] };

/** How what was written ends, or why its client is told that it is no whole answer. */
function endOf({ annotations }: MessageEnd): Ended {
  const citations = (annotations['citations'] ?? []) as readonly Citation[];
  const incomplete = annotations['incomplete'] as Incomplete | undefined;
  if (annotations['stopped'] === true)
    return { outcome: 'stopped', failure: unavailable(new Error('stopped')), citations };
  const structuredOutput = annotations['structured_output'] as StructuredOutput | undefined;
  const told = { citations, structuredOutput };
  if (annotations['cut'] === true) return { outcome: 'length', ...told };
  if (!incomplete) return { outcome: 'stop', ...told };
  const { code, message } = incomplete;
  if (code === 'length' || code === 'tool_calls') return { outcome: 'length', ...told };
  if (code === 'content_filter') return { outcome: 'content_filter', ...told };
  return {
    outcome: code === interrupted.code ? 'interrupted' : 'failed',
    failure: failureOfCode(code, message),
    citations,
  };
}

function failureOfCode(code: string, message: string): DomainError {
  if (code === TOO_LONG.code) return deadlineExceeded(new Error(message));
  if (code === interrupted.code || code === 'unavailable') return unavailable(new Error(message));
  return upstreamFailed(new Error(code), message);
}

const outcomeOfFailure = (error: unknown): CompletionOutcome =>
  error instanceof TurnInterrupted && error.code === interrupted.code ? 'interrupted' : 'failed';

/** As a client hears of it who gets nothing of an answer. */
function failureOf(error: unknown): unknown {
  if (error instanceof TurnInterrupted) return failureOfCode(error.code, error.message);
  if (error instanceof DomainError && error.code === contextTooLong.code)
    return contextLengthExceeded({ cause: error });
  return error;
}

const isOver = (error: unknown): boolean => error instanceof DomainError && error.code === completionOver.code;
