import { describe, expect, it } from '@jest/globals';
import type { Comparison } from '../../step-engine/domain/condition.ts';
import { step } from '../test/examples.ts';
import type { Parameter } from './parameters.ts';
import { conditionViolations, keptCondition } from './step-conditions.ts';

const declare = (name: string, type: Parameter['type']): Parameter => ({
  ...{ name, type, defaultValue: null, required: false, description: '' },
});
const declared = [declare('region', 'STRING'), declare('n', 'INTEGER'), declare('at', 'TIMESTAMP')];

const comparison = (
  subject: Comparison['subject'],
  name: string,
  ...how: [Comparison['operator'], Comparison['value']]
) => ({
  ...{ subject, name, operator: how[0], value: how[1] },
});

describe('the condition of a step', () => {
  const found = (one: Comparison, order: 'DATASETS' | 'LISTED' = 'DATASETS') => {
    const steps = [step('a', ['Orders'], ['x'], { when: [{ all: [one] }] }), step('b', ['Orders'], ['y'])];
    return conditionViolations(steps, order, declared).map(({ loc, msg }) => [loc.slice(2).join('.'), msg]);
  };

  it.each([
    comparison('PARAMETER', 'region', 'NOT_EQUALS', 'north'),
    comparison('PARAMETER', 'region', 'EQUALS', null),
    comparison('PARAMETER', 'n', 'LESS_THAN', 3),
    comparison('PARAMETER', 'at', 'GREATER_OR_EQUAL', '2026-07-01T00:00:00+02:00'),
    comparison('ROW_COUNT', 'orders', 'GREATER_THAN', 0),
    comparison('STEP_STATUS', 'B', 'EQUALS', 'Skipped'),
  ])('may look at parameters, rows and steps: $subject $operator', (one) => {
    expect(found(one)).toEqual([]);
  });

  it.each<[string, Comparison, string, string]>([
    ['no such parameter', comparison('PARAMETER', 'x', 'EQUALS', 1), 'name', 'there is no parameter x'],
    ['another type', comparison('PARAMETER', 'n', 'EQUALS', 'x'), 'value', 'it is a whole number of up to 2^53 - 1'],
    [
      'texts in an order',
      comparison('PARAMETER', 'region', 'LESS_THAN', 'x'),
      'operator',
      'a STRING is the same or not, and has no order',
    ],
    ['null in an order', comparison('PARAMETER', 'n', 'LESS_THAN', null), 'value', 'null has no order'],
    ['what is not read', comparison('ROW_COUNT', 'y', 'EQUALS', 0), 'name', 'the step reads no such dataset'],
    ['no number of rows', comparison('ROW_COUNT', 'orders', 'EQUALS', -1), 'value', 'it is a number of rows'],
    ['no such step', comparison('STEP_STATUS', 'c', 'EQUALS', 'Skipped'), 'name', 'there is no such step'],
    ['the step itself', comparison('STEP_STATUS', 'a', 'EQUALS', 'Skipped'), 'name', 'a step does not wait for itself'],
    [
      'no end that lets others begin',
      comparison('STEP_STATUS', 'b', 'EQUALS', 'Failed'),
      'value',
      'it is Succeeded or Skipped: after a failure no step begins',
    ],
    [
      'ends in an order',
      comparison('STEP_STATUS', 'b', 'LESS_THAN', 'Skipped'),
      'operator',
      'a status is the same or not, and has no order',
    ],
  ])('is refused where it names %s', (_, one, field, msg) => {
    expect(found(one)).toEqual([[`0.config.when.0.all.0.${field}`, `Value error, ${msg}`]]);
  });

  it('looks at earlier steps alone where they run as they are listed', () => {
    expect(found(comparison('STEP_STATUS', 'b', 'EQUALS', 'Skipped'), 'LISTED')).toEqual([
      ['0.config.when.0.all.0.name', 'Value error, no earlier step has this name'],
    ]);
  });

  it('is kept with times in UTC, and with datasets called as the step calls them', () => {
    const all = [
      comparison('PARAMETER', 'at', 'EQUALS', '2026-07-01T00:00:00+02:00'),
      comparison('ROW_COUNT', 'ORDERS', 'EQUALS', 0),
    ];
    expect(keptCondition([{ all }], declared, (name) => name.toLowerCase())).toEqual([
      {
        all: [
          { ...all[0], value: '2026-06-30T22:00:00.000Z' },
          { ...all[1], name: 'orders' },
        ],
      },
    ]);
  });
});
