import { randomUUID } from 'node:crypto';
import type { RequestParts } from './http.ts';

/** The part of a JSON Schema that the sampler understands. */
type Schema = {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  format?: string;
  minLength?: number;
  minimum?: number;
  minItems?: number;
  required?: string[];
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
};

type OpenApiOperation = { requestBody?: { content: Record<string, { schema: Schema }> } };

export type OpenApiDocument = {
  paths: Record<string, Record<string, OpenApiOperation>>;
  components?: { schemas?: Record<string, Schema> };
};

/** What stands in a path and is no id. */
const NUMBERS: Readonly<Record<string, string>> = { version: '1' };

/** A valid path of an operation, with an id that nothing has in each place not given. */
export const samplePath = (template: string, ids: Record<string, string> = {}): string =>
  template.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? NUMBERS[name] ?? randomUUID());

/** A path as a document has it: of those that differ in names of parameters alone it has one. */
export const documentedPath = ({ paths }: { paths: Record<string, unknown> }, template: string): string => {
  const shapeOf = (path: string) => path.replaceAll(/\{\w+\}/g, '{}');
  if (template in paths) return template;
  return Object.keys(paths).find((path) => shapeOf(path) === shapeOf(template)) ?? template;
};

/** What a document says of a path. */
export const pathItem = <Item>(document: { paths: Record<string, Item> }, template: string): Item | undefined =>
  document.paths[documentedPath(document, template)];

/** The smallest valid body of an operation, by the schema the platform publishes; empty: it has none. */
export const sampleRequest = (
  document: OpenApiDocument,
  verb: string,
  template: string,
): Pick<RequestParts, 'body' | 'headers'> => {
  const content = pathItem(document, template)?.[verb.toLowerCase()]?.requestBody?.content ?? {};
  const json = content['application/json'];
  if (json) return { body: sample(document, json.schema) };
  const form = content['multipart/form-data'];
  if (!form) return {};
  const parts = (form.schema.required ?? []).map((name) => `--${BOUNDARY}\r\n${filePart(name)}\r\n`).join('');
  return {
    headers: { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
    body: Buffer.from(`${parts}--${BOUNDARY}--\r\n`),
  };
};

const BOUNDARY = 'sample-boundary';

const filePart = (name: string): string =>
  `Content-Disposition: form-data; name="${name}"; filename="sample.wav"\r\nContent-Type: audio/wav\r\n\r\nsample`;

const sample = (document: OpenApiDocument, schema: Schema): unknown => {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.split('/').at(-1) ?? '';
    const target = document.components?.schemas?.[name];
    if (!target) throw new Error(`the document has no schema ${name}`);
    return sample(document, target);
  }
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  // Beside a type it says what else is required of some.
  const [variant] = schema.anyOf ?? schema.oneOf ?? (schema.type === undefined ? schema.allOf : undefined) ?? [];
  if (variant) return sample(document, variant);
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  switch (type) {
    case 'object': {
      const properties = schema.properties ?? {};
      return Object.fromEntries(
        (schema.required ?? []).map((name) => [name, sample(document, properties[name] ?? {})]),
      );
    }
    case 'array':
      return Array.from({ length: schema.minItems ?? 0 }, () => sample(document, schema.items ?? {}));
    case 'integer':
    case 'number':
      return Math.max(schema.minimum ?? 1, 1);
    case 'boolean':
      return true;
    case 'string':
      return sampleText(schema);
    case undefined:
    default:
      return null;
  }
};

const sampleText = ({ format, minLength = 1 }: Schema): string => {
  if (format === 'uuid') return randomUUID();
  if (format === 'email') return `sample-${randomUUID().slice(0, 8)}@example.com`;
  if (format === 'date-time') return '2099-01-01T00:00:00Z';
  return 'sample'.padEnd(minLength, '.');
};
