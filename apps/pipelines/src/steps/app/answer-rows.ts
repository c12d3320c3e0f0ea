import { failedReport, type StepReport } from '../../step-engine/domain/step-job.ts';
import type { PostponedStep } from '../domain/kernel-step.ts';
import { unfitNumber } from '../domain/llm-settings.ts';
import type { GeneratedText, LanguageModels, LlmStep, NoText } from '../domain/llm-step.ts';
import { pause } from './pause.ts';

/** A row with what is asked about it; without a prompt that is too long. */
export interface RowQuestion {
  readonly number: number;
  readonly id: string;
  readonly prompt: string | undefined;
}

export interface AnsweredRow {
  readonly number: number;
  /** Null: there is no answer, and the error says why. */
  readonly text: string | null;
  readonly error: string | null;
}

export interface AnsweringPorts {
  readonly languageModels: Pick<LanguageModels, 'generate'>;
  readonly callsAtOnce: number;
  readonly awayMs?: number;
  readonly busyMs?: number;
}

interface Asked {
  readonly organisationId: string;
  readonly step: Pick<LlmStep, 'runId' | 'attempt' | 'settings' | 'payer'>;
  readonly questions: AsyncIterable<RowQuestion>;
}

interface Answering {
  readonly signal: AbortSignal;
  readonly onLog: (line: string) => void;
  /** In any order, one after the other. A report ends it all. */
  readonly onAnswer: (answer: AnsweredRow) => Promise<StepReport | undefined>;
}

const AWAY_MS = 10_000;
const BUSY_MS = 60_000;
const FIRST_WAIT_MS = 250;
const MAX_WAIT_MS = 5_000;
const LOGGED_EVERY = 100;

/**
 * Has all of these answered, so many at once. Undefined: they are; otherwise why they are not, where what was answered until then is remembered by
 * whoever answers. Rejected when the signal is aborted.
 */
export async function answerRows(
  { languageModels, callsAtOnce, awayMs = AWAY_MS, busyMs = BUSY_MS }: AnsweringPorts,
  { organisationId, step, questions }: Asked,
  { signal, onLog, onAnswer }: Answering,
): Promise<StepReport | PostponedStep | undefined> {
  const enough = new AbortController();
  const wanted = AbortSignal.any([signal, enough.signal]);
  const sums = { rows: 0, failed: 0, inputTokens: 0, outputTokens: 0, costMicros: 0 };
  let end: StepReport | PostponedStep | undefined;
  let answeredAt = performance.now();
  let written: Promise<unknown> = Promise.resolve();

  /** The first of them counts. */
  function give(up: StepReport | PostponedStep): void {
    end ??= up;
    enough.abort();
  }

  /** Asked again while nobody can be reached, or others are in front. */
  async function ask(id: string, prompt: string): Promise<GeneratedText | NoText | undefined> {
    const { runId, attempt, settings, payer } = step;
    for (let wait = FIRST_WAIT_MS; ; wait = Math.min(2 * wait, MAX_WAIT_MS)) {
      const told = await languageModels.generate(
        organisationId,
        { id, attempt, runId, prompt, settings, payer },
        wanted,
      );
      if (told.outcome === 'TEXT' || told.outcome === 'NO_TEXT') {
        answeredAt = performance.now();
        return told;
      }
      if ('code' in told) {
        give(told);
        return undefined;
      }
      const silentMs = performance.now() - answeredAt + wait;
      if (told.outcome === 'AWAY' && silentMs > awayMs) give(failedReport('model_unavailable', told.message));
      if (told.outcome === 'BUSY' && silentMs > busyMs)
        give({ outcome: 'POSTPONED', message: `Waits for a language model: ${told.message}` });
      if (wanted.aborted) return undefined;
      await pause(wait, wanted);
    }
  }

  async function answer({ number, id, prompt }: RowQuestion): Promise<void> {
    const tooLong: NoText = { outcome: 'NO_TEXT', message: 'The prompt is too long' };
    const said = prompt === undefined ? tooLong : await ask(id, prompt);
    if (!said) return;
    // It was paid, whatever becomes of it.
    if (said.outcome === 'TEXT')
      for (const name of ['inputTokens', 'outputTokens', 'costMicros'] as const) sums[name] += said[name];
    const unfit = said.outcome === 'TEXT' ? unfitNumber(step.settings, said.text) : undefined;
    const told: typeof said = unfit === undefined ? said : { outcome: 'NO_TEXT', message: unfit };
    if (told.outcome === 'NO_TEXT' && step.settings.rowErrors === 'FAIL') {
      give(failedReport('unusable_answer', `Row ${number}: ${told.message}`));
      return;
    }
    sums.rows += 1;
    if (told.outcome === 'NO_TEXT') sums.failed += 1;
    const row = {
      number,
      text: told.outcome === 'TEXT' ? told.text : null,
      error: told.outcome === 'TEXT' ? null : told.message,
    };
    written = written.then(async () => {
      const report = await onAnswer(row);
      if (report) give(report);
    });
    await written;
    if (sums.rows % LOGGED_EVERY === 0) onLog(`${sums.rows} rows are answered`);
  }

  const rest = questions[Symbol.asyncIterator]();
  const worker = async (): Promise<void> => {
    for (let next = await rest.next(); !next.done; next = await rest.next()) {
      if (wanted.aborted) return;
      await answer(next.value);
    }
  };
  const workers = Array.from({ length: callsAtOnce }, () =>
    worker().catch((error: unknown) => {
      enough.abort();
      throw error;
    }),
  );
  const ended = await Promise.allSettled(workers);
  await rest.return?.();
  signal.throwIfAborted();
  if (end) return end;
  const failed = ended.find((one) => one.status === 'rejected');
  if (failed) throw failed.reason;
  const { rows, failed: without, inputTokens, outputTokens, costMicros } = sums;
  onLog(
    `${rows} rows are answered, ${without} of them without a text: ${inputTokens} tokens read, ${outputTokens} written, ${costMicros / 1_000_000} credits`,
  );
  return undefined;
}
