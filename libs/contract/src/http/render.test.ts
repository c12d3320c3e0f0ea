import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import protobuf from 'protobufjs';
import { loadSample } from '../../test/sample-contract.ts';
import { camelCase } from '../definitions.ts';
import { EXACT_NUMBER_ID } from '../json-values.ts';
import { fieldRules } from '../options/field-options.ts';
import { discriminatorOf, isUnwrapped } from '../options/message-options.ts';
import { textOf } from './byte-text.ts';
import { cursorSeal } from './cursor.ts';
import { rendererCompiler } from './render.ts';

type Message = Record<string, unknown>;

const contract = loadSample();
const seal = cursorSeal(['a key for tests']);
const compile = rendererCompiler(seal);
const operation = (method: string) => contract.operation(`platform.sample.v1.SampleService/${method}`);
const rpc = (method: string) => {
  const definition = contract.serviceDefinition('platform.sample.v1.SampleService')[method];
  if (!definition) throw new Error(`no ${method}`);
  return definition;
};
const one = compile(operation('GetEverything'));
const encode = (message: Message): Buffer => rpc('GetEverything').responseSerialize(message);
const text = (bytes: Buffer): string => textOf(String(one(bytes).body));
const rendered = (message: Message): Message => JSON.parse(text(encode(message))) as Message;
const type = contract.root.lookupType('platform.sample.v1.Everything');

/** The same JSON by the long way: decoded by the gRPC definition, then shaped by the contract's rules. */
function jsonOf(messageType: protobuf.Type, message: Message): unknown {
  const member = (field: protobuf.Field): unknown => {
    const value = message[camelCase(field.name)];
    if (field.map) return mapValues(value as Message, (item) => valueOf(field, item));
    return field.repeated ? (value as unknown[]).map((item) => valueOf(field, item)) : valueOf(field, value);
  };
  if (isUnwrapped(messageType)) return member(messageType.fieldsArray[0] as protobuf.Field);
  const discriminator = discriminatorOf(messageType);
  if (discriminator !== undefined) {
    const field = messageType.fieldsArray.find(({ name }) => (message[camelCase(name)] ?? null) !== null);
    if (!field) return null;
    return { [discriminator]: fieldRules(field).tag, ...(member(field) as Message) };
  }
  const shown = messageType.fieldsArray.filter((field) => {
    const value = message[camelCase(field.name)] as string | unknown[] | null;
    return !fieldRules(field).omitEmpty || (value !== null && value.length > 0);
  });
  return Object.fromEntries(shown.map((field) => [field.name, member(field)]));
}

function valueOf(field: protobuf.Field, value: unknown): unknown {
  if (value === null) return null;
  if (value instanceof Date) return value.toISOString().replace('.000Z', 'Z');
  if (Buffer.isBuffer(value)) return value.toString('base64');
  if (field.type.endsWith('64')) return wide(value as string);
  const { resolvedType } = field;
  const nested = resolvedType instanceof protobuf.Type && !resolvedType.fullName.startsWith('.google.protobuf.');
  if (nested) return jsonOf(resolvedType, value as Message);
  if (resolvedType?.name === 'FieldMask') return value;
  return typeof value === 'number' && !Number.isFinite(value) ? null : value;
}

/** JSON.parse loses digits beyond 2^53; the texts are compared apart from it. */
const wide = (digits: string): number => Number(digits);

const mapValues = (map: Message, convert: (value: unknown) => unknown): Message =>
  Object.fromEntries(Object.entries(map).map(([key, value]) => [key, convert(value)]));

const decodedPath = (bytes: Buffer): unknown =>
  JSON.parse(JSON.stringify(jsonOf(type, rpc('GetEverything').responseDeserialize(bytes) as Message)));

