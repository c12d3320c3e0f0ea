import { describe, expect, it } from '@jest/globals';
import { metricsOf, metricsOn } from './promql-metrics.ts';

describe('the metrics of a query', () => {
  it.each([
    ['up == 0', ['up']],
    ['sum by (le, job) (rate(a_bucket{status=~"5..", route!~".*(x|y).*"}[5m])) > 1', ['a_bucket']],
    ['sum(rate(a_total[5m])) by (job) / on (job) group_left (kind) b', ['a_total', 'b']],
    ['histogram_quantile(0.95, c_bucket) > 5 and d unless e', ['c_bucket', 'd', 'e']],
    ['topk(10, a + a)', ['a']],
    ['increase(a[15m]) > 0 or b > 0 unless b offset 15m', ['a', 'b']],
  ])('of %s', (query, names) => {
    expect(metricsOf(query)).toEqual(names);
  });
});

it('the metrics of a page are those with a type, of a histogram its series', () => {
  const page =
    '# HELP a_total A.\n# TYPE a_total counter\na_total 1\n# HELP b B.\n# TYPE b histogram\nb_bucket{le="1"} 0\n';
  expect([...metricsOn(page)]).toEqual(['a_total', 'b', 'b_bucket', 'b_count', 'b_sum']);
});
