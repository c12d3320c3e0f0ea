import { describe, expect, it } from '@jest/globals';
import { loadSample } from '../test/sample-contract.ts';

const write = loadSample().serviceDefinition('platform.sample.v1.SampleService')['WriteSample'];
if (!write) throw new Error('the sample service has no WriteSample');

type Message = Record<string, unknown>;
const encode = (message: Message): Buffer => write.requestSerialize(message);
const decode = (bytes: Buffer): Message => write.requestDeserialize(bytes) as Message;
const roundTrip = (message: Message): Message => decode(encode(message));

describe('messages of the gRPC definitions', () => {
  it('answer every field of an empty message: null where absent is possible, empty lists and maps', () => {
    expect(roundTrip({})).toEqual({
      text: '',
      flag: false,
      small: 0,
      wide: '0',
      widePositive: '0',
      real: 0,
      single: 0,
      raw: Buffer.alloc(0),
      zigzag: 0,
      fixedWide: '0',
      zigzagWide: '0',
      positive: 0,
      maybeText: null,
      maybeWide: null,
      maybeFlag: null,
      maybeColour: null,
      colour: null,
      state: null,
      phase: null,
      inner: null,
      createdAt: null,
      anything: null,
      object: null,
      list: null,
      texts: [],
      numbers: [],
      wides: [],
      colours: [],
      inners: [],
      times: [],
      values: [],
      objects: [],
      textByName: {},
      valueByName: {},
      innerByName: {},
      wideByName: {},
      stateByName: {},
      textByNumber: {},
      labels: null,
      labelSets: [],
      notifications: [],
      notification: null,
      note: '',
      notes: [],
      mask: null,
      reals: [],
      flags: [],
      timeByName: {},
    });
  });

  it('take null and undefined as absent', () => {
    const nothing = roundTrip({});
    const keys = Object.keys(nothing);
    expect(roundTrip(Object.fromEntries(keys.map((key) => [key, null])))).toEqual(nothing);
    expect(roundTrip(Object.fromEntries(keys.map((key) => [key, undefined])))).toEqual(nothing);
  });

  it('tell an optional field that holds its zero value from an absent one', () => {
    expect(roundTrip({ maybeText: '', maybeWide: '0', maybeFlag: false })).toMatchObject({
      maybeText: '',
      maybeWide: '0',
      maybeFlag: false,
    });
  });

  it('carry Dates to the millisecond, before 1970 too, at any depth', () => {
    const times = [
      new Date('2026-11-21T05:00:00Z'),
      new Date('2026-11-21T05:00:00.123Z'),
      new Date(-1),
      new Date(-62135596800000),
    ];
    const [at] = times;
    const inner = { label: '', child: { label: '', child: null, children: [], at }, children: [], at };
    expect(roundTrip({ times, createdAt: at, inner, timeByName: { a: at } })).toMatchObject({
      times,
      createdAt: at,
      inner,
      timeByName: { a: at },
    });
  });

  it('carry 64-bit integers exactly', () => {
    const wides = ['9007199254740993', '-9223372036854775808', '9223372036854775807', '0', '-1'];
    expect(
      roundTrip({ wides, widePositive: '18446744073709551615', wideByName: { a: '9007199254740993' } }),
    ).toMatchObject({
      wides,
      widePositive: '18446744073709551615',
      wideByName: { a: '9007199254740993' },
    });
    expect(roundTrip({ wide: 9007199254740993n, zigzagWide: 5 })).toMatchObject({
      wide: '9007199254740993',
      zigzagWide: '5',
    });
  });

  it.each([
    ['wide', '9223372036854775808'],
    ['wide', '1.5'],
    ['wide', ''],
    ['wide', 2 ** 53],
    ['widePositive', '-1'],
    ['small', 3_000_000_000],
    ['small', 1.5],
    ['small', '5'],
    ['positive', -1],
    ['colour', 'PINK'],
    ['colour', 'toString'],
    ['colours', ['RED', 'COLOUR_RED']],
    ['createdAt', new Date(NaN)],
    ['createdAt', '2026-11-21T05:00:00Z'],
    ['object', [1]],
    ['list', { a: 1 }],
    ['anything', NaN],
    ['anything', () => 1],
  ])('refuse to write a %s that the field cannot hold: %p', (field, value) => {
    expect(() => encode({ [field]: value })).toThrow(TypeError);
  });

  it('carry enums by their short names, in the case the contract asks for', () => {
    const message = {
      colour: 'DEEP_BLUE',
      maybeColour: 'RED',
      colours: ['RED', 'DEEP_BLUE'],
      state: 'long_gone',
      phase: 'Succeeded',
      stateByName: { a: 'fresh' },
    };
    expect(roundTrip(message)).toMatchObject(message);
  });

  it('carry free JSON unchanged wherever it stands', () => {
    const json = { a: 1, b: 'x', c: null, d: [1, 'x', null, true, { e: [] }], f: {}, g: 1.5, h: -0.25, '': 0, é: '😀' };
    const message = {
      anything: [json, 1, null],
      object: json,
      list: [json, 'x', null],
      values: [1, 'x', null, false, json, []],
      objects: [json, {}],
      valueByName: { a: 5, b: 'x', c: null, d: false, e: json, f: [] },
    };
    expect(roundTrip(message)).toMatchObject(message);
  });

  it.each([[0], [''], [false], ['x'], [12345678901]])('carry a bare %p as free JSON', (value) => {
    expect(roundTrip({ anything: value })['anything']).toBe(value);
  });

  it('leave members without a value out of free JSON', () => {
    expect(roundTrip({ object: { a: undefined, b: 1 }, valueByName: { a: undefined, b: 1 } })).toMatchObject({
      object: { b: 1 },
      valueByName: { b: 1 },
    });
  });

  it('treat the key __proto__ as data', () => {
    const object = JSON.parse('{"__proto__":{"polluted":true},"constructor":"x"}') as Message;
    const read = roundTrip({ object, textByName: JSON.parse('{"__proto__":"x"}') as Message });
    expect(JSON.stringify(read['object'])).toBe(JSON.stringify(object));
    expect(JSON.stringify(read['textByName'])).toBe('{"__proto__":"x"}');
    expect((read['object'] as Message)['polluted']).toBeUndefined();
  });

  it('carry JSON nested 64 deep, and refuse a value that contains itself', () => {
    let deep: unknown = 1;
    for (let level = 0; level < 64; level++) deep = level % 2 ? [deep] : { deep };
    expect(roundTrip({ anything: deep })['anything']).toEqual(deep);
    const endless: Message = {};
    endless['self'] = endless;
    expect(() => encode({ object: endless })).toThrow('contains itself');
  });

  it('keep a field mask as its paths, and the one member of a oneof', () => {
    const message = {
      mask: { paths: ['name', 'policy'] },
      notifications: [{ email: { userIds: ['a'] } }, { slack: null }],
    };
    expect(roundTrip(message)).toMatchObject({
      mask: { paths: ['name', 'policy'] },
      notifications: [
        { email: { userIds: ['a'] }, slack: null },
        { email: null, slack: null },
      ],
    });
  });

  it('answer null for an enum value that a newer peer knows', () => {
    // Field 17 (colour) = 9; field 28 (colours) = [1, 9].
    expect(decode(Buffer.from([0x88, 0x01, 9, 0xe2, 0x01, 2, 1, 9]))).toMatchObject({ colour: null, colours: ['RED'] });
  });

  it('never change the object that was given', () => {
    const message = Object.freeze({ wide: 5n, valueByName: Object.freeze({ a: 1 }), wides: Object.freeze(['1']) });
    expect(() => encode(message)).not.toThrow();
    expect(message).toEqual({ wide: 5n, valueByName: { a: 1 }, wides: ['1'] });
  });
});

describe('service definitions', () => {
  const contract = loadSample();

  it.each([...new Set(contract.operations.map(({ service }) => service))])(
    '%s has the paths of the contract',
    (service) => {
      const definition = contract.serviceDefinition(service);
      for (const operation of contract.operations.filter((candidate) => candidate.service === service)) {
        expect(definition[operation.method]?.path).toBe(operation.grpcPath);
      }
    },
  );

  it('names the service it does not have', () => {
    expect(() => contract.serviceDefinition('platform.sample.v1.Nothing')).toThrow(
      'no service platform.sample.v1.Nothing',
    );
  });
});
