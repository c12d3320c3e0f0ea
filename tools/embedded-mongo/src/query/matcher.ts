import { BSONRegExp } from 'bson';
import { toInteger, toNumber, truncate } from '../bson/numbers.ts';
import { classOf, compare, isBoundary, isEqual, orderBytes } from '../bson/order.ts';
import { isDocument, isNumeric, isTypeNumber, typeNumber, typeOf, type Document, type Value } from '../bson/values.ts';
import { badValue, failedToParse, notImplemented, ServerError, typeMismatch } from '../errors.ts';
import { compileJsonSchema } from './json-schema.ts';
import { visitPath, type MatchDetails } from './paths.ts';
import { regularExpression } from './regular-expressions.ts';

/** What has to hold of the values under one path; what an index cannot use has the operator `other`. */
export interface Predicate {
  readonly path: string;
  readonly operator: '$eq' | '$in' | '$gt' | '$gte' | '$lt' | '$lte' | '$exists' | '$regex' | '$elemMatch' | 'other';
  readonly operand: Value;
}

export interface Matcher {
  test(document: Document, details?: MatchDetails): boolean;
  /** All of these hold where the whole does. */
  readonly predicates: readonly Predicate[];
  /** Of each list one holds. */
  readonly alternatives: readonly (readonly Matcher[])[];
}

/** Compiles an expression of an aggregation, which `$expr` holds; handed in, as expressions know nothing of filters. */
export type CompileExpression = (expression: Value) => (document: Document) => boolean;

export function compileFilter(filter: Document, expression?: CompileExpression): Matcher {
  return allOf([...filter].map(([name, value]) => condition(name, value, expression)));
}

const leaf = (test: Matcher['test'], predicate?: Predicate): Matcher => ({
  test,
  predicates: predicate ? [predicate] : [],
  alternatives: [],
});

function allOf(matchers: readonly Matcher[]): Matcher {
  const [only] = matchers;
  if (only && matchers.length === 1) return only;
  return {
    test: (document, details) => matchers.every((matcher) => matcher.test(document, details)),
    predicates: matchers.flatMap(({ predicates }) => predicates),
    alternatives: matchers.flatMap(({ alternatives }) => alternatives),
  };
}

function condition(name: string, value: Value, expression?: CompileExpression): Matcher {
  if (!name.startsWith('$')) return field(name, value);
  switch (name) {
    case '$and':
      return allOf(branches(name, value, expression));
    case '$or': {
      const matchers = branches(name, value, expression);
      if (matchers.length === 1 && matchers[0]) return matchers[0];
      return {
        test: (document, details) => matchers.some((matcher) => matcher.test(document, details)),
        predicates: [],
        alternatives: [matchers],
      };
    }
    case '$nor': {
      const matchers = branches(name, value, expression);
      return leaf((document) => !matchers.some((matcher) => matcher.test(document)));
    }
    case '$comment':
      return leaf(() => true);
    case '$expr':
      if (!expression) throw failedToParse('$expr can only be applied to the top-level document');
      return leaf(expression(value));
    case '$where':
      throw badValue('no globalScriptEngine in $where parsing');
    case '$text':
      throw new ServerError(27, 'text index required for $text query');
    case '$jsonSchema': {
      const schema = compileJsonSchema(value);
      return leaf((document) => schema(document) === undefined);
    }
    default:
      throw badValue(
        `unknown top level operator: ${name}. If you have a field name that starts with a '$' symbol, consider using $getField or $setField.`,
      );
  }
}

function branches(name: string, value: Value, expression?: CompileExpression): Matcher[] {
  if (!Array.isArray(value)) throw badValue(`${name} must be an array`);
  if (value.length === 0) throw badValue('$and/$or/$nor must be a nonempty array');
  return value.map((branch) => {
    if (!isDocument(branch)) throw badValue('$or/$and/$nor entries need to be full objects');
    return compileFilter(branch, expression);
  });
}

const isOperators = (value: Value): boolean => {
  if (!isDocument(value)) return false;
  const [first] = value.keys();
  return first?.startsWith('$') === true && first !== '$ref' && first !== '$id' && first !== '$db';
};

function field(path: string, value: Value): Matcher {
  if (value instanceof BSONRegExp) return operator(path, '$regex', value, new Map());
  if (!isDocument(value) || !isOperators(value)) return operator(path, '$eq', value, new Map());
  return allOf([...value].map(([name, operand]) => operator(path, name, operand, value)));
}

type Test = (value: Value | undefined) => boolean;

