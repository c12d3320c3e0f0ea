import { describe, expect, it } from '@jest/globals';
import { isMet, skipReason, type Comparison, type ConditionFact } from './condition.ts';

const region: ConditionFact = { subject: 'PARAMETER', name: 'region', is: 'north' };
const day: ConditionFact = { subject: 'PARAMETER', name: 'day', is: '2026-07-01' };
const orders: ConditionFact = { subject: 'ROW_COUNT', name: 'orders', is: 3 };
const none: ConditionFact = { subject: 'PARAMETER', name: 'none', is: null };
const facts = [region, day, orders, none];

const where = (
  { subject, name }: ConditionFact,
  operator: Comparison['operator'],
  value: Comparison['value'],
): Comparison => ({ subject, name, operator, value });
const met = (...terms: readonly (readonly Comparison[])[]) =>
  isMet(
    terms.map((all) => ({ all })),
    facts,
  );

const OPERATORS = [
  ...['EQUALS', 'NOT_EQUALS', 'LESS_THAN', 'LESS_OR_EQUAL', 'GREATER_THAN', 'GREATER_OR_EQUAL'],
] as readonly Comparison['operator'][];
const allOf = (fact: ConditionFact, value: Comparison['value']) =>
  OPERATORS.filter((operator) => met([where(fact, operator, value)]));

describe('a condition', () => {
  it('is met where one of its terms is, of which each is where all of its comparisons are', () => {
    const [yes, no] = [where(region, 'EQUALS', 'north'), where(region, 'EQUALS', 'south')];
    expect(met()).toBe(true);
    expect([met([yes]), met([no])]).toEqual([true, false]);
    expect([met([yes, no]), met([yes, yes])]).toEqual([false, true]);
    expect([met([no], [yes]), met([no], [yes, no])]).toEqual([true, false]);
  });

  it('compares numbers, dates and times by their order, and texts only for being the same', () => {
    expect(allOf(orders, 3)).toEqual(['EQUALS', 'LESS_OR_EQUAL', 'GREATER_OR_EQUAL']);
    expect(allOf(orders, 10)).toEqual(['NOT_EQUALS', 'LESS_THAN', 'LESS_OR_EQUAL']);
    expect(allOf(day, '2026-06-30')).toEqual(['NOT_EQUALS', 'GREATER_THAN', 'GREATER_OR_EQUAL']);
  });

  it('has no order with null, nor with what is of another type', () => {
    expect(allOf(none, 3)).toEqual(['NOT_EQUALS']);
    expect(allOf(none, null)).toEqual(['EQUALS']);
    expect(allOf(orders, null)).toEqual(['NOT_EQUALS']);
    expect(allOf(orders, '3')).toEqual(['NOT_EQUALS']);
  });

  it('tells a parameter from a dataset of the same name, and takes what it does not know for null', () => {
    expect(met([where({ ...orders, subject: 'PARAMETER' }, 'EQUALS', null)])).toBe(true);
  });

  it('says what it has looked at, each once, and no more than fits', () => {
    expect(skipReason([region, orders, region])).toBe(
      'Its condition does not hold: region is "north", orders has 3 rows',
    );
    expect(skipReason(Array.from({ length: 50 }, (_, index) => ({ ...day, name: `day ${index}` })))).toHaveLength(500);
  });
});
