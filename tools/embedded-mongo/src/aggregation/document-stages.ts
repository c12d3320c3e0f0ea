import { isDocument, type Document, type Value } from '../bson/values.ts';
import { failedToParse, ServerError } from '../errors.ts';
import { compileFilter, isTrue, type Matcher } from '../query/matcher.ts';
import { compileProjection } from '../query/projection.ts';
import { compileExpression } from './compile.ts';
import { pathOf } from './compile.ts';
import type { Expression } from './expression.ts';

const NO_VARIABLES: ReadonlyMap<string, Value | undefined> = new Map();

export type Variables = ReadonlyMap<string, Value | undefined>;

/** A filter in which `$expr` is understood. */
export const compileMatch = (filter: Document, variables: Variables = NO_VARIABLES): Matcher =>
  compileFilter(filter, (value) => {
    const expression = compileExpression(value);
    return (root) => isTrue(expression({ root, variables }));
  });

const fieldWith =
  (variables: Variables) =>
  (value: Value): ((document: Document) => Value | undefined) => {
    const expression = compileExpression(value);
    return (root) => expression({ root, variables });
  };

/** A projection of a find, in which expressions are understood. */
export const compileFindProjection = (projection: Document): ((document: Document) => Document) =>
  compileProjection(projection, fieldWith(NO_VARIABLES), true);

/** The stages that make one document of one; undefined for the others. They may change the document in place. */
export function documentStage(
  name: string,
  operand: Value,
  variables: Variables = NO_VARIABLES,
): ((document: Document) => Document) | undefined {
  switch (name) {
    case '$project':
      if (!isDocument(operand) || operand.size === 0)
        throw new ServerError(51272, 'projection specification must have at least one field');
      return compileProjection(operand, fieldWith(variables), false);
    case '$set':
    case '$addFields':
      if (!isDocument(operand)) throw new ServerError(40272, `${name} specification stage must be an object`);
      return adding(operand, variables);
    case '$unset': {
      const names = Array.isArray(operand) ? operand : [operand];
      if (names.length === 0 || names.some((each) => typeof each !== 'string'))
        throw new ServerError(31120, '$unset specification must be a string or an array');
      return compileProjection(new Map(names.map((each) => [each as string, false])), fieldWith(variables), false);
    }
    case '$replaceRoot':
      if (!isDocument(operand) || !operand.has('newRoot'))
        throw new ServerError(40231, 'no newRoot specified for the $replaceRoot stage');
      return replacing(operand.get('newRoot') ?? null, variables);
    case '$replaceWith':
      return replacing(operand, variables);
    default:
      return undefined;
  }
}

function replacing(value: Value, variables: Variables): (document: Document) => Document {
  const expression = compileExpression(value);
  return (root) => {
    const result = expression({ root, variables });
    if (!isDocument(result)) throw new ServerError(40228, "'newRoot' expression must evaluate to an object");
    return result;
  };
}

interface Addition {
  readonly path: readonly string[];
  readonly expression: Expression;
}

/** An object that is no expression names fields inside of the one it stands for. */
function additions(fields: Document, before: readonly string[]): Addition[] {
  return [...fields].flatMap(([name, value]) => {
    const path = [...before, ...pathOf(name)];
    const [first] = isDocument(value) ? value.keys() : [];
    if (isDocument(value) && first !== undefined && !first.startsWith('$')) return additions(value, path);
    return [{ path, expression: compileExpression(value) }];
  });
}

function adding(fields: Document, variables: Variables): (document: Document) => Document {
  const added = additions(fields, []);
  return (root) => {
    const values = added.map(({ path, expression }) => [path, expression({ root, variables })] as const);
    const result = new Map(root);
    for (const [path, value] of values) put(result, path, 0, value);
    return result;
  };
}

function put(owner: Document, path: readonly string[], at: number, value: Value | undefined): void {
  const name = path[at] ?? '';
  if (at === path.length - 1) {
    if (value === undefined) owner.delete(name);
    else owner.set(name, value);
    return;
  }
  owner.set(name, putInside(owner.get(name), path, at, value));
}

function putInside(inner: Value | undefined, path: readonly string[], at: number, value: Value | undefined): Value {
  if (Array.isArray(inner)) return inner.map((element) => putInside(element, path, at, value));
  const copy: Document = new Map(isDocument(inner) ? inner : []);
  put(copy, path, at + 1, value);
  return copy;
}

/** An update by a pipeline. */
export function compileUpdatePipeline(
  stages: readonly Value[],
  variables: Variables = NO_VARIABLES,
): (document: Document) => Document {
  const compiled = stages.map((stage) => {
    const [[name, operand] = ['', null] as const] = isDocument(stage) ? [...stage] : [];
    const run = documentStage(name, operand, variables);
    if (!run) throw failedToParse(`${name} is not allowed to be used within an update`);
    return run;
  });
  return (document) => compiled.reduce((result, run) => run(result), document);
}
