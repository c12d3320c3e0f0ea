import { parseExactJson } from '@platform-backend/core';
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { FormatProblem } from '../../domain/notebook-format.ts';
import type { NotebookContent } from '../../domain/notebook.ts';

/** Deeper than the requests of clients may be, nothing could be shown to them. */
const MAX_DEPTH = 60;
const MAX_LANGUAGE = 100;

type Json = Record<string, unknown>;

/** The schemas of the nbformat project; cells have ids from minor version 5 on. */
const withIds = compiled('nbformat.v4.5.schema.json');
const withoutIds = compiled('nbformat.v4.4.schema.json');
/** What is newer may have fields that nobody knows yet. */
const newer = compiled('nbformat.v4.5.schema.json', allowMore);
const NEWEST = 5;

/** Holds a text against the JSON schema of its version of nbformat 4. */
export function checkNotebook(text: string): NotebookContent | FormatProblem {
  let json: unknown;
  if (text.startsWith('\ufeff')) return { at: [], message: 'it is no JSON: it begins with a byte order mark' };
  try {
    json = JSON.parse(text);
  } catch {
    return { at: [], message: 'it is no JSON' };
  }
  if (!isObject(json)) return { at: [], message: 'it is no JSON object' };
  const { nbformat, nbformat_minor: minor } = json;
  if (nbformat !== 4) return { at: ['nbformat'], message: 'only the format nbformat 4 is taken' };
  if (typeof minor !== 'number') return { at: ['nbformat_minor'], message: 'must be integer' };
  if (isTooDeep(json)) return { at: [], message: `it is nested more than ${MAX_DEPTH} levels deep` };
  const validate = minor < 5 ? withoutIds : minor > NEWEST ? newer : withIds;
  if (!validate(json)) return problemOf(validate.errors ?? []);
  const kept = minor >= 5 ? withUniqueIds(text, json) : text;
  return { text: kept, sizeBytes: Buffer.byteLength(kept), formatMinor: minor, language: languageOf(json) };
}

/** As nbformat corrects it: of cells with the same id those behind the first get another one. The same text always the same. */
function withUniqueIds(text: string, json: Json): string {
  const ids = (json['cells'] as readonly Json[]).map(({ id }) => String(id));
  const seen = new Set(ids);
  if (seen.size === ids.length) return text;
  const corrected = parseExactJson(text) as { readonly cells: Json[] };
  const used = new Set<string>();
  corrected.cells.forEach((cell, index) => {
    const id = ids[index] ?? '';
    if (used.has(id)) cell['id'] = newIdFor(id, index, seen);
    used.add(id);
  });
  return JSON.stringify(corrected);
}

function newIdFor(id: string, index: number, taken: Set<string>): string {
  for (let attempt = 0; ; attempt += 1) {
    const made = createHash('sha256').update(`${id} ${index} ${attempt}`).digest('hex').slice(0, 8);
    if (taken.has(made)) continue;
    taken.add(made);
    return made;
  }
}

function compiled(file: string, adapt: (schema: Json) => void = () => undefined): ValidateFunction {
  const schema = JSON.parse(readFileSync(new URL(`schemas/${file}`, import.meta.url), 'utf8')) as Json;
  // Draft 4 and the later ones agree about everything that these schemas use.
  delete schema['$schema'];
  // Versions before 4 differ from it only by what they do not know yet.
  const { nbformat_minor: minor } = schema['properties'] as Record<string, Json>;
  if (minor?.['minimum'] === 4) minor['minimum'] = 0;
  adapt(schema);
  return new Ajv({ strict: false, logger: false }).compile(schema);
}

function allowMore(schema: unknown): void {
  if (Array.isArray(schema)) schema.forEach(allowMore);
  if (!isObject(schema)) return;
  if (schema['additionalProperties'] === false) schema['additionalProperties'] = true;
  Object.values(schema).forEach(allowMore);
}

/**
 * Of several the deepest: a cell that fits no kind of cell breaks the rules of all of them, of the wrong ones by being of
 * another kind.
 */
function problemOf(errors: readonly ErrorObject[]): FormatProblem {
  const depth = ({ instancePath }: ErrorObject) => instancePath.split('/').length;
  const isOfAnotherKind = ({ instancePath }: ErrorObject) => /\/(cell|output)_type$/.test(instancePath);
  const [deepest = errors[0]] = errors.filter((one) => !isOfAnotherKind(one)).sort((a, b) => depth(b) - depth(a));
  const path = deepest?.instancePath.split('/').slice(1) ?? [];
  const at = path.map((name) => (/^\d+$/.test(name) ? Number(name) : name.replaceAll('~1', '/').replaceAll('~0', '~')));
  return { at, message: deepest?.message ?? 'it breaks the format' };
}

function languageOf({ metadata }: Json): string {
  if (!isObject(metadata)) return '';
  const { language_info: info, kernelspec } = metadata;
  const language = isObject(info) ? info['name'] : isObject(kernelspec) ? kernelspec['language'] : undefined;
  return typeof language === 'string' ? language.slice(0, MAX_LANGUAGE) : '';
}

function isTooDeep(json: unknown): boolean {
  let level: unknown[] = [json];
  for (let depth = 0; depth <= MAX_DEPTH; depth += 1) {
    level = level.flatMap((value) => (typeof value === 'object' && value !== null ? Object.values(value as Json) : []));
    if (level.length === 0) return false;
  }
  return true;
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
