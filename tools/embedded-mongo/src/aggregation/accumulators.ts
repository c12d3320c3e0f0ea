import { Int32 } from 'bson';
import { divide, Sum } from '../bson/numbers.ts';
import { compare, orderBytes } from '../bson/order.ts';
import { isDocument, isNumeric, type Document, type Numeric, type Value } from '../bson/values.ts';
import { notImplemented, ServerError } from '../errors.ts';
import { compileExpression } from './compile.ts';
import { isNothing, type Expression } from './expression.ts';

/** Takes one value after the other and makes one of them all. */
export interface Accumulator {
  add(value: Value | undefined): void;
  result(): Value;
}

function summing(): Accumulator & { count: number; total(): Numeric } {
  const sum = new Sum();
  return {
    count: 0,
    add(value) {
      if (!isNumeric(value)) return;
      sum.add(value);
      this.count += 1;
    },
    total: () => sum.total(),
    result: () => sum.total(),
  };
}

function averaging(): Accumulator {
  const sum = summing();
  return {
    add: (value) => {
      sum.add(value);
    },
    result: () => (sum.count === 0 ? null : divide(sum.total(), new Int32(sum.count))),
  };
}

const extreme = (sign: 1 | -1) => (): Accumulator => {
  let best: Value = null;
  return {
    add(value) {
      if (!isNothing(value) && (best === null || compare(value, best) * sign > 0)) best = value;
    },
    result: () => best,
  };
};

function first(): Accumulator {
  let found: Value | undefined;
  let any = false;
  return {
    add(value) {
      if (!any) found = value;
      any = true;
    },
    result: () => found ?? null,
  };
}

function last(): Accumulator {
  let found: Value | undefined;
  return {
    add(value) {
      found = value;
    },
    result: () => found ?? null,
  };
}

function pushing(): Accumulator {
  const values: Value[] = [];
  return {
    add(value) {
      if (value !== undefined) values.push(value);
    },
    result: () => [...values],
  };
}

function collecting(): Accumulator {
  const values = new Map<string, Value>();
  return {
    add(value) {
      if (value === undefined) return;
      const key = orderBytes(value).toString('latin1');
      if (!values.has(key)) values.set(key, value);
    },
    result: () => [...values.values()],
  };
}

function merging(): Accumulator {
  const merged: Document = new Map();
  return {
    add(value) {
      if (isNothing(value)) return;
      if (!isDocument(value)) throw new ServerError(40400, '$mergeObjects requires object inputs');
      for (const [name, inner] of value) merged.set(name, inner);
    },
    result: () => merged,
  };
}

const kinds: Readonly<Record<string, () => Accumulator>> = {
  $sum: summing,
  $avg: averaging,
  $min: extreme(-1),
  $max: extreme(1),
  $first: first,
  $last: last,
  $push: pushing,
  $addToSet: collecting,
  $mergeObjects: merging,
  $count: summing,
};

const elsewhere =
  /^\$(accumulator|bottom|top|firstN|lastN|maxN|minN|median|percentile|stdDev|covariance|derivative|integral|expMovingAvg|rank|denseRank|shift|linearFill|locf)/;

export interface Accumulating {
  readonly create: () => Accumulator;
  readonly expression: Expression;
}

export function compileAccumulator(name: string, operand: Value): Accumulating {
  const create = kinds[name];
  if (!create) {
    if (elsewhere.test(name)) throw notImplemented(name);
    throw new ServerError(15952, `unknown group operator '${name}'`);
  }
  if (name === '$count') return { create, expression: () => new Int32(1) };
  return { create, expression: compileExpression(operand) };
}