// Every field of the sample, filled at random; texts with all that JSON escapes.
const texts = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme', maxLength: 300 }),
  fc.constantFrom(
    '"',
    '\\',
    '\n\t\r\b\f',
    '\u0000\u001f',
    '\u2028',
    '</script>',
    'é😀'.repeat(60),
    `${'a'.repeat(200)}"${'b'.repeat(200)}`,
  ),
);
const keys = fc.oneof(fc.string(), fc.constantFrom('__proto__', '', '"', '1', 'constructor'));
const integers = fc.integer();
const wides = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String);
const unsignedWides = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map(String);
const reals = fc.double({ noNaN: false });
const dates = fc.date({
  min: new Date('0001-01-01T00:00:00Z'),
  max: new Date('9999-12-31T23:59:59.999Z'),
  noInvalidDate: true,
});
const colours = fc.constantFrom('RED', 'DEEP_BLUE');
const states = fc.constantFrom('fresh', 'long_gone');
const jsons = fc.jsonValue({ stringUnit: 'binary', maxDepth: 4 });
const objects = fc.dictionary(keys, jsons);
const { inner } = fc.letrec<{ inner: unknown }>((tie) => ({
  inner: fc.record(
    {
      label: texts,
      child: fc.option(tie('inner'), { depthIdentifier: 'inner', maxDepth: 3 }),
      children: fc.array(tie('inner'), { maxLength: 2, depthIdentifier: 'inner' }),
      at: fc.option(dates),
    },
    { requiredKeys: [] },
  ),
}));
const labels = fc.record({ labels: fc.dictionary(keys, texts) });
const notification = fc.oneof(
  fc.record({ email: fc.record({ userIds: fc.array(texts, { maxLength: 2 }) }) }),
  fc.record({ slack: fc.record({ channelIds: fc.array(texts, { maxLength: 2 }), workspace: texts }) }),
  fc.constant({}),
);
const few = <T>(item: fc.Arbitrary<T>): fc.Arbitrary<T[]> => fc.array(item, { maxLength: 3 });
const everything: fc.Arbitrary<Message> = fc.record(
  {
    text: texts,
    flag: fc.boolean(),
    small: integers,
    wide: wides,
    widePositive: unsignedWides,
    real: reals,
    single: fc.float(),
    raw: fc.uint8Array(),
    zigzag: integers,
    fixedWide: unsignedWides,
    zigzagWide: wides,
    positive: fc.nat(),
    maybeText: fc.option(texts),
    maybeWide: fc.option(wides),
    maybeFlag: fc.option(fc.boolean()),
    maybeColour: fc.option(colours),
    colour: colours,
    state: states,
    phase: fc.constant('Succeeded'),
    inner,
    createdAt: dates,
    anything: jsons,
    object: objects,
    list: few(jsons),
    texts: few(texts),
    numbers: few(integers),
    wides: few(wides),
    colours: few(colours),
    inners: few(inner),
    times: few(dates),
    values: few(jsons),
    objects: few(objects),
    textByName: fc.dictionary(keys, texts),
    valueByName: fc.dictionary(keys, jsons),
    innerByName: fc.dictionary(keys, inner),
    wideByName: fc.dictionary(keys, wides),
    stateByName: fc.dictionary(keys, states),
    textByNumber: fc.dictionary(fc.integer().map(String), texts),
    labels,
    labelSets: few(labels),
    notifications: few(notification),
    notification,
    note: texts,
    notes: few(texts),
    mask: fc.record({ paths: few(texts) }),
    reals: few(reals),
    flags: few(fc.boolean()),
    timeByName: fc.dictionary(keys, dates),
  },
  { requiredKeys: [] },
);

/** The fields of a message, each with its tag, as they lie on the wire. */
function wireFields(bytes: Buffer): Buffer[] {
  const reader = protobuf.Reader.create(bytes);
  const fields: Buffer[] = [];
  while (reader.pos < reader.len) {
    const from = reader.pos;
    reader.skipType(reader.uint32() & 7);
    fields.push(bytes.subarray(from, reader.pos));
  }
  return fields;
}

