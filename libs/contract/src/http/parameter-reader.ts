import type { Writer } from 'protobufjs';
import { refused, type FieldPlan } from '../plans/input-plan.ts';
import type { Findings, Loc } from '../validation/findings.ts';
import { missing } from '../validation/problem.ts';
import type { QueryValues } from './parse-query.ts';
import { headerOf, type RequestParts } from './request-parts.ts';

/** A field whose value is in the path, the query string or a header. */
export interface ParameterReader {
  readonly read: (request: RequestParts, query: QueryValues, findings: Findings | undefined) => unknown;
  readonly write: (writer: Writer, value: unknown) => void;
}

export function pathParameter(field: FieldPlan): ParameterReader {
  return parameter(field, ['path', field.name], ({ pathParameters }) => pathParameters[field.name]);
}

/** Of several values for a field that takes one, the last counts. */
export function queryParameter(field: FieldPlan): ParameterReader {
  return parameter(field, ['query', field.name], (_request, query) => {
    const values = query.get(field.name);
    return field.repeated ? values : values?.at(-1);
  });
}

export function headerParameter(field: FieldPlan, name: string): ParameterReader {
  return parameter(field, ['header', name], (request) => headerOf(request, name));
}

function parameter(
  field: FieldPlan,
  loc: Loc,
  take: (request: RequestParts, query: QueryValues) => unknown,
): ParameterReader {
  return {
    read: (request, query, findings) => {
      const value = take(request, query);
      if (value !== undefined) return field.value.read(value, findings, loc);
      if (!field.rules.required) return field.defaultValue;
      findings?.add(missing, loc, null);
      return refused;
    },
    write: field.write,
  };
}
