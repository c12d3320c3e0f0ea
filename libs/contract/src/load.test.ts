import { describe, expect, it } from '@jest/globals';
import protobuf from 'protobufjs';
import { loadSample } from '../test/sample-contract.ts';
import { loadProtos, protosDirectory, shortenEnumValues } from './load.ts';
import { fieldRules } from './options/field-options.ts';

describe('loading the protos', () => {
  const { root } = loadSample();

  it.each([
    ['SampleState', ['UNSPECIFIED', 'fresh', 'long_gone']],
    ['Colour', ['UNSPECIFIED', 'RED', 'DEEP_BLUE']],
    ['RunPhase', ['UNSPECIFIED', 'Succeeded']],
  ])('gives the values of %s their short names', (name, values) => {
    const declared = root.lookupEnum(`platform.sample.v1.${name}`);
    expect(Object.keys(declared.values)).toEqual(values);
    expect(Object.values(declared.valuesById)).toEqual(values);
  });

  it('keeps comments, also those of renamed enum values', () => {
    expect(root.lookupEnum('platform.sample.v1.SampleState').comments['fresh']).toBe('Nobody has looked at it yet.');
    expect(root.lookupType('platform.sample.v1.Inner').comment).toBe('Inner has a field of its own kind.');
  });

  it('refuses an enum value without the prefix of its type', () => {
    const text = 'syntax = "proto3"; package platform.x.v1; enum PlanKind { PLAN_KIND_UNSPECIFIED = 0; FREE = 1; }';
    expect(() => shortenEnumValues(protobuf.parse(text, new protobuf.Root()).root)).toThrow(
      'platform.x.v1.PlanKind: value FREE must start with PLAN_KIND_',
    );
  });

  it('names the folder that has no protos', () => {
    expect(() => loadProtos(`${protosDirectory}/platform/options`)).toThrow('platform/options');
  });
});

describe('field rules', () => {
  const rulesOf = (options: string) => {
    const text = `syntax = "proto3"; package platform.x.v1; message M { string f = 1 [${options}]; }`;
    const { root } = protobuf.parse(text, new protobuf.Root(), { keepCase: true });
    return fieldRules(root.lookupType('platform.x.v1.M').fields['f'] as protobuf.Field);
  };
  const rules = '(platform.options.v1.rules)';

  it('are neutral without any option', () => {
    expect(rulesOf('deprecated = true')).toEqual({
      required: false,
      nullable: false,
      secret: false,
      omitEmpty: false,
      exactNumbers: false,
      unrecorded: false,
      json: [],
    });
  });

  it('are the same, written in one or in many parts', () => {
    const inOne = rulesOf(
      `${rules} = {required: true string: {min_length: 1 max_length: 120 format: STRING_FORMAT_UUID}}`,
    );
    const inMany = rulesOf(
      ['required = true', 'string.min_length = 1', 'string.max_length = 120', 'string.format = STRING_FORMAT_UUID']
        .map((part) => `${rules}.${part}`)
        .join(),
    );
    expect(inMany).toEqual(inOne);
    expect(inOne).toMatchObject({ required: true, string: { minLength: 1, maxLength: 120, format: 'UUID' } });
  });

  it('have lists of kinds, with one entry or many', () => {
    expect(rulesOf(`${rules}.json = JSON_KIND_NULL`).json).toEqual(['NULL']);
    expect(rulesOf(`${rules} = {json: [JSON_KIND_INTEGER, JSON_KIND_NULL]}`).json).toEqual(['INTEGER', 'NULL']);
  });

  it('apply to the items of a list', () => {
    expect(rulesOf(`${rules} = {list: {max_items: 3 items: {string: {pattern: "^a$"}}}}`).list).toMatchObject({
      maxItems: 3,
      items: { string: { pattern: '^a$' } },
    });
  });

  it('refuse a rule that is set twice', () => {
    expect(() => rulesOf(`${rules}.string.min_length = 1, ${rules}.string = {max_length: 2}`)).toThrow('set twice');
  });

  it.each([
    ['requird: true', 'platform.x.v1.M.f has an unknown option: requird'],
    ['string: {min_len: 1}', 'platform.x.v1.M.f (string) has an unknown option: min_len'],
    ['list: {items: {strng: {}}}', 'platform.x.v1.M.f (items) has an unknown option: strng'],
  ])('refuse a misspelt name: %s', (options, message) => {
    expect(() => rulesOf(`${rules} = {${options}}`)).toThrow(message);
  });
});
