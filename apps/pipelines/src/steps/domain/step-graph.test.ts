import { describe, expect, it } from '@jest/globals';
import { check, step } from '../test/examples.ts';
import { graphViolations, inOrder, stepGraph } from './step-graph.ts';

describe('the graph of steps', () => {
  it('has a step wait for those whose datasets it reads, whatever the case and the order of listing', () => {
    const steps = [
      step('join', ['Orders', 'people'], ['joined']),
      step('a', ['raw'], ['orders']),
      step('b', ['raw'], ['People']),
    ];
    expect(stepGraph(steps, 'DATASETS')).toEqual([[1, 2], [], []]);
    expect(inOrder(stepGraph(steps, 'DATASETS'))).toEqual([1, 2, 0]);
  });

  it('has a step wait for the checks before it of what it reads, and for no later ones', () => {
    const steps = [
      step('a', ['raw'], ['orders']),
      check('sound', ['orders']),
      step('b', ['orders'], ['sums']),
      check('late', ['orders']),
    ];
    expect(stepGraph(steps, 'DATASETS')).toEqual([[], [0], [0, 1], [0, 1]]);
  });

  it('has a step wait for those whose ends its condition looks at', () => {
    const all = [{ subject: 'STEP_STATUS', name: 'A', operator: 'EQUALS', value: 'Skipped' }] as const;
    const steps = [step('b', ['raw'], ['y'], { when: [{ all }] }), step('a', ['raw'], ['x'])];
    expect(stepGraph(steps, 'DATASETS')).toEqual([[1], []]);
  });

  it('is a line where steps run as they are listed', () => {
    const steps = [step('a', ['raw'], ['x']), step('b', ['raw'], ['y']), step('c', ['raw'], ['z'])];
    expect(stepGraph(steps, 'LISTED')).toEqual([[], [0], [1]]);
  });
});

