import { invalid, notFound } from '@platform/core';
import type { Page, PageRequest } from '@platform/core';

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

/** D27: 1 to 10,000 seats; the gateway checks it too. INVALID otherwise. */
export function seatCountOf(seatCount: number): number {
  if (seatCount >= fewestSeats && seatCount <= mostSeats) return seatCount;
  const tooFew = seatCount < fewestSeats;
  throw invalid([
    {
      type: tooFew ? 'greater_than_equal' : 'less_than_equal',
      loc: ['body', 'seat_count'],
      msg: `Input should be ${tooFew ? 'greater' : 'less'} than or equal to ${tooFew ? fewestSeats : mostSeats}`,
      input: seatCount,
      ctx: tooFew ? { ge: fewestSeats } : { le: mostSeats },
    },
  ]);
}

const fewestSeats = 1;
const mostSeats = 10_000;

/** An id that the caller chooses. INVALID unless it is a UUID. */
export function uuidOf(text: string, field: string): string {
  if (uuid.test(text)) return text.toLowerCase();
  throw refusedField('uuid_parsing', field, 'Input should be a valid UUID', text);
}

/** An id that may be left out; empty is absent. */
export const optionalUuid = (text: string | null, field: string): string | null =>
  text === null || text === '' ? null : uuidOf(text, field);

/** A 64-bit amount of micros, which travels as text. INVALID below `least`. */
export function microsOf(text: string, field: string, least: bigint): bigint {
  const amount = BigInt(text);
  if (amount >= least) return amount;
  const msg = `Input should be greater than or equal to ${String(least)}`;
  throw refusedField('greater_than_equal', field, msg, text);
}

/** INVALID outside the bounds, both of which are allowed. */
export function integerBetween(value: number, field: string, least: number, most: number): number {
  if (value >= least && value <= most) return value;
  throw refusedField('value_error', field, `Value error, must be from ${least} to ${most}`, value);
}

/** Length in code points. INVALID outside the bounds, both of which are allowed. */
export function textBetween(text: string, field: string, least: number, most: number): string {
  const { length } = Array.from(text);
  if (length >= least && length <= most) return text;
  throw refusedField('value_error', field, `Value error, must have ${least} to ${most} characters`, text);
}

const refusedField = (type: string, field: string, msg: string, input: unknown) =>
  invalid([{ type, loc: ['body', field], msg, input }]);

/** A page of a list that is short enough to be read as a whole; the position is the number of items before it. */
export function pageOfAll<Item>(items: readonly Item[], { limit, cursor, includeTotal }: PageRequest): Page<Item> {
  const start = Number(cursor) || 0;
  const end = start + limit;
  return {
    items: items.slice(start, end),
    nextCursor: end < items.length ? String(end) : '',
    ...(includeTotal && { total: items.length }),
  };
}
