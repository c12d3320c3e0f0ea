import { invalid, notFound } from '@platform/core';
import type { PageRequest } from '@platform/core';

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** An id in the form the store has it. What is no UUID cannot be the id of anything, so it is simply not found. */
export function idOf(text: string, thing: string): string {
  if (!uuid.test(text)) throw notFound(thing);
  return text.toLowerCase();
}

/**
 * The fields an update is about. `fields` names each by its spelling in the contract and gives what it changes;
 * those that the mask does not name stay as they are.
 */
export function fieldsGiven<Change extends object>(
  mask: { readonly paths: readonly string[] } | null,
  fields: Readonly<Record<string, Partial<Change>>>,
): Partial<Change> {
  const given = (mask?.paths ?? []).map((path) => fields[path] ?? {});
  return Object.assign({}, ...given) as Partial<Change>;
}

/** The value, which the contract allows to be absent and the operation does not. INVALID otherwise. */
export function required<Value>(value: Value | null | undefined, field: string): Value {
  if (value !== null && value !== undefined) return value;
  throw invalid([{ type: 'missing', loc: ['body', field], msg: 'Field required', input: null }]);
}

/** What a list request says about its page. Zero is an absent limit: the gateway has filled in its default. */
export function pageRequest({ limit, cursor, includeTotal }: PageRequest): PageRequest {
  if (limit < 0 || limit > largestPage) {
    throw invalid([
      {
        type: 'less_than_equal',
        loc: ['query', 'limit'],
        msg: `Input should be less than or equal to ${largestPage}`,
        input: limit,
        ctx: { le: largestPage },
      },
    ]);
  }
  return { limit: limit === 0 ? usualPage : limit, cursor, includeTotal };
}

const usualPage = 50;
const largestPage = 200;
