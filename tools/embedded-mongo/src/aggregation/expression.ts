import { isDocument, type Document, type Value } from '../bson/values.ts';
import { badValue, ServerError } from '../errors.ts';

/** What an expression sees: the present document and the variables by their names without `$$`. */
export interface Scope {
  readonly root: Document;
  readonly variables: ReadonlyMap<string, Value | undefined>;
}

/** `undefined` is missing. */
export type Expression = (scope: Scope) => Value | undefined;

export interface Compiling {
  /** Of the operator. */
  readonly name: string;
  readonly compile: (value: Value) => Expression;
}

/** Makes an expression of what stands behind the name of an operator. */
export type Operator = (operand: Value, compiling: Compiling) => Expression;

/** An operator that first evaluates its arguments and asks for nothing else. */
export const strict =
  (
    counts: readonly [min: number, max: number],
    evaluate: (values: readonly (Value | undefined)[], name: string) => Value | undefined,
  ): Operator =>
  (operand, compiling) => {
    const parts = argumentsOf(operand, compiling, ...counts);
    return (scope) =>
      evaluate(
        parts.map((part) => part(scope)),
        compiling.name,
      );
  };

export const isNothing = (value: Value | undefined): value is null | undefined => value === undefined || value === null;

/** Through arrays to an array of what their documents hold. */
export function along(value: Value | undefined, path: readonly string[], at: number): Value | undefined {
  const name = path[at];
  if (name === undefined) return value;
  if (isDocument(value)) return along(value.get(name), path, at + 1);
  if (!Array.isArray(value)) return undefined;
  return value.flatMap((element) => {
    // Wrapped, as what is found may be an array itself.
    const found = isDocument(element) || Array.isArray(element) ? along(element, path, at) : undefined;
    return found === undefined ? [] : [found];
  });
}

/** The variables of an expression with others beside them. */
export const withVariables = (scope: Scope, more: readonly (readonly [string, Value | undefined])[]): Scope => ({
  root: scope.root,
  variables: new Map([...scope.variables, ...more]),
});

export const argumentsOf = (operand: Value, { name, compile }: Compiling, min: number, max = min): Expression[] => {
  const list = Array.isArray(operand) ? operand : [operand];
  if (list.length < min || list.length > max)
    throw new ServerError(
      16020,
      `Expression ${name} takes ${min === max ? `exactly ${min}` : `${min} to ${max}`} arguments. ${list.length} were passed in.`,
    );
  return list.map(compile);
};

/** The named parts of an operand such as `{input, in}`; one that is not known is refused. */
export function partsOf(
  operand: Value,
  name: string,
  required: readonly string[],
  optional: readonly string[] = [],
): Document {
  if (!isDocument(operand)) throw badValue(`${name} needs an object as its argument`);
  for (const part of operand.keys())
    if (!required.includes(part) && !optional.includes(part))
      throw badValue(`Unrecognized parameter to ${name}: ${part}`);
  for (const part of required) if (!operand.has(part)) throw badValue(`Missing '${part}' parameter to ${name}`);
  return operand;
}
