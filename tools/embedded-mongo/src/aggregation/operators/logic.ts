import { Int32 } from 'bson';
import { compare, isEqual } from '../../bson/order.ts';
import { isDocument, type Value } from '../../bson/values.ts';
import { badValue } from '../../errors.ts';
import { isTrue } from '../../query/matcher.ts';
import { argumentsOf, isNothing, partsOf, strict, withVariables, type Operator } from '../expression.ts';

/** Missing comes before null. */
const comparing = (holds: (order: number) => boolean): Operator =>
  strict([2, 2], ([left, right]) => holds(compare(left, right)));

const cond: Operator = (operand, compiling) => {
  const list = isDocument(operand)
    ? ['if', 'then', 'else'].map((part) => partsOf(operand, '$cond', ['if', 'then', 'else']).get(part) ?? null)
    : operand;
  const [test, yes, no] = argumentsOf(list, compiling, 3);
  return (scope) => (isTrue(test?.(scope)) ? yes : no)?.(scope);
};

const either =
  (whole: boolean): Operator =>
  (operand, compiling) => {
    const parts = argumentsOf(operand, compiling, 0, Infinity);
    return (scope) => (whole ? parts.every((part) => isTrue(part(scope))) : parts.some((part) => isTrue(part(scope))));
  };

const ifNull: Operator = (operand, compiling) => {
  const parts = argumentsOf(operand, compiling, 2, Infinity);
  return (scope) => {
    for (const part of parts.slice(0, -1)) {
      const value = part(scope);
      if (!isNothing(value)) return value;
    }
    return parts.at(-1)?.(scope);
  };
};

const bind: Operator = (operand, { compile }) => {
  const given = partsOf(operand, '$let', ['vars', 'in']);
  const variables = given.get('vars');
  if (!isDocument(variables ?? null)) throw badValue('invalid parameter: expected an object (vars)');
  const compiled = [...(variables as Map<string, Value>)].map(([name, value]) => [name, compile(value)] as const);
  const inner = compile(given.get('in') ?? null);
  return (scope) =>
    inner(
      withVariables(
        scope,
        compiled.map(([name, value]) => [name, value(scope)]),
      ),
    );
};

export const logic = {
  $eq: strict([2, 2], ([left, right]) => isEqual(left, right)),
  $ne: strict([2, 2], ([left, right]) => !isEqual(left, right)),
  $gt: comparing((order) => order > 0),
  $gte: comparing((order) => order >= 0),
  $lt: comparing((order) => order < 0),
  $lte: comparing((order) => order <= 0),
  $cmp: strict([2, 2], ([left, right]) => new Int32(Math.sign(compare(left, right)))),
  $and: either(true),
  $or: either(false),
  $not: strict([1, 1], ([value]) => !isTrue(value)),
  $cond: cond,
  $ifNull: ifNull,
  $let: bind,
  $literal: ((operand) => () => operand) as Operator,
} satisfies Record<string, Operator>;
