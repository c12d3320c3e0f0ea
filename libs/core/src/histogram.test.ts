import { describe, expect, it } from '@jest/globals';
import { Histogram, Registry } from 'prom-client';
import { histogramIn } from './histogram.ts';

const options = { name: 'request_seconds', help: 'How long requests take.', buckets: [0.1, 0.5, 1] };

describe('a histogram', () => {
  it('says of what was measured what the one of prom-client says', async () => {
    const [ours, theirs] = [new Registry(), new Registry()];
    const labels = ['method', 'status'];
    const seriesOf = histogramIn(ours, { ...options, labels });
    const histogram = new Histogram({ ...options, labelNames: labels, registers: [theirs] });
    for (const [method, status, measured] of [
      ['GET', '200', [0, 0.1, 0.100001, 0.5, 7, 1]],
      ['POST', '"404"', [0.3]],
      ['PUT', '200', []],
    ] as const) {
      const [observe, other] = [seriesOf(method, status), histogram.labels(method, status)];
      for (const one of measured) {
        observe(one);
        other.observe(one);
      }
    }
    const withoutWhatIsEmpty = (text: string): string => text.replaceAll(/^.*"PUT".*\n?/gm, '').trim();
    expect(withoutWhatIsEmpty(await ours.metrics())).toBe((await theirs.metrics()).trim());
  });

  it('shows a series from the moment on that it is asked for', async () => {
    const registry = new Registry();
    histogramIn(registry, { ...options, labels: [] })();
    expect(await registry.metrics()).toContain('request_seconds_count 0');
  });
});
