import { expect, it } from '@jest/globals';
import { describeWhere } from '@platform-backend/testing/where';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { chart, helm, helmLack, KUBERNETES, root } from './helm.ts';

const page = readFileSync(join(root, 'docs/deploying.md'), 'utf8');

/** The commands of the page, which stand in blocks that may be set in; a backslash continues one on the next line. */
const commands = [...page.matchAll(/^ *```sh\n([^]*?)^ *```$/gm)]
  .flatMap(([, block = '']) => block.replaceAll(/\\\n\s*/g, '').split('\n'))
  .map((line) => line.trim())
  .filter((line) => line !== '');

describeWhere(helmLack, 'docs/deploying.md', () => {
  const releases = commands.filter((command) => /^helm (upgrade|template)/.test(command));

  it('deploys everything, the streams, one service, and a new version of it', () => {
    expect(releases.length).toBe(5);
  });

  it.each(releases)('what `%s` would install can be made', async (command) => {
    // Without a cluster: the same names and values, rendered.
    const args = command
      .replace(/^helm (upgrade --install|template) /, '')
      .replaceAll(/ --(wait|timeout \w+)/g, '')
      .split(' ')
      .map((word) => word.replace(/^deploy\/helm\/platform(?=\/|$)/, chart));
    expect(await helm('template', ...args, '--kube-version', KUBERNETES)).toContain('kind: ');
  });

  it('shows rules of an adapter that are YAML, for the metric that the chart scales by', () => {
    const [, rules = ''] = /^```yaml\n([^]*?)^```$/m.exec(page) ?? [];
    const { all } = parse(readFileSync(join(chart, 'values.yaml'), 'utf8')) as {
      all: { autoscaling: { metricName: string } };
    };
    expect(parse(rules)).toMatchObject({ rules: [{ name: { as: all.autoscaling.metricName } }] });
  });
});
