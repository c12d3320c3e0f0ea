import { beginningOf, DomainError, idOf, type ErrorKind } from '@platform-backend/core';
import type { Payer } from '../../credits/domain/credits.ts';
import { textArgument, type ModelTool } from '../domain/language-model.ts';
import type { Pipeline, PipelineRun, Pipelines } from '../domain/pipelines.ts';

/** What a model is shown at once. */
const MAX_PIPELINES = 50;
const MAX_TEXT = 16_000;
/** How often it is looked at a run before the model goes on without its end. */
const MAX_LOOKS = 60;

/** What the model can tell whoever asked; all else is a failure of the turn. */
const FOR_THE_MODEL: ReadonlySet<ErrorKind> = new Set(['not_found', 'conflict', 'payment_required', 'forbidden']);

interface Turn {
  readonly by: Payer;
  readonly turnId: string;
  /** Between one look at a run and the next; rejected when the signal is aborted. */
  readonly pause: (signal: AbortSignal) => Promise<void>;
}

/** Pipelines as a model may use them in one turn, which starts each of them once. */
export const pipelineTools = (pipelines: Pipelines, { by, turnId, pause }: Turn): readonly ModelTool[] => [
  {
    name: 'list_pipelines',
    description: "Shows the organisation's pipelines, with the ids by which they are run",
    parameters: {},
    run: async () => {
      const found = await pipelines.list(by, MAX_PIPELINES);
      return found.length === 0 ? 'There are none.' : beginningOf(found.map(described).join('\n'), MAX_TEXT);
    },
  },
  {
    name: 'run_pipeline',
    description: 'Runs a pipeline when the question asks for it, waits for its end and shows how it went',
    parameters: { pipeline_id: 'The id, as list_pipelines shows it' },
    effect: async (given) => {
      const pipeline = await pipelines.find(by, textArgument(given, 'pipeline_id'));
      return pipeline && `Run the pipeline “${pipeline.name}”`;
    },
    run: (given, signal) =>
      told(async () => {
        const id = textArgument(given, 'pipeline_id');
        if ((await pipelines.find(by, id)) === undefined) return 'There is no such pipeline.';
        let run = await pipelines.start(by, id, idOf(['task', turnId, id]));
        for (let looks = 0; !run.isOver && looks < MAX_LOOKS; looks += 1) {
          await pause(signal);
          run = await pipelines.readRun(by, id, run.id);
        }
        return ended(run);
      }),
  },
];

async function told(use: () => Promise<string>): Promise<string> {
  try {
    return await use();
  } catch (error) {
    if (error instanceof DomainError && FOR_THE_MODEL.has(error.kind)) return `It was not run: ${error.message}`;
    throw error;
  }
}

const described = ({ id, name, description }: Pipeline): string =>
  `${id}: "${name}"${description === '' ? '' : `: ${description}`}`;

function ended({ id, status, isOver, message, steps, makes }: PipelineRun): string {
  const lines = [
    `Run ${id}: ${status}${message === '' ? '' : `: ${message}`}`,
    ...steps.map((step) => `Step "${step.name}": ${step.status}${step.message === '' ? '' : `: ${step.message}`}`),
  ];
  if (!isOver) lines.push('It goes on; its end is not known yet.');
  else if (status === 'Succeeded' && makes.length > 0) lines.push(`It made the datasets ${makes.join(', ')}.`);
  return beginningOf(lines.join('\n'), MAX_TEXT);
}
