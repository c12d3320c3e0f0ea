import { describe, expect, it } from '@jest/globals';
import { parseExactJson, type Fields } from '@platform-backend/core';
import type { Cell } from '../../step-engine/domain/step-job.ts';
import { step } from '../test/examples.ts';
import {
  addedColumns,
  answeredQuery,
  plannedQuery,
  promptOf,
  takenColumn,
  unfitNumber,
  unknownColumn,
  usualLlmSettings,
  type LlmSettings,
} from './llm-settings.ts';
import { llmViolations } from './llm-violations.ts';

const settings = (more: Partial<LlmSettings>): LlmSettings => ({ ...usualLlmSettings, ...more });
const schema = (properties: Readonly<Record<string, Cell>>) => ({ type: 'object', properties });

describe('a prompt', () => {
  const row = parseExactJson(
    '{"Region": "north", "amount": 12345678901234567890, "price": 1.50, "list": [1], "none": null}',
  ) as Fields;

  it.each([
    ['{{row.region}} and {{ row.REGION }}', 'north and north'],
    ['{{row.amount}} at {{row.price}}', '12345678901234567890 at 1.50'],
    ['{{row.list}}{{row.none}}{{row.missing}}', '[1]'],
    ['In a {{parameters.tone}} tone', 'In a dry tone'],
    ['{{other}} {{ row. }} {row.region}', '{{other}} {{ row. }} {row.region}'],
  ])('says what stands in its row: %s', (prompt, said) => {
    expect(promptOf(prompt, row, { tone: 'dry' })).toBe(said);
  });

  it('has the whole row in JSON, with its numbers as they are', () => {
    expect(promptOf('{{row}}', row, {})).toBe(
      '{"Region":"north","amount":12345678901234567890,"price":1.50,"list":[1],"none":null}',
    );
  });

  it('takes nothing in a row for a placeholder', () => {
    expect(promptOf('{{row.a}}', { a: '{{row.b}}', b: 'secret' }, {})).toBe('{{row.b}}');
  });

  it('names columns that there are', () => {
    expect(unknownColumn('{{row.A}} {{row}} {{parameters.x}}', ['a'])).toBeUndefined();
    expect(unknownColumn('{{row.a}} {{row.b}}', ['A'])).toBe('b');
  });
});

describe('a whole number in an answer', () => {
  const { jsonSchema } = { jsonSchema: schema({ n: { type: ['integer', 'null'] }, x: { type: 'number' } }) };

  it.each([
    ['{"n": 9223372036854775807, "x": 1e300}', undefined],
    ['{"n": -9223372036854775808}', undefined],
    ['{"n": null, "x": 99999999999999999999999}', undefined],
    ['{"n": 3.0}', undefined],
    ['no JSON', undefined],
    ['{"n": 9223372036854775808}', 'n is no whole number of up to 64 bits'],
    ['{"n": 1e19}', 'n is no whole number of up to 64 bits'],
  ])('is one that its column holds: %s', (text, problem) => {
    expect(unfitNumber(settings({ jsonSchema }), text)).toBe(problem);
    expect(unfitNumber(settings({}), text)).toBeUndefined();
  });
});

describe('the columns of answers', () => {
  it('are one text, or the properties of a schema with their types, and the error', () => {
    expect(addedColumns(settings({ rowErrors: 'COLUMN' }))).toEqual([
      { name: 'answer', type: 'VARCHAR' },
      { name: 'error', type: 'VARCHAR' },
    ]);
    const jsonSchema = schema({
      ...{ a: { type: 'string' }, b: { type: ['integer', 'null'] }, c: { type: 'number' }, d: { type: 'boolean' } },
      ...{ e: { type: 'array' }, f: {}, 'a "b" c/d': { type: 'string' } },
    });
    expect(addedColumns(settings({ jsonSchema })).map(({ type }) => type)).toEqual([
      'VARCHAR',
      'BIGINT',
      'DOUBLE',
      'BOOLEAN',
      'JSON',
      'JSON',
      'VARCHAR',
    ]);
    expect(
      answeredQuery(settings({ jsonSchema: schema({ 'a "b" c/d': { type: 'string' } }) }), 'answers', undefined),
    ).toBe(`SELECT json_extract_string(answers.a, '/a "b" c~1d') AS "a ""b"" c/d" FROM answers`);
    expect(answeredQuery(settings({ outputColumn: 'answers.text' }), 'answers_of_step', undefined)).toBe(
      `SELECT json_extract_string(answers_of_step.a, '/answers.text') AS "answers.text" FROM answers_of_step`,
    );
    expect(plannedQuery(settings({}), 'Sales "2026"')).toBe(
      'SELECT *, NULL::VARCHAR AS "answer" FROM "Sales ""2026"""',
    );
    expect(plannedQuery(settings({}), undefined)).toBe('SELECT NULL::VARCHAR AS "answer"');
  });
});

describe('the columns of rows', () => {
  it('are none that the step adds, or numbers its rows by', () => {
    const withError = settings({ rowErrors: 'COLUMN' });
    expect(takenColumn(withError, ['region', 'amount'])).toBeUndefined();
    expect(takenColumn(settings({}), ['error'])).toBeUndefined();
    expect(['Answer', 'error', '__Row_Number'].map((name) => takenColumn(withError, ['region', name]))).toEqual([
      'Answer',
      'error',
      '__Row_Number',
    ]);
  });
});

describe('an LLM step', () => {
  const wrong = (config: object, reads: readonly string[] = ['r']) =>
    llmViolations(
      step('ask', reads, ['x'], { queryType: 'LLM', query: '{{row.a}}', jobType: 'TRANSFORM', ...config }),
      0,
    ).map(({ loc, msg }) => [loc.slice(3).join('.'), msg.replace('Value error, ', '')]);

  it('is one that could run', () => {
    expect(wrong({})).toEqual([]);
    expect(wrong({ query: 'Tell {{parameters.who}}', parameters: { who: 'Ada' }, jobType: 'INGEST' }, [])).toEqual([]);
  });

  it.each([
    [{ jobType: 'CHECK' }, 'config.job_type'],
    [{ query: '{{parameters.tone}}' }, 'config.query'],
    [{ llm: settings({ temperature: 3 }) }, 'config.llm.temperature'],
    [{ llm: settings({ jsonSchema: { type: 'array' } }) }, 'config.llm.json_schema'],
    [{ llm: settings({ jsonSchema: schema({}) }) }, 'config.llm.json_schema'],
    [{ llm: settings({ rowErrors: 'COLUMN', errorColumn: 'Answer' }) }, 'config.llm'],
    [{ queryType: 'SQL', llm: usualLlmSettings }, 'config.llm'],
  ])('is refused where it contradicts itself: %j', (config, where) => {
    expect(wrong(config).map(([at]) => at)).toEqual([where]);
  });

  it('is refused with two datasets, and with a row where it reads none', () => {
    expect(wrong({}, ['r', 's']).map(([at]) => at)).toEqual(['config.input_datasets']);
    expect(wrong({ jobType: 'INGEST' }, []).map(([at]) => at)).toEqual(['config.query']);
  });
});
