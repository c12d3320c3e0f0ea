import { beforeAll, describe, expect, it } from '@jest/globals';
import { findOnPath } from '@platform-backend/system-programs';
import { itWhere } from '@platform-backend/testing/where';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sharedPlatform } from '../src/platform.ts';
import { metricsOf, metricsOn } from '../src/promql-metrics.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const platform = sharedPlatform();
const { services } = JSON.parse(readFileSync(join(platform.home, 'run.json'), 'utf8')) as {
  services: Record<string, { metricsAddress: string }>;
};
const promtool = findOnPath('promtool');

interface Panel {
  readonly title: string;
  readonly targets?: readonly { readonly expr: string }[];
}

/** What Prometheus makes itself of every process. */
const OF_PROMETHEUS = ['up'];

describe('the metrics of a platform', () => {
  const pages = new Map<string, string>();
  beforeAll(async () => {
    for (const [name, { metricsAddress }] of Object.entries(services))
      pages.set(name, await (await fetch(`http://${metricsAddress}/metrics`)).text());
  });

  it('are those of the gateway and of every service', () => {
    expect([...pages.keys()].sort()).toEqual(['billing', 'content', 'gateway', 'identity', 'notebooks', 'pipelines']);
    for (const [name, page] of pages)
      expect([name, [...metricsOn(page)]]).toEqual([name, expect.arrayContaining(['process_start_time_seconds'])]);
  });

  itWhere(promtool === undefined ? 'promtool is not installed' : undefined, 'are named as Prometheus wants it', () => {
    for (const [name, page] of pages) {
      const { stdout, stderr } = spawnSync(promtool ?? '', ['check', 'metrics'], { input: page, encoding: 'utf8' });
      expect([name, stdout + stderr]).toEqual([name, '']);
    }
  });

  it('are all that the alerts and the dashboard ask for, each with its words in the operations page', () => {
    const known = new Set([...OF_PROMETHEUS, ...[...pages.values()].flatMap((page) => [...metricsOn(page)])]);
    const rules = readFileSync(join(ROOT, 'deploy/prometheus/alerts.yml'), 'utf8');
    const { panels } = JSON.parse(readFileSync(join(ROOT, 'deploy/grafana/platform.json'), 'utf8')) as {
      panels: Panel[];
    };
    const queries = [
      ...[...rules.matchAll(/^ +expr: (.+)$/gm)].map(([, expr = '']) => expr),
      ...panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
    ];
    expect(queries.length).toBeGreaterThan(60);
    const unknown = queries.flatMap((query) => metricsOf(query).filter((name) => !known.has(name)));
    expect(unknown).toEqual([]);
    const page = readFileSync(join(ROOT, 'docs/operations.md'), 'utf8');
    const own = [...known].filter(
      (name) =>
        !/^(process_|nodejs_|up$|database_pool_)|_(bucket|count|sum)$/.test(name) && !page.includes(`\`${name}`),
    );
    expect(own).toEqual([]);
  });
});
