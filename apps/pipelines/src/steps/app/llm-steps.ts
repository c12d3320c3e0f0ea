import { idOf, parseExactJson, type Fields } from '@platform-backend/core';
import type { StoreOutputPorts } from '../../datasets/app/store-output.ts';
import type { LocalFolder } from '../../datasets/domain/dataset-files.ts';
import { failedReport, type RunStepFor, type StepInput, type StepReport } from '../../step-engine/domain/step-job.ts';
import type { PostponedStep } from '../domain/kernel-step.ts';
import { MAX_ROW_BYTES } from '../domain/limits.ts';
import {
  ANSWER_COLUMNS,
  answeredQuery,
  MAX_PROMPT_LENGTH,
  numberedQuery,
  promptOf,
  ROW_NUMBER,
  takenColumn,
  unknownColumn,
  type AnswerLine,
} from '../domain/llm-settings.ts';
import type { LanguageModels, LlmStep, RunLlmStep } from '../domain/llm-step.ts';
import { answerRows, type AnsweredRow } from './answer-rows.ts';
import { timedStep } from './timed-step.ts';

export interface LlmStepPorts extends StoreOutputPorts {
  readonly runStepFor: RunStepFor;
  /** Undefined: nobody has said where content is. */
  readonly languageModels: LanguageModels | undefined;
  /** That a step reads at most. */
  readonly maxRows: number;
  /** Of one step. */
  readonly callsAtOnce: number;
  /** So long nobody is waited for who cannot be reached. */
  readonly awayMs?: number;
  /** So long others are waited for who ask as well, until the place is left to them. */
  readonly busyMs?: number;
}

const [ROWS, ANSWERS] = ['rows_of_step', 'answers_of_step'];

/**
 * Asks a language model for each row of the input, or once without one, and puts the answers beside the rows. What was answered in an attempt before is told
 * again by whoever asked the model, under an id that the prompt makes: no order of rows has to stay.
 */