function overPath(path: string, test: Test, elements = true): Matcher['test'] {
  if (path === ELEMENT) return (document) => test(document.get(path));
  const names = path.split('.');
  const [only = ''] = names;
  if (names.length === 1)
    return (document, details) => {
      const value = document.get(only);
      return Array.isArray(value) ? visitPath(value, names, 1, elements, test, details) : test(value);
    };
  return (document, details) => visitPath(document, names, 0, elements, test, details);
}

const not = (matcher: Matcher): Matcher => leaf((document) => !matcher.test(document));

function operator(path: string, name: string, operand: Value, siblings: Document): Matcher {
  switch (name) {
    case '$eq':
      return leaf(overPath(path, equals(operand)), { path, operator: '$eq', operand });
    case '$ne':
      if (operand instanceof BSONRegExp) throw badValue("Can't have regex as arg to $ne.");
      return not(leaf(overPath(path, equals(operand))));
    case '$gt':
    case '$gte':
    case '$lt':
    case '$lte':
      if (operand instanceof BSONRegExp) throw badValue(`Can't have RegEx as arg to predicate over field '${path}'.`);
      return leaf(overPath(path, comparison(name, operand)), { path, operator: name, operand });
    case '$in':
      return leaf(overPath(path, oneOf(operand, name)), { path, operator: '$in', operand });
    case '$nin':
      return not(leaf(overPath(path, oneOf(operand, name))));
    case '$exists': {
      const wanted = isTrue(operand);
      const exists = overPath(path, (value) => value !== undefined, false);
      const predicate: Predicate = { path, operator: '$exists', operand: wanted };
      return leaf((document) => exists(document) === wanted, predicate);
    }
    case '$not':
      return not(negated(path, operand));
    case '$regex': {
      const expression = regexOperand(operand, siblings.get('$options'));
      return leaf(overPath(path, matches(expression)), { path, operator: '$regex', operand: expression });
    }
    case '$options':
      if (!siblings.has('$regex')) throw badValue('$options needs a $regex');
      return leaf(() => true);
    case '$type':
      return leaf(overPath(path, ofType(operand)));
    case '$size':
      return leaf(overPath(path, ofSize(operand), false));
    case '$mod':
      return leaf(overPath(path, modulo(operand)));
    case '$all':
      return everyOne(path, operand);
    case '$elemMatch':
      return elementMatch(path, operand);
    case '$near':
    case '$nearSphere':
    case '$geoWithin':
    case '$geoIntersects':
    case '$within':
    case '$bitsAllSet':
    case '$bitsAllClear':
    case '$bitsAnySet':
    case '$bitsAnyClear':
      throw notImplemented(name);
    default:
      throw badValue(`unknown operator: ${name}`);
  }
}

export const isTrue = (value: Value | undefined): boolean =>
  value !== undefined && value !== null && value !== false && !(isNumeric(value) && toNumber(value) === 0);

function equals(operand: Value): Test {
  if (operand === null) return (value) => value === undefined || value === null;
  if (typeof operand === 'string') return (value) => value === operand;
  const bytes = orderBytes(operand);
  const type = classOf(operand);
  return (value) => value !== undefined && classOf(value) === type && orderBytes(value).equals(bytes);
}

const holds = {
  $gt: (order: number) => order > 0,
  $gte: (order: number) => order >= 0,
  $lt: (order: number) => order < 0,
  $lte: (order: number) => order <= 0,
} as const;

/** Values of other types neither come before nor after, except where everything does. */
function comparison(name: keyof typeof holds, operand: Value): Test {
  const includes = name === '$gte' || name === '$lte';
  if (operand === null) return (value) => includes && (value === undefined || value === null);
  const hold = holds[name];
  if (isBoundary(operand)) return (value) => value !== undefined && hold(compare(value, operand));
  const type = classOf(operand);
  const isNaN = isNumeric(operand) && Number.isNaN(toNumber(operand));
  return (value) => {
    if (value === undefined || classOf(value) !== type) return false;
    const order = compare(value, operand);
    // Nothing is less or greater than NaN.
    if (isNaN || (isNumeric(value) && Number.isNaN(toNumber(value)))) return includes && order === 0;
    return hold(order);
  };
}

function oneOf(operand: Value, name: string): Test {
  if (!Array.isArray(operand)) throw badValue(`${name} needs an array`);
  if (operand.some(isOperators)) throw badValue(`cannot nest $ under ${name}`);
  const expressions = operand.filter((value) => value instanceof BSONRegExp).map(matches);
  const others = operand.filter((value) => !(value instanceof BSONRegExp));
  const nothing = others.includes(null);
  const known = new Set(others.map((value) => orderBytes(value).toString('latin1')));
  return (value) => {
    if (value === undefined) return nothing;
    return known.has(orderBytes(value).toString('latin1')) || expressions.some((test) => test(value));
  };
}

