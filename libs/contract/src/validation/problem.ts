/**
 * Why a value was refused: the parts of an error item that do not depend on where the value stood.
 * Types, texts and contexts are those of pydantic-core, which existing clients know.
 */
export class Problem {
  readonly type: string;
  readonly msg: string;
  readonly ctx: Readonly<Record<string, unknown>> | undefined;

  constructor(type: string, msg: string, ctx?: Readonly<Record<string, unknown>>) {
    this.type = type;
    this.msg = msg;
    this.ctx = ctx;
  }
}

/** One entry of a 422 answer's `detail`; its keys are in the order clients have always seen. */
export interface ErrorItem {
  readonly type: string;
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly input: unknown;
  readonly ctx?: Readonly<Record<string, unknown>>;
}

export function errorItem(problem: Problem, loc: readonly (string | number)[], input: unknown): ErrorItem {
  const { type, msg, ctx } = problem;
  return ctx === undefined ? { type, loc, msg, input } : { type, loc, msg, input, ctx };
}

export const missing = new Problem('missing', 'Field required');
export const notAnObject = new Problem(
  'model_attributes_type',
  'Input should be a valid dictionary or object to extract fields from',
);
export const notAList = new Problem('list_type', 'Input should be a valid list');
export const notADictionary = new Problem('dict_type', 'Input should be a valid dictionary');

/** A list or map has too few or too many items. */
export function wrongLength(kind: 'List' | 'Dictionary', length: number, minimum: number, maximum: number): Problem {
  const tooShort = length < minimum;
  const bound = tooShort ? minimum : maximum;
  const items = `${bound} item${bound === 1 ? '' : 's'}`;
  return new Problem(
    tooShort ? 'too_short' : 'too_long',
    `${kind} should have at ${tooShort ? 'least' : 'most'} ${items} after validation, not ${length}`,
    { field_type: kind, [tooShort ? 'min_length' : 'max_length']: bound, actual_length: length },
  );
}

/** Something measured in bytes is too large. */
export function bytesTooLong(maximum: number): Problem {
  return new Problem('bytes_too_long', `Data should have at most ${maximum} bytes`, { max_length: maximum });
}

/** A refusal of our own or of a validator written in Python, as FastAPI shows both. */
export function valueError(text: string): Problem {
  return new Problem('value_error', `Value error, ${text}`, { error: {} });
}
