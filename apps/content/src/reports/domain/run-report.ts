import { escapeMarkdown } from './escape-markdown.ts';

/** A run of a pipeline that is over, as far as a report tells about it. */
export interface FinishedRun {
  readonly name: string;
  /** `Succeeded`, `Failed`, `Error` or `Cancelled`. */
  readonly status: string;
  /** Why it ended as it did; empty: nothing went wrong. */
  readonly message: string;
  readonly startedAt: Date | null;
  readonly finishedAt: Date;
  readonly steps: readonly StepOfRun[];
}

export interface StepOfRun {
  readonly name: string;
  readonly status: string;
  readonly message: string;
  readonly startedAt: Date | null;
  readonly finishedAt: Date | null;
  /** The datasets that it makes, by id or name. */
  readonly makes: readonly string[];
}

/** The Markdown of a report of a run: how it ended, and each of its steps. */
export function markdownOfRun({ name, status, message, startedAt, finishedAt, steps }: FinishedRun): string {
  const lines = [
    `# ${escapeMarkdown(name)}`,
    '',
    `**${status}**, finished ${finishedAt.toISOString()}${took(startedAt, finishedAt, ' after ')}.`,
    ...(message === '' ? [] : ['', escapeMarkdown(message)]),
    '',
    '| Step | Makes | Status | Took | |',
    '| --- | --- | --- | --- | --- |',
    ...steps.map(
      (step) =>
        `| ${escapeMarkdown(step.name)} | ${step.makes.map(escapeMarkdown).join(', ')} | ${step.status} | ${took(step.startedAt, step.finishedAt)} | ${escapeMarkdown(step.message)} |`,
    ),
  ];
  return lines.join('\n');
}

/** Empty where one of the two is not known. */
const took = (from: Date | null, to: Date | null, before = ''): string =>
  from && to ? `${before}${((to.getTime() - from.getTime()) / 1000).toFixed(1)} s` : '';
