import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { chart, root } from './helm.ts';

const page = readFileSync(join(root, 'docs/capacity.md'), 'utf8');

/** Of the figures of docs/capacity.md: what a process took of memory, and an organisation of two people in a day of CPU. */
const measured = [...page.matchAll(/^\| (\w+) +\| ([\d.]+) +\| (\d+) +\|/gm)].map(
  ([, app = '', seconds, megabytes]) => ({ app, seconds: Number(seconds), bytes: Number(megabytes) * 1e6 }),
);

interface Resources {
  readonly requests: { readonly cpu: string; readonly memory: string };
  readonly limits: { readonly memory: string };
}
interface AppValues {
  readonly replicas: number;
  readonly resources: Resources;
}
const values = parse(readFileSync(join(chart, 'values.yaml'), 'utf8')) as {
  readonly deploy: readonly string[];
  readonly all: AppValues;
  readonly apps: Readonly<Record<string, Partial<AppValues>>>;
};
const valuesOf = (app: string): AppValues => ({ ...values.all, ...values.apps[app] });

const bytesOf = (text: string): number =>
  Number.parseInt(text, 10) * 1024 ** (['Ki', 'Mi', 'Gi'].indexOf(text.slice(-2)) + 1);

/** Organisations of five people whose day is eight hours, with a busiest hour of five times the average, at half of what a core can do. */
const coresOf = (secondsOfTwoPeople: number, organisations: number): number =>
  (organisations * secondsOfTwoPeople * (5 / 2) * 5 * 2) / (8 * 3_600);

describe('what the chart asks for', () => {
  it('is known of every app', () => {
    expect(measured.map(({ app }) => app).toSorted()).toEqual(
      values.deploy.filter((name) => name !== 'event-streams').toSorted(),
    );
  });

  it.each(measured)('follows from what was measured of $app', ({ app, seconds, bytes }) => {
    const { replicas, resources } = valuesOf(app);
    expect(bytesOf(resources.requests.memory)).toBeGreaterThan(bytes);
    expect(bytesOf(resources.limits.memory)).toBeGreaterThan(2 * bytes);
    expect(resources.requests.cpu).toMatch(/^\d+m$/);
    expect((replicas * Number.parseInt(resources.requests.cpu, 10)) / 1_000).toBeGreaterThan(coresOf(seconds, 100));
  });
});
