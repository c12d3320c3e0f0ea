import type { StoreOutputPorts } from '../../datasets/app/store-output.ts';
import type { LocalFolder } from '../../datasets/domain/dataset-files.ts';
import type { StoredInput } from '../../datasets/domain/dataset-steps.ts';
import {
  failedReport,
  type RunStepFor,
  type StepInput,
  type StepLimits,
  type StepReport,
} from '../../step-engine/domain/step-job.ts';
import {
  bodyBytes,
  bodyOf,
  MAX_REQUEST_BYTES,
  rowsQuery,
  shapeQuery,
  type HttpRequest,
} from '../domain/http-request.ts';
import type { CallHttp, HttpStep, RunHttpStep } from '../domain/http-step.ts';
import { timedStep } from './timed-step.ts';

export interface HttpStepPorts extends StoreOutputPorts {
  readonly runStepFor: RunStepFor;
  readonly call: CallHttp;
}

const FORMATS = { JSON: 'json', JSONL: 'jsonl', CSV: 'csv' } as const;
const ANSWER = 'answer';

/** What is in the file. */
interface Answer {
  readonly request: HttpRequest;
  readonly file: string;
}

/**
 * Calls whoever a step names, with the rows of its input, and has what is answered read where queries are carried out: this
 * process looks at none of it.
 */
export function httpSteps(ports: HttpStepPorts): RunHttpStep {
  const { runStepFor, call } = ports;

  return (organisationId, step, run) =>
    timedStep<never>(ports, organisationId, step.limits, run, (folder, inTime) => {
      const runStep = runStepFor(organisationId);
      return carriedOut(folder);

      async function carriedOut({ newPath }: LocalFolder): Promise<StepReport> {
        const rows = step.input && (await rowsOf(step.input, folder));
        if (rows && 'outcome' in rows) return rows;
        const given = { rows: rows?.text, runId: step.runId, step: step.name, parameters: step.parameters };
        if (bodyBytes(step.request, given) > MAX_REQUEST_BYTES) return tooLarge;
        const body = bodyOf(step.request, given);
        const file = newPath(ANSWER);
        const answer = await call(
          { organisationId, url: step.url, request: step.request, body, idempotencyKey: step.idempotencyKey },
          { file, isRead: step.output !== null, signal: inTime },
        );
        if ('outcome' in answer) return answer;
        run.onLog(`${step.request.method} was answered ${answer.status} with ${answer.bytes} bytes`);
        return step.output ? read(step.output, { request: step.request, file }) : succeeded;
      }

      async function read(output: NonNullable<HttpStep['output']>, answer: Answer): Promise<StepReport> {
        const { request, file } = answer;
        const report = await write(output, rowsQuery(request, ANSWER), {
          name: ANSWER,
          file,
          format: FORMATS[request.responseFormat],
        });
        if (report.outcome !== 'FAILED' || report.code === 'too_many_rows') return report;
        const instead = await whyNoRows(answer, report);
        if (instead !== 'no rows') return instead ? failedReport('unfit_answer', instead) : report;
        const { name, columns } = output;
        return columns.length > 0 ? write(output, '', { name, columns }) : failedReport('no_columns', noColumns(name));
      }

      function write({ name }: { readonly name: string }, query: string, input: StepInput): Promise<StepReport> {
        const output = { name, file: folder.newPath('output') };
        return runStep(
          { kind: 'TRANSFORM', query, inputs: [input], output, limits: step.limits },
          { signal: inTime, onLog: run.onLog },
        );
      }

      /** Of an answer that could not be read as rows. Undefined: what the engine has said of it is all there is to say. */
      async function whyNoRows({ request, file }: Answer, { code }: StepReport): Promise<string | undefined> {
        if (request.responseFormat !== 'JSON')
          return request.responseFormat === 'JSONL' && code === 'empty_file' ? 'no rows' : undefined;
        const inputs = [{ name: ANSWER, file, format: 'document' as const }];
        const limits = { ...step.limits, rows: 2 };
        const { rows } = await runStep(
          { kind: 'QUERY', query: shapeQuery(request, ANSWER), inputs, output: null, limits },
          { signal: inTime, onLog: () => undefined },
        );
        const [[type, length, first] = [], more] = rows;
        const at = request.rowsPath === '' ? '' : ` at ${request.rowsPath}`;
        if (rows.length === 0 || more || (type === 'OBJECT' && at === '')) return undefined;
        if (type === null || type === 'NULL') return `There is nothing${at} in what it answered`;
        if (type === 'ARRAY' && Number(length) === 0) return 'no rows';
        return type === 'ARRAY' && first === 'OBJECT' ? undefined : `What it answered${at} is no array of objects`;
      }

      async function rowsOf(
        input: StoredInput,
        { bring, newPath, read: pieces }: LocalFolder,
      ): Promise<{ readonly text: string } | StepReport> {
        const file = newPath('rows');
        const inputs = [{ name: input.name, file: await bring(input.objectKey, inTime) }];
        const output = { name: 'rows', file, format: 'jsonl' as const };
        const report = await runStep(
          { kind: 'EXPORT', query: '', inputs, output, limits: sent(step.limits) },
          { signal: inTime, onLog: () => undefined },
        );
        if (report.outcome !== 'SUCCEEDED') return { ...report, output: null };
        const read: Uint8Array[] = [];
        for await (const piece of pieces(file)) read.push(piece);
        const lines = Buffer.concat(read).toString().trimEnd();
        return { text: `[${lines.replaceAll('\n', ',')}]` };
      }
    });
}

/** An escaped line end within a row is none. */
const sent = ({ outputRows: _, ...limits }: StepLimits): StepLimits => ({ ...limits, outputBytes: MAX_REQUEST_BYTES });

const succeeded: StepReport = { ...failedReport('', ''), outcome: 'SUCCEEDED' };
const noColumns = (name: string): string =>
  `It answered no rows for ${name}, whose columns are not known: the first version of a dataset needs one`;
const tooLarge = failedReport('too_large', `It would send more than ${MAX_REQUEST_BYTES} bytes`);