describe('rendering a message', () => {
  it('gives the JSON that decoding it and shaping the object gives', () => {
    fc.assert(
      fc.property(everything, (message) => {
        const bytes = encode(message);
        expect(JSON.parse(text(bytes))).toEqual(decodedPath(bytes));
      }),
      { numRuns: 30 },
    );
  });

  it('does so when fields come in any order, repeated, split and beside unknown ones', () => {
    // Fields 100 and 2000: a varint, a text, eight bytes and four.
    const unknown = [
      [0xa0, 6, 0xff, 1],
      [0xa2, 6, 2, 65, 66],
      [0x81, 0x7d, 1, 2, 3, 4, 5, 6, 7, 8],
      [0x85, 0x7d, 1, 2, 3, 4],
    ];
    const shuffled = fc
      .tuple(everything, everything)
      .map(([a, b]) => [
        ...wireFields(encode(a)),
        ...wireFields(encode(b)),
        ...unknown.map((bytes) => Buffer.from(bytes)),
      ])
      .chain((fields) => fc.shuffledSubarray(fields));
    fc.assert(
      fc.property(shuffled, (fields) => {
        const bytes = Buffer.concat(fields);
        expect(JSON.parse(text(bytes))).toEqual(decodedPath(bytes));
      }),
      { numRuns: 30 },
    );
  });

  it('shows every field of an empty message, in order, except those that are left out when empty', () => {
    expect(text(Buffer.alloc(0))).toBe(
      '{"text":"","flag":false,"small":0,"wide":0,"wide_positive":0,"real":0,"single":0,"raw":"","zigzag":0,' +
        '"fixed_wide":0,"zigzag_wide":0,"positive":0,"maybe_text":null,"maybe_wide":null,"maybe_flag":null,' +
        '"maybe_colour":null,"colour":null,"state":null,"phase":null,"inner":null,"created_at":null,"anything":null,' +
        '"object":null,"list":null,"texts":[],"numbers":[],"wides":[],"colours":[],"inners":[],"times":[],"values":[],' +
        '"objects":[],"text_by_name":{},"value_by_name":{},"inner_by_name":{},"wide_by_name":{},"state_by_name":{},' +
        '"text_by_number":{},"labels":null,"label_sets":[],"notifications":[],"notification":null,"mask":null,' +
        '"reals":[],"flags":[],"time_by_name":{}}',
    );
  });

  it('writes 64-bit integers with all their digits', () => {
    const wides = [
      '9007199254740993',
      '-9007199254740993',
      '9223372036854775807',
      '-9223372036854775808',
      '0',
      '-1',
      '562949953421312',
    ];
    expect(text(encode({ wides }))).toContain(`"wides":[${wides.join(',')}]`);
    for (const wide of wides) {
      expect(text(encode({ zigzagWide: wide, maybeWide: wide }))).toMatch(
        new RegExp(`"zigzag_wide":${wide},.*"maybe_wide":${wide},`),
      );
    }
    expect(text(encode({ widePositive: '18446744073709551615', fixedWide: '18446744073709551615' }))).toMatch(
      /"wide_positive":18446744073709551615,.*"fixed_wide":18446744073709551615,/,
    );
  });

  it('writes timestamps in UTC, with milliseconds only when there are any', () => {
    const times = [
      '2026-11-21T05:00:00Z',
      '2026-11-21T05:00:00.123Z',
      '2024-02-29T23:59:59.001Z',
      '1969-12-31T23:59:59.999Z',
      '0001-01-01T00:00:00Z',
      '9999-12-31T23:59:59.999Z',
      '2000-03-01T00:00:00Z',
      '1900-02-28T12:30:45Z',
    ];
    expect(rendered({ times: times.map((time) => new Date(time)) })['times']).toEqual(times);
  });

  it('shows whole numbers of free JSON as integers', () => {
    expect(text(encode({ valueByName: { a: 5, b: -0, c: 1e21, d: 0.5 } }))).toContain(
      '"value_by_name":{"a":5,"b":0,"c":1e+21,"d":0.5}',
    );
  });

  it('writes an unwrapped message as its only field, a union with its tag first', () => {
    const json = text(
      encode({
        labels: { labels: { a: 'b' } },
        labelSets: [{ labels: {} }, { labels: { c: 'd' } }],
        notifications: [{ email: { userIds: ['u'] } }, { slack: { channelIds: [], workspace: '' } }],
      }),
    );
    expect(json).toContain('"labels":{"a":"b"},"label_sets":[{},{"c":"d"}]');
    expect(json).toContain('"notifications":[{"method":"EMAIL","user_ids":["u"]},{"method":"SLACK","channel_ids":[]}]');
  });

  it('shows null for an enum value that is not known, and leaves it out of a list', () => {
    expect(JSON.parse(text(Buffer.from([0x88, 0x01, 9, 0xe2, 0x01, 3, 9, 1, 9])))).toMatchObject({
      colour: null,
      colours: ['RED'],
    });
  });

  it('refuses an exact number that is none, which would be any JSON', () => {
    const value = (exact: string) => {
      const writer = protobuf.Writer.create();
      const { id } = type.fields['anything'] as protobuf.Field;
      writer.uint32((id << 3) | 2).fork();
      writer.uint32((EXACT_NUMBER_ID << 3) | 2).string(exact);
      return Buffer.from(writer.ldelim().finish());
    };
    expect(text(value('1.0'))).toContain('"anything":1.0,');
    for (const none of ['1,"forged":2', 'no number', '{}', 'true', '"\u0122,\u0122forged\u0122:2"'])
      expect(() => one(value(none))).toThrow();
  });

  it('answers valid UTF-8 whatever a service sent', () => {
    const json = text(Buffer.from([0x0a, 3, 0x61, 0xff, 0x62]));
    expect(JSON.parse(json)).toMatchObject({ text: 'a\ufffdb' });
  });

  it('writes answers of many megabytes, and small ones after them', () => {
    const long = 'long "text" with ünicode\n'.repeat(200_000);
    expect(rendered({ text: long })['text']).toBe(long);
    expect(rendered({ text: 'short' })['text']).toBe('short');
  });

  it('writes JSON nested 64 deep', () => {
    let deep: unknown = 1;
    for (let level = 0; level < 64; level++) deep = level % 2 ? [deep] : { deep };
    expect(rendered({ anything: deep })['anything']).toEqual(deep);
  });

  it.each([
    ['ends within a number', [0x20, 0xff]],
    ['ends within eight bytes', [0x31, 1, 2]],
    ['has a number without end', [0x20, ...Array<number>(11).fill(0xff)]],
  ])('refuses a message that %s', (_fault, bytes) => {
    expect(() => one(Buffer.from(bytes))).toThrow();
  });
});