function regexOperand(operand: Value, options: Value | undefined): BSONRegExp {
  if (operand instanceof BSONRegExp)
    return typeof options === 'string' ? new BSONRegExp(operand.pattern, options) : operand;
  if (typeof operand !== 'string') throw badValue('$regex has to be a string');
  return new BSONRegExp(operand, typeof options === 'string' ? options : '');
}

function matches(expression: BSONRegExp): Test {
  const compiled = regularExpression(expression);
  return (value) => {
    if (typeof value === 'string') return compiled.test(value);
    return value instanceof BSONRegExp && isEqual(value, expression);
  };
}

function ofType(operand: Value): Test {
  const wanted = (Array.isArray(operand) ? operand : [operand]).map(typeWanted);
  return (value) => {
    if (value === undefined) return false;
    return wanted.includes(typeNumber(typeOf(value)) ?? 0) || (wanted.includes(NUMBER) && isNumeric(value));
  };
}

const NUMBER = 1_000;

function typeWanted(operand: Value): number {
  if (operand === 'number') return NUMBER;
  const number = typeof operand === 'string' ? typeNumber(operand) : isNumeric(operand) ? toNumber(operand) : undefined;
  if (number !== undefined && isTypeNumber(number)) return number;
  if (typeof operand === 'string') throw badValue(`Unknown type name alias: ${operand}`);
  if (number === undefined) throw typeMismatch('type must be represented as a number or a string');
  throw badValue(`Invalid numerical type code: ${number}`);
}

function ofSize(operand: Value): Test {
  const size = isNumeric(operand) ? toInteger(operand) : undefined;
  if (size === undefined || size < 0n) throw failedToParse('Failed to parse $size. Expected a non-negative number.');
  return (value) => Array.isArray(value) && BigInt(value.length) === size;
}

function modulo(operand: Value): Test {
  if (!Array.isArray(operand) || operand.length !== 2) throw badValue('malformed mod, needs to be an array of two');
  const [divisor, remainder] = operand.map((value) => (isNumeric(value) ? truncate(value) : undefined));
  if (divisor === undefined || remainder === undefined)
    throw badValue('malformed mod, divisor or remainder not a number');
  if (divisor === 0n) throw badValue('divisor cannot be 0');
  return (value) => {
    const number = isNumeric(value) ? truncate(value) : undefined;
    return number !== undefined && number % divisor === remainder;
  };
}

function negated(path: string, operand: Value): Matcher {
  if (operand instanceof BSONRegExp) return field(path, operand);
  if (!isDocument(operand)) throw badValue('$not needs a regex or a document');
  if (operand.size === 0) throw badValue('$not cannot be empty');
  if (!isOperators(operand)) throw badValue(`unknown operator: ${[...operand.keys()].join()}`);
  return field(path, operand);
}

function everyOne(path: string, operand: Value): Matcher {
  if (!Array.isArray(operand)) throw badValue('$all needs an array');
  if (operand.length === 0) return leaf(() => false);
  return allOf(
    operand.map((value) => {
      if (isDocument(value) && value.has('$elemMatch')) return field(path, value);
      if (isOperators(value)) throw badValue('no $ expressions in $all');
      return field(path, value);
    }),
  );
}

function elementMatch(path: string, operand: Value): Matcher {
  if (!isDocument(operand)) throw badValue('$elemMatch needs an Object');
  const isOfValues =
    isOperators(operand) && !['$and', '$or', '$nor', '$where', '$expr'].includes([...operand.keys()][0] ?? '');
  const inner = isOfValues ? field(ELEMENT, operand) : compileFilter(operand);
  const names = path.split('.');
  const fits = (element: Value): boolean => {
    if (isOfValues) return inner.test(new Map([[ELEMENT, element]]));
    if (isDocument(element)) return inner.test(element);
    return Array.isArray(element) && inner.test(new Map(element.map((value, index) => [String(index), value])));
  };
  const test = (document: Document, details?: MatchDetails): boolean =>
    visitPath(
      document,
      names,
      0,
      false,
      (value, found) => {
        if (!Array.isArray(value)) return false;
        const index = value.findIndex(fits);
        if (index >= 0 && found) found.position = index;
        return index >= 0;
      },
      details,
    );
  return leaf(test, { path, operator: '$elemMatch', operand });
}

/** In place of a path: an element of an array, which is not looked into where it is an array itself. No field is called so. */
const ELEMENT = '\0';
