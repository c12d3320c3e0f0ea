import type protobuf from 'protobufjs';
import type { HttpBinding } from './operations.ts';
import { fieldRules } from './options/field-options.ts';

/** Where in an HTTP request a field of the request message comes from. */
export type FieldLocation = 'path' | 'query' | 'header' | 'body';

export function fieldLocation(field: protobuf.Field, { pathFields, body }: HttpBinding): FieldLocation {
  if (pathFields.includes(field.name)) return 'path';
  if (fieldRules(field).header !== undefined) return 'header';
  return body === '*' || body === field.name ? 'body' : 'query';
}

/** The fields of a request by their location. Field masks come from nowhere: the gateway fills them. */
export function fieldsByLocation(type: protobuf.Type, http: HttpBinding): Record<FieldLocation, protobuf.Field[]> {
  const fields: Record<FieldLocation, protobuf.Field[]> = { path: [], query: [], header: [], body: [] };
  for (const field of type.fieldsArray) {
    if (!isMask(field)) fields[fieldLocation(field, http)].push(field);
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
