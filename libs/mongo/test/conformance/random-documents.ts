import { mongo } from 'mongoose';

export type Fields = Record<string, unknown>;

/** Numbers from 0 up to 1 that are the same for the same seed. */
export function randomness(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export interface Generator {
  document(id: number): Fields;
  filter(): Fields;
  sort(): Fields;
  update(): Fields | Fields[];
  projection(): Fields;
  expression(): unknown;
  index(): Record<string, 1 | -1>;
}

const { Binary, Decimal128, Double, Int32, Long, ObjectId, Timestamp } = mongo;

const scalars = (): unknown[] => [
  null,
  new Int32(0),
  new Int32(1),
  new Int32(2),
  new Int32(-1),
  new Double(1),
  new Double(1.5),
  new Double(0.1),
  new Double(NaN),
  new Double(Infinity),
  new Double(-Infinity),
  new Double(9007199254740992),
  Long.fromString('1'),
  Long.fromString('9007199254740993'),
  Long.fromString('9007199254740992'),
  Long.MAX_VALUE,
  Decimal128.fromString('1'),
  Decimal128.fromString('0.1'),
  Decimal128.fromString('9007199254740993'),
  Decimal128.fromString('1.50'),
  '',
  'a',
  'b',
  'ab',
  'é',
  '\u{1F600}',
  '\uFFFD',
  true,
  false,
  new Date(0),
  new Date(-1),
  new Date(1_700_000_000_000),
  new ObjectId('0123456789abcdef01234567'),
  new ObjectId('ffffffffffffffffffffffff'),
  new Binary(Buffer.from('a')),
  new Binary(Buffer.from('bb'), 128),
  new Timestamp({ t: 1, i: 2 }),
];

/**
 * Documents, filters and changes over few names and values, so that they often have to do with each other. With
 * `common` only what the compatible server of the tests is known to do as MongoDB does: it (secantusd-rs 0.5.3) takes the
 * double 0.1 for the decimal one, finds null at indexes behind the end of an array, looks into elements that are named by
 * their index, finds no null with `$all`, and no element without a field with `$elemMatch`, takes what is missing for null
 * in expressions, and refuses sums that outgrow 64 bits.
 */
export function generator(random: () => number, { common: isCommon }: { common: boolean }): Generator {
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  const chance = (part: number): boolean => random() < part;
  const times = <T>(max: number, make: () => T): T[] => Array.from({ length: Math.floor(random() * (max + 1)) }, make);
  const all = scalars().filter((each) => !isCommon || !(each instanceof Double) || each.value !== 0.1);
  const common = all.slice(0, 6);

  const scalar = (): unknown => pick(chance(0.6) ? common : all);
  const value = (depth = 0): unknown => {
    if (depth > 2 || chance(0.55)) return scalar();
    if (chance(0.5)) return times(3, () => value(depth + 1));
    return object(depth + 1);
  };
  const object = (depth: number): Fields => {
    const names = ['a', 'b', 'c', '1'].sort(() => random() - 0.5).slice(0, Math.floor(random() * 3));
    return new Map(names.map((name) => [name, value(depth)])) as unknown as Fields;
  };
  const paths = [
    'a',
    'a',
    'b',
    'b',
    'c',
    'a.b',
    'a.b',
    'a.a',
    'b.a',
    'b.c',
    'a.b.c',
    ...(isCommon ? [] : ['a.0', 'a.1', 'b.1']),
  ];
  const path = (): string => pick(paths);
  const sortPath = (): string => (isCommon ? pick(['a', 'b', 'c']) : path());
  const something = (): unknown => (isCommon ? (scalar() ?? '') : value());

  const operators: Readonly<Record<string, () => unknown>> = {
    $eq: value,
    $ne: value,
    $gt: value,
    $gte: value,
    $lt: value,
    $lte: value,
    $in: () => times(3, value),
    $nin: () => times(3, value),
    $exists: () => chance(0.5),
    $type: () =>
      pick(['int', 'long', 'double', 'decimal', 'number', 'string', 'object', 'array', 'null', 'bool', 'date']),
    $size: () => pick([0, 1, 2]),
    $all: () => [something(), ...times(1, something)],
    $mod: () => [pick([2, 3]), pick([0, 1])],
    $elemMatch: () => (chance(0.5) ? { $gte: scalar(), $lte: scalar() } : { [pick(['a', 'b'])]: something() }),
    $regex: () => pick(['^a', 'b$', 'A']),
  };
  const condition = (): unknown => {
    if (chance(0.3)) return value();
    const name = pick(Object.keys(operators));
    const one = { [name]: operators[name]?.() };
    if (chance(0.15)) return { $not: one };
    return chance(0.2) ? { ...one, $lt: scalar() } : one;
  };
  const filter = (depth = 0): Fields => {
    if (depth < 2 && chance(0.2))
      return { [pick(['$and', '$or', '$nor'])]: [filter(depth + 1), ...times(2, () => filter(depth + 1))] };
    const first = { [path()]: condition() };
    return chance(0.3) ? { ...first, [path()]: condition() } : first;
  };
  const direction = (): 1 | -1 => (chance(0.5) ? 1 : -1);

  const number = (): unknown =>
    pick([
      new Int32(1),
      new Int32(2_147_483_647),
      new Double(0.5),
      Long.fromString('3'),
      Decimal128.fromString('0.1'),
      Long.MAX_VALUE,
    ]);
  const changes: Readonly<Record<string, () => unknown>> = {
    $set: value,
    $unset: () => '',
    $inc: number,
    $mul: number,
    $min: value,
    $max: value,
    $push: () =>
      chance(0.5)
        ? value()
        : {
            $each: times(3, value),
            ...(chance(0.5) && { $slice: pick([-2, 0, 2]) }),
            ...(chance(0.4) && { $sort: chance(0.5) ? direction() : { a: direction() } }),
            ...(chance(0.3) && { $position: pick([0, 1, -1]) }),
          },
    $addToSet: () => (chance(0.6) ? value() : { $each: times(3, value) }),
    $pop: direction,
    $pull: () =>
      chance(0.5)
        ? value()
        : pick([{ $gt: scalar() }, { $in: times(2, scalar) }, { a: scalar() }, { a: { $gte: scalar() } }]),
    $pullAll: () => times(2, value),
    $rename: () => pick(['d', 'b', 'c', 'a.c', 'e.f']),
  };
  const expression = (depth = 0): unknown => {
    if (depth > 2 || chance(0.35)) return chance(0.6) ? `$${pick(['a', 'b', 'c', 'missing'])}` : { $literal: value() };
    const part = (): unknown => expression(depth + 1);
    const present = (): unknown => (isCommon ? { $ifNull: [part(), 'none'] } : part());
    const sumOf = (): unknown =>
      isCommon ? { $literal: pick([new Int32(1), new Double(0.5), Decimal128.fromString('0.1'), 'x']) } : part();
    const array = (): unknown => ({ $cond: [{ $isArray: [part()] }, part(), [part()]] });
    return pick<() => unknown>([
      () => ({ [pick(['$eq', '$ne', '$gt', '$gte', '$lt', '$lte', '$cmp'])]: [present(), present()] }),
      () => ({ [pick(['$and', '$or'])]: [part(), part()] }),
      () => ({ $not: [part()] }),
      () => ({ $ifNull: [part(), part()] }),
      () => ({ $cond: [part(), part(), part()] }),
      () => ({ [pick(['$add', '$multiply', '$subtract'])]: [{ $literal: number() }, { $literal: number() }] }),
      () => ({ [pick(['$min', '$max'])]: [present(), present()] }),
      () => ({ [pick(['$sum', '$avg'])]: [sumOf(), sumOf(), sumOf()] }),
      () => ({ $type: present() }),
      () => ({ $isArray: [part()] }),
      () => ({ $concatArrays: [[part()], [part()]] }),
      () => ({ $in: [present(), [present(), present()]] }),
      () => ({ $setUnion: [[part()], [part()]] }),
      () => ({ $arrayElemAt: [[part(), part()], pick([0, 1, -1, 5])] }),
      () => ({ $size: [[part(), part()]] }),
      () => ({ $filter: { input: [part(), part()], as: 'it', cond: { $gt: ['$$it', present()] } } }),
      () => ({ $map: { input: [part(), part()], in: [part(), '$$this'] } }),
      () => ({ $mergeObjects: [{ a: part() }, { b: part() }] }),
      () => ({ $let: { vars: { x: part() }, in: ['$$x', part()] } }),
      () => ({ $size: array() }),
    ])();
  };

  return {
    document: (id) =>
      new Map<string, unknown>([
        ['_id', new Int32(id)],
        ...(object(0) as unknown as Map<string, unknown>),
        ...(object(0) as unknown as Map<string, unknown>),
      ]) as unknown as Fields,
    filter,
    sort: () => Object.fromEntries([...times(1, sortPath), sortPath()].map((name) => [name, direction()])),
    update() {
      if (chance(0.1))
        return [
          { $set: { [pick(isCommon ? ['a', 'b', 'd'] : ['a', 'b', 'a.b', 'd'])]: expression() } },
          ...(chance(0.3) ? [{ $unset: pick(isCommon ? ['a', 'b'] : ['a', 'b', 'a.b']) }] : []),
        ];
      const update: Record<string, Fields> = {};
      for (let count = chance(0.3) ? 2 : 1; count > 0; count -= 1) {
        const name = pick(Object.keys(changes));
        const where = isCommon && name === '$pop' ? pick(['a', 'b', 'c']) : path();
        update[name] = { ...update[name], [where]: changes[name]?.() };
      }
      return update;
    },
    projection() {
      const wanted = chance(0.5) ? 1 : 0;
      const fields = Object.fromEntries([path(), ...times(2, path)].map((name) => [name, wanted]));
      return { ...fields, ...(chance(0.3) && { _id: 0 }) };
    },
    expression,
    index: () =>
      Object.fromEntries(
        [pick(['a', 'b', 'a.b', 'c', 'b.a']), ...times(1, () => pick(['c', 'b', 'a.a']))].map((name) => [
          name,
          direction(),
        ]),
      ),
  };
}
