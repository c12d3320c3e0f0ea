import { describe, expect, it } from '@jest/globals';
import { findOnPath } from '@platform-backend/system-programs';
import { itWhere } from '@platform-backend/testing/where';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parse } from 'yaml';

const ROOT = join(import.meta.dirname, '../../..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const promtool = findOnPath('promtool');
const lack = promtool === undefined ? 'promtool is not installed' : undefined;

interface Rules {
  readonly groups: readonly { readonly rules: readonly { alert: string; annotations: { runbook: string } }[] }[];
}
interface RuleTests {
  readonly tests: readonly {
    readonly alert_rule_test: readonly { readonly alertname: string; readonly exp_alerts?: readonly unknown[] }[];
  }[];
}

const alerts = (parse(read('deploy/prometheus/alerts.yml')) as Rules).groups.flatMap(({ rules }) => rules);
const names = alerts.map(({ alert }) => alert).sort();
const headings = [...read('docs/alerts.md').matchAll(/^## (.+)$/gm)].map(([, title = '']) => title);

const check = (...args: string[]) => spawnSync(promtool ?? '', args, { cwd: ROOT, encoding: 'utf8' });

describe('the alerts', () => {
  it('have each a runbook, which says what to do, and no runbook is about none', () => {
    expect(headings.toSorted()).toEqual(names);
    for (const { alert, annotations } of alerts)
      expect(annotations.runbook).toBe(`docs/alerts.md#${alert.toLowerCase()}`);
  });

  it('have each a test in which they tell, and one in which they keep silent', () => {
    const tests = (parse(read('deploy/prometheus/alerts.test.yml')) as RuleTests).tests.flatMap(
      ({ alert_rule_test: asked }) => asked,
    );
    const tested = (tells: boolean) =>
      tests.filter(({ exp_alerts: told = [] }) => told.length > 0 === tells).map(({ alertname }) => alertname);
    expect(tested(true).sort()).toEqual(names);
    expect(tested(false).sort()).toEqual(names);
  });

  itWhere(lack, 'are rules of Prometheus, and the tests of them pass', () => {
    for (const args of [
      ['check', 'rules', 'deploy/prometheus/alerts.yml'],
      ['check', 'config', 'deploy/prometheus/prometheus.yml'],
      ['test', 'rules', 'deploy/prometheus/alerts.test.yml'],
    ]) {
      const { status, stdout, stderr } = check(...args);
      expect([status, status === 0 ? '' : stdout + stderr]).toEqual([0, '']);
    }
  });

  itWhere(lack, 'and the queries of the dashboard are ones of Prometheus', () => {
    const { panels } = JSON.parse(read('deploy/grafana/platform.json')) as {
      readonly panels: readonly { readonly targets?: readonly { readonly expr: string }[] }[];
    };
    const queries = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
    expect(queries.length).toBeGreaterThan(30);
    // As rules, which is how it reads queries from a file; the dashboard puts in the services that were chosen.
    const rules = queries.map((expr, n) => ({ record: `dashboard:query_${n}`, expr: expr.replaceAll('$job', '.*') }));
    const file = join(mkdtempSync(join(tmpdir(), 'dashboard-')), 'rules.yml');
    writeFileSync(file, JSON.stringify({ groups: [{ name: 'dashboard', rules }] }));
    const { status, stderr } = check('check', 'rules', '--lint=none', file);
    rmSync(dirname(file), { recursive: true });
    expect([status, stderr]).toEqual([0, '']);
  });

  it('and what is scraped are those of the containers of docker-compose.yml', () => {
    const { services } = parse(read('docker-compose.yml')) as {
      services: Record<string, { environment?: Record<string, string> }>;
    };
    const scraped = (
      parse(read('deploy/prometheus/prometheus.yml')) as { scrape_configs: readonly { job_name: string }[] }
    ).scrape_configs.map(({ job_name: job }) => job);
    const serving = Object.entries(services).filter(
      ([, { environment = {} }]) => 'METRICS_LISTEN' in environment || 'GATEWAY_METRICS_PORT' in environment,
    );
    expect(scraped.toSorted()).toEqual(serving.map(([name]) => name).sort());
  });
});
