import type protobuf from 'protobufjs';
import type { HttpBinding } from './operations.ts';
import { fieldRules } from './options.ts';

/** Where in an HTTP request a field of the request message comes from. */
export type FieldPlace = 'path' | 'query' | 'header' | 'body';

export function fieldPlace(field: protobuf.Field, { pathFields, body }: HttpBinding): FieldPlace {
  if (pathFields.includes(field.name)) return 'path';
  if (fieldRules(field).header !== undefined) return 'header';
  return body === '*' || body === field.name ? 'body' : 'query';
}

/** The fields of a request by their place. Field masks come from nowhere: the gateway fills them. */
export function fieldsByPlace(type: protobuf.Type, http: HttpBinding): Record<FieldPlace, protobuf.Field[]> {
  const fields: Record<FieldPlace, protobuf.Field[]> = { path: [], query: [], header: [], body: [] };
  for (const field of type.fieldsArray) {
    if (!isMask(field)) fields[fieldPlace(field, http)].push(field);
  }
  return fields;
}

/** Whether the field says which fields an update is about. */
export function isMask(field: protobuf.Field): boolean {
  return field.resolve().resolvedType?.fullName === '.google.protobuf.FieldMask';
}

/** The name of the header a field comes from, as HTTP libraries write it. */
export function headerName(field: protobuf.Field): string {
  return (fieldRules(field).header ?? field.name).toLowerCase();
}