export function llmSteps(ports: LlmStepPorts): RunLlmStep {
  const { runStepFor, languageModels, maxRows } = ports;

  return (organisationId, step, run) =>
    timedStep<PostponedStep>(ports, organisationId, step.limits, run, (folder, inTime) => {
      const runStep = runStepFor(organisationId);
      const quietly = { signal: inTime, onLog: () => undefined };
      return languageModels
        ? asked(languageModels)
        : Promise.resolve(failedReport('no_language_model', 'LLM steps cannot be run here'));

      async function asked(models: LanguageModels): Promise<StepReport | PostponedStep> {
        const rows = step.input && (await readRows(step.input.name, await folder.bring(step.input.objectKey, inTime)));
        if (rows && 'outcome' in rows) return rows;
        const unknown = rows?.columns && unknownColumn(step.prompt, rows.columns);
        if (unknown !== undefined) return failedReport('unknown_column', `The rows have no column ${unknown}`);
        const taken = rows?.columns && takenColumn(step.settings, rows.columns);
        if (taken !== undefined) return failedReport('unusable_settings', `The rows have a column ${taken} already`);
        const answers = folder.newPath('answers');
        let bytes = 0;
        const done = await answerRows(
          { ...ports, languageModels: models },
          { organisationId, step, questions: questions(step, rows ? rowsIn(folder, rows.file) : [[0, {}]]) },
          {
            ...{ signal: inTime, onLog: run.onLog },
            async onAnswer(answer) {
              const line = `${JSON.stringify(lineOf(answer, step))}\n`;
              bytes += Buffer.byteLength(line);
              if (bytes > MAX_ROW_BYTES)
                return failedReport('too_large', `The answers are larger than ${MAX_ROW_BYTES} bytes`);
              await folder.append(answers, Buffer.from(line));
              return undefined;
            },
          },
        );
        if (done) return done;
        const inputs: StepInput[] = [
          bytes === 0
            ? { name: ANSWERS, columns: ANSWER_COLUMNS }
            : { name: ANSWERS, file: answers, format: 'records' },
          ...(rows ? [{ name: ROWS, file: rows.numbered }] : []),
        ];
        const query = answeredQuery(step.settings, ANSWERS, rows && ROWS);
        const output = { name: step.output.name, file: folder.newPath('output') };
        return runStep(
          { kind: 'TRANSFORM', query, inputs, output, limits: step.limits },
          { signal: inTime, onLog: run.onLog },
        );
      }

      /** The rows as a table with their numbers, and as JSON lines. */
      async function readRows(name: string, file: string): Promise<ReadRows | StepReport> {
        const { outputRows: _, ...limits } = step.limits;
        const [numbered, lines] = [folder.newPath('numbered'), folder.newPath('lines')];
        const read = await runStep(
          {
            ...{ kind: 'TRANSFORM', query: numberedQuery(name), inputs: [{ name, file }] },
            output: { name: ROWS, file: numbered },
            limits: { ...limits, outputRows: maxRows },
          },
          quietly,
        );
        if (read.code === 'too_many_rows')
          return failedReport(
            'too_many_input_rows',
            `${name} has more than ${maxRows} rows: filter it by an SQL step first`,
          );
        if (!read.output) return { ...read, output: null };
        const exported = await runStep(
          {
            ...{ kind: 'EXPORT', query: '', inputs: [{ name: ROWS, file: numbered }] },
            output: { name: ROWS, file: lines, format: 'jsonl' },
            limits: { ...limits, outputBytes: MAX_ROW_BYTES },
          },
          quietly,
        );
        if (exported.code === 'too_large')
          return failedReport('too_large', `${name} is larger than ${MAX_ROW_BYTES} bytes as JSON lines`);
        if (exported.outcome !== 'SUCCEEDED') return { ...exported, output: null };
        // The last one is their number.
        return { numbered, file: lines, columns: read.output.columns.slice(0, -1).map((column) => column.name) };
      }
    });
}

interface ReadRows {
  readonly numbered: string;
  readonly file: string;
  readonly columns: readonly string[];
}

/** The number of a row, and the row. */
type NumberedRow = readonly [number, Fields];

async function* rowsIn({ read }: Pick<LocalFolder, 'read'>, file: string): AsyncGenerator<NumberedRow> {
  const decoder = new TextDecoder();
  let begun = '';
  for await (const piece of read(file)) {
    const lines = (begun + decoder.decode(piece, { stream: true })).split('\n');
    begun = lines.pop() ?? '';
    for (const line of lines) if (line !== '') yield rowOf(line);
  }
  if (begun !== '') yield rowOf(begun);
}

function rowOf(line: string): NumberedRow {
  const { [ROW_NUMBER]: number, ...row } = parseExactJson(line) as Fields;
  return [Number(number), row];
}

/** What is asked about each row, under an id that rows with the same prompt count up. */
async function* questions(
  { runId, stepIndex, prompt, parameters }: LlmStep,
  rows: AsyncIterable<NumberedRow> | Iterable<NumberedRow>,
) {
  const counts = new Map<string, number>();
  for await (const [number, row] of rows) {
    const text = promptOf(prompt, row, parameters);
    const key = idOf([text]);
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    const id = idOf(['llm', runId, String(stepIndex), String(count), text]);
    yield { number, id, prompt: text.length > MAX_PROMPT_LENGTH ? undefined : text };
  }
}

/** A character that no text of a database may have goes. */
function lineOf({ number, text, error }: AnsweredRow, { settings }: Pick<LlmStep, 'settings'>): AnswerLine {
  const plain = text?.replaceAll('\u0000', '') ?? null;
  const a = plain === null || settings.jsonSchema ? plain : JSON.stringify({ [settings.outputColumn]: plain });
  return { [ROW_NUMBER]: number, a, e: error === null ? null : JSON.stringify(error) };
}
