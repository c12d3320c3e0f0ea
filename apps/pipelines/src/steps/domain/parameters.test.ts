import { describe, expect, it } from '@jest/globals';
import {
  checkedValue,
  declarationViolations,
  sqlVariables,
  startValues,
  unknownVariables,
  type Parameter,
  type ParameterType,
} from './parameters.ts';

const parameter = (name: string, more: Partial<Parameter> = {}): Parameter => ({
  ...{ name, type: 'STRING', defaultValue: null, required: false, description: '' },
  ...more,
});

describe('the value of a parameter', () => {
  it.each<[ParameterType, unknown, unknown]>([
    ['STRING', "x'; DROP TABLE y; --", "x'; DROP TABLE y; --"],
    ['INTEGER', 2 ** 53 - 1, 2 ** 53 - 1],
    ['NUMBER', 1.5, 1.5],
    ['BOOLEAN', false, false],
    ['DATE', '2028-02-29', '2028-02-29'],
    ['TIMESTAMP', '2026-07-01T12:00:00+02:00', '2026-07-01T10:00:00.000Z'],
    ['DATE', null, null],
  ])('is one of its type: %s %j', (type, given, value) => {
    expect(checkedValue(type, given)).toEqual({ value });
  });

  it.each<[ParameterType, unknown]>([
    ['STRING', 1],
    ['STRING', 'a\0b'],
    ['INTEGER', 2 ** 53],
    ['INTEGER', '1'],
    ['INTEGER', 1.5],
    ['NUMBER', 'x'],
    ['BOOLEAN', 'true'],
    ['DATE', '2026-02-30'],
    ['DATE', '2026-7-1'],
    ['TIMESTAMP', '2026-07-01T12:00:00'],
    ['TIMESTAMP', '2026-02-30T12:00:00Z'],
    ['STRING', { a: 1 }],
  ])('is refused where it is none: %s %j', (type, given) => {
    expect(checkedValue(type, given)).toHaveProperty('problem');
  });
});

describe('parameters of a version', () => {
  it('have names of their own, and defaults of their types', () => {
    const declared = [
      parameter('day', { type: 'DATE', defaultValue: 'today' }),
      parameter('Day'),
      parameter('datasets'),
      parameter('must', { required: true, defaultValue: 'x' }),
    ];
    expect(declarationViolations(declared).map(({ loc, msg }) => `${loc.slice(1).join('.')}: ${msg}`)).toEqual([
      'parameters.0.default_value: Value error, it is a date such as 2026-07-01',
      'parameters.1.name: Value error, another parameter has this name',
      'parameters.2.name: Value error, programs have something else of this name',
      'parameters.3.default_value: Value error, what is required has no default',
    ]);
  });

  it('give a run what it was started with, and defaults', () => {
    const declared = [parameter('region', { defaultValue: 'north' }), parameter('day', { type: 'DATE' })];
    expect(startValues(declared, {}).values).toEqual({ region: 'north', day: null });
    expect(startValues(declared, { region: null }).values).toEqual({ region: null, day: null });
    const { values } = startValues(declared, { region: 'south', day: '2026-07-01' });
    expect(values).toEqual({ region: 'south', day: '2026-07-01' });
    expect(sqlVariables(declared, values)).toEqual([
      { name: 'region', type: 'VARCHAR', value: 'south' },
      { name: 'day', type: 'DATE', value: '2026-07-01' },
    ]);
  });

  it('refuse what is unknown, missing or of another type', () => {
    const declared = [parameter('must', { required: true }), parameter('count', { type: 'INTEGER' })];
    const said = (given: Parameters<typeof startValues>[1]) =>
      startValues(declared, given).violations.map(({ loc, msg }) => `${loc.slice(1).join('.')}: ${msg}`);
    expect(said({ must: 'x', count: 1 })).toEqual([]);
    expect(said({ count: 'x', other: 1 })).toEqual([
      'parameters.count: Value error, it is a whole number of up to 2^53 - 1',
      'parameters.other: Value error, the version has no such parameter: must, count',
      'parameters.must: Value error, it is required',
    ]);
    expect(said({ must: null })).toEqual(['parameters.must: Value error, it is required']);
    expect(startValues([], { a: 1 }).violations).toMatchObject([{ msg: 'Value error, the version has no parameters' }]);
  });

  it('are the only ones that queries ask for', () => {
    const query = `SELECT getvariable('Region'), GETVARIABLE ( 'day' ), getvariable('it''s')`;
    expect(unknownVariables(query, [parameter('region')])).toEqual(['day', "it's"]);
  });
});
