import { Int32 } from 'bson';
import { toNumber } from '../bson/numbers.ts';
import { orderBytes } from '../bson/order.ts';
import {
  isDocument,
  isNumeric,
  isTypeNumber,
  toDocument,
  toValue,
  typeNumber,
  typeOf,
  type Document,
  type Value,
} from '../bson/values.ts';
import { failedToParse, notImplemented, typeMismatch } from '../errors.ts';

/** What a value does not fulfil, as MongoDB explains it; undefined: nothing. */
export type JsonSchema = (value: Value) => Document[] | undefined;

type Rule = (value: Value) => Document | undefined;

/** Of a keyword: what is explained when it is not fulfilled. */
const unsatisfied = (keyword: string, given: Value, reason: string, considered: Value): Document =>
  toDocument({
    operatorName: keyword,
    specifiedAs: new Map([[keyword, given]]),
    reason,
    consideredValue: considered,
    ...(keyword === 'bsonType' && { consideredType: typeOf(considered) }),
  });

/** A keyword that asks something of values of one kind, and nothing of others. */
function bound(
  keyword: string,
  given: Value,
  reason: string,
  sizeOf: (value: Value) => number | undefined,
  holds: (size: number, limit: number) => boolean,
): Rule {
  if (!isNumeric(given)) throw typeMismatch(`$jsonSchema keyword '${keyword}' must be a number`);
  const limit = toNumber(given);
  return (value) => {
    const size = sizeOf(value);
    return size === undefined || holds(size, limit) ? undefined : unsatisfied(keyword, given, reason, value);
  };
}

/** Code points, as MongoDB counts. */
const lengthOf = (value: Value): number | undefined =>
  typeof value === 'string' ? Array.from(value).length : undefined;
const itemsOf = (value: Value): number | undefined => (Array.isArray(value) ? value.length : undefined);
const amountOf = (value: Value): number | undefined => (isNumeric(value) ? toNumber(value) : undefined);
const atMost = (size: number, limit: number): boolean => size <= limit;
const atLeast = (size: number, limit: number): boolean => size >= limit;

const LENGTH = 'specified string length was not satisfied';
const COUNT = 'array did not match specified length';

const keywords: Readonly<Record<string, (given: Value, schema: Document) => Rule | undefined>> = {
  bsonType(given) {
    const wanted = (Array.isArray(given) ? given : [given]).map((name) => {
      if (typeof name !== 'string') throw typeMismatch("$jsonSchema keyword 'bsonType' must be a string or an array");
      const number = typeNumber(name);
      if (name !== 'number' && (number === undefined || !isTypeNumber(number)))
        throw failedToParse(`Unknown type name alias: ${name}`);
      return name;
    });
    return (value) =>
      wanted.includes(typeOf(value)) || (wanted.includes('number') && isNumeric(value))
        ? undefined
        : unsatisfied('bsonType', given, 'type did not match', value);
  },
  enum(given) {
    if (!Array.isArray(given)) throw typeMismatch("$jsonSchema keyword 'enum' must be an array");
    const known = new Set(given.map((value) => orderBytes(value).toString('latin1')));
    return (value) =>
      known.has(orderBytes(value).toString('latin1'))
        ? undefined
        : unsatisfied('enum', given, 'value was not found in enum', value);
  },
  maxLength: (given) => bound('maxLength', given, LENGTH, lengthOf, atMost),
  minLength: (given) => bound('minLength', given, LENGTH, lengthOf, atLeast),
  maxItems: (given) => bound('maxItems', given, COUNT, itemsOf, atMost),
  minItems: (given) => bound('minItems', given, COUNT, itemsOf, atLeast),
  maximum: (given) => bound('maximum', given, 'comparison failed', amountOf, atMost),
  minimum: (given) => bound('minimum', given, 'comparison failed', amountOf, atLeast),
  required(given) {
    if (!Array.isArray(given) || given.length === 0)
      throw failedToParse("$jsonSchema keyword 'required' cannot be an empty array");
    const names = given.map(String);
    return (value) => {
      if (!isDocument(value)) return undefined;
      const missingProperties = names.filter((name) => !value.has(name));
      if (missingProperties.length === 0) return undefined;
      return toDocument({ operatorName: 'required', specifiedAs: new Map([['required', given]]), missingProperties });
    };
  },
  properties(given) {
    const schemas = new Map([...schemaIn('properties', given)].map(([name, inner]) => [name, compileInner(inner)]));
    return (value) => {
      if (!isDocument(value)) return undefined;
      const propertiesNotSatisfied: Document[] = [];
      for (const [propertyName, schema] of schemas) {
        const own = value.get(propertyName);
        const details = own === undefined ? undefined : schema(own);
        if (details) propertiesNotSatisfied.push(toDocument({ propertyName, details }));
      }
      return propertiesNotSatisfied.length === 0
        ? undefined
        : toDocument({ operatorName: 'properties', propertiesNotSatisfied });
    };
  },
  items(given) {
    if (Array.isArray(given)) throw notImplemented('$jsonSchema.items as an array');
    const schema = compileInner(given);
    return (value) => {
      if (!Array.isArray(value)) return undefined;
      for (const [index, item] of value.entries()) {
        const details = schema(item);
        if (!details) continue;
        const reason = 'At least one item did not match the sub-schema';
        return toDocument({ operatorName: 'items', reason, itemIndex: new Int32(index), details });
      }
      return undefined;
    };
  },
  additionalProperties(given, schema) {
    if (typeof given !== 'boolean') throw notImplemented('$jsonSchema.additionalProperties as a schema');
    if (given) return undefined;
    const known = new Set(schemaIn('properties', schema.get('properties') ?? new Map()).keys());
    return (value) => {
      if (!isDocument(value)) return undefined;
      const additionalProperties = [...value.keys()].filter((name) => !known.has(name));
      if (additionalProperties.length === 0) return undefined;
      const specifiedAs = new Map([['additionalProperties', false]]);
      return toDocument({ operatorName: 'additionalProperties', specifiedAs, additionalProperties });
    };
  },
  title: () => undefined,
  description: () => undefined,
};

function schemaIn(keyword: string, given: Value): Document {
  if (!isDocument(given)) throw typeMismatch(`$jsonSchema keyword '${keyword}' must be an object`);
  return given;
}

function compileInner(given: Value): JsonSchema {
  const schema = schemaIn('properties', given);
  const rules = [...schema].flatMap(([keyword, value]) => {
    const compile = keywords[keyword];
    if (!compile) throw notImplemented(`$jsonSchema.${keyword}`);
    return compile(value, schema) ?? [];
  });
  return (value) => {
    const failures = rules.flatMap((rule) => rule(value) ?? []);
    return failures.length === 0 ? undefined : failures;
  };
}

/** @throws ServerError for keywords that are none, or that this server does without. */
export const compileJsonSchema = (given: Value): JsonSchema => {
  if (!isDocument(given)) throw typeMismatch('$jsonSchema must be an object');
  return compileInner(given);
};

/** Of a document that did not fulfil a schema, for `errInfo`. */
export const explained = (failures: readonly Document[]): Document =>
  toDocument({ operatorName: '$jsonSchema', schemaRulesNotSatisfied: failures.map(toValue) });
