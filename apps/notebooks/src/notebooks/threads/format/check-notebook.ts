import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
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

/** Holds a text against the JSON schema of its version of nbformat 4. */
export function checkNotebook(text: string): NotebookContent | FormatProblem {
  let json: unknown;
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
  const validate = minor >= 5 ? withIds : withoutIds;
  if (!validate(json)) return problemOf(validate.errors ?? []);
  return { text, sizeBytes: Buffer.byteLength(text), formatMinor: minor, language: languageOf(json) };
}

function compiled(file: string): ValidateFunction {
  const schema = JSON.parse(readFileSync(new URL(`schemas/${file}`, import.meta.url), 'utf8')) as Json;
  // Draft 4 and the later ones agree about everything that these schemas use.
  delete schema['$schema'];
  // Versions before 4 differ from it only by what they do not know yet.
  const { nbformat_minor: minor } = schema['properties'] as Record<string, Json>;
  if (minor?.['minimum'] === 4) minor['minimum'] = 0;
  return new Ajv({ strict: false, logger: false }).compile(schema);
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

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