describe('a list of steps', () => {
  const found = (...steps: Parameters<typeof graphViolations>[0]) =>
    graphViolations(steps, 'DATASETS', true).map(({ loc, msg }) => [loc.slice(2).join('.'), msg]);

  it('is refused where they wait for each other in a circle', () => {
    const steps = [step('a', ['c'], ['b']), step('b', ['b'], ['c']), step('d', ['raw'], ['e'])];
    const msg = 'Value error, the steps wait for each other in a circle';
    expect(found(...steps)).toEqual([
      ['0.config.input_datasets.0', msg],
      ['1.config.input_datasets.0', msg],
    ]);
    expect(found(step('own', ['x'], ['X']))).toEqual([['0.config.input_datasets.0', msg]]);
  });

  it('is refused where a condition leads in a circle', () => {
    const all = [{ subject: 'STEP_STATUS', name: 'b', operator: 'EQUALS', value: 'Skipped' }] as const;
    const steps = [step('a', ['raw'], ['x'], { when: [{ all }] }), step('b', ['x'], ['y'])];
    const msg = 'Value error, the steps wait for each other in a circle';
    expect(found(...steps)).toEqual([
      ['0.config.when', msg],
      ['1.config.input_datasets.0', msg],
    ]);
  });

  it('is refused where two have one name, or make one dataset', () => {
    expect(found(step('a', ['r'], ['x']), step('A', ['r'], ['y']))).toEqual([
      ['1.name', 'Value error, another step has this name'],
    ]);
    expect(found(step('a', ['r'], ['x']), step('b', ['r'], ['X']))).toEqual([
      ['1.config.output_datasets.0', 'Value error, another step makes this dataset'],
    ]);
  });

  it('is refused where a step sends what HTTP steps alone send, or an HTTP step nothing that can be sent', () => {
    const http = { headers: {}, secretHeaders: {}, body: '', responseFormat: 'JSON', rowsPath: '' } as const;
    const call = (method: 'GET' | 'POST', more: object = {}) =>
      step('call', [], ['x'], { queryType: 'HTTP', jobType: 'INGEST', http: { ...http, method, ...more } });
    expect(found(call('GET'))).toEqual([]);
    expect(found(step('a', ['r'], ['x'], { http: { ...http, method: 'GET' } }))).toEqual([
      ['0.config.http', 'Value error, a step of type SQL sends nothing: only HTTP does'],
    ]);
    expect(found(call('GET', { body: '{}' })).map(([where]) => where)).toEqual(['0.config.http.method']);
    expect(found(call('POST', { rowsPath: 'a', responseFormat: 'CSV' })).map(([where]) => where)).toEqual([
      '0.config.http.rows_path',
    ]);
    const twice = { headers: { 'X-A': '1' }, secretHeaders: { 'x-a': '2' } };
    expect(found(call('POST', twice))).toEqual([
      ['0.config.http.secret_headers.x-a', 'Value error, this header is named twice'],
    ]);
  });

  it('is refused where one cannot run here', () => {
    expect(found(step('a', ['r'], []))).toHaveLength(1);
    expect(found(step('a', ['r'], ['x'], { jobType: 'CHECK' }))).toHaveLength(1);
    expect(found(step('a', ['r'], [], { jobType: 'CHECK', rowLimit: 1 }))).toEqual([
      ['0.config.row_limit', 'Value error, a CHECK makes no rows'],
    ]);
    expect(found(step('a', [], ['x'], { jobType: 'TRANSFORM' }))).toHaveLength(1);
    expect(found(step('a', ['r'], [], { jobType: 'CHECK', outputMode: 'APPEND' }))).toEqual([
      ['0.config.output_mode', 'Value error, a CHECK makes no dataset'],
    ]);
    expect(found(step('a', ['r'], ['x'], { outputMode: 'MERGE' }))).toEqual([
      ['0.config.merge_keys', 'Value error, MERGE needs at least one column'],
    ]);
    expect(found(step('a', ['r'], ['x'], { outputMode: 'APPEND', mergeKeys: ['id'] }))).toEqual([
      ['0.config.merge_keys', 'Value error, only MERGE has columns'],
    ]);
    expect(found(step('a', ['r'], ['x'], { outputMode: 'MERGE', mergeKeys: ['id', 'Id'] }))).toEqual([
      ['0.config.merge_keys.1', 'Value error, this column is named twice'],
    ]);
    const program = step('a', ['r'], ['x'], { queryType: 'PYTHON', outputMode: 'APPEND' });
    expect(graphViolations([program], 'DATASETS', true)).toMatchObject([
      { loc: ['body', 'steps', 0, 'config', 'output_mode'] },
    ]);
    expect(found(step('a', ['r', 'R'], ['x']))).toHaveLength(1);
  });

  it('is refused with a program where there are no kernels, with too many inputs, or with a parameter that is no variable', () => {
    const program = step('a', ['r'], ['x'], { queryType: 'PYTHON' });
    expect(graphViolations([program], 'DATASETS', false)).toMatchObject([
      {
        loc: ['body', 'steps', 0, 'config', 'query_type'],
        msg: 'Value error, PYTHON steps cannot be run here: only SQL',
      },
    ]);
    expect(found(program)).toEqual([]);
    const reads = Array.from({ length: 21 }, (_, count) => `r${count}`);
    expect(found(step('a', reads, ['x'], { queryType: 'NOTEBOOK' }))).toEqual([
      ['0.config.input_datasets', 'Value error, a NOTEBOOK step reads at most 20 datasets'],
    ]);
    const parameters = { région: 1, _n2: null, '2n': 1, 'a b': 1 };
    expect(found(step('a', ['r'], ['x'], { queryType: 'PYTHON', parameters })).map(([stepIndex]) => stepIndex)).toEqual(
      ['0.config.parameters.2n', '0.config.parameters.a b'],
    );
    expect(found(step('a', ['r'], ['x'], { parameters: { n: 1 } }))).toHaveLength(1);
  });

  it('is refused, where they run as they are listed, with one that reads what a later one makes', () => {
    const steps = [step('a', ['y'], ['x']), step('b', ['r'], ['y'])];
    expect(graphViolations(steps, 'LISTED', false)).toMatchObject([
      { loc: ['body', 'steps', 0, 'config', 'input_datasets', 0] },
    ]);
  });
});
