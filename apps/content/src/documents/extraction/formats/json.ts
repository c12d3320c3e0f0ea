import { ExtractionFailure } from '../../domain/extraction.ts';
import { TextPieces, type DocumentText } from '../document-text.ts';
import { extractionFailures } from '../extraction-failures.ts';
import { limits } from '../limits.ts';

type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };

/**
 * Each value on a line with the names that lead to it, as it is looked for; entries of a list with a line between them. What databases export
 * has often a value on each line, whatever its file is called.
 */
export function readJson(content: string): DocumentText {
  try {
    return shown([parsed(content.replace(/^\ufeff/, ''))]);
  } catch (error) {
    if (!(error instanceof ExtractionFailure) || error.code !== 'damaged') throw error;
    return readJsonLines(content);
  }
}

/** Each line by itself, as what writes such files does. */
export function readJsonLines(content: string): DocumentText {
  const lines = content
    .replace(/^\ufeff/, '')
    .split('\n')
    .filter((line) => line.trim() !== '');
  return shown(lines.map((line) => parsed(line)));
}

function parsed(content: string): Json {
  try {
    return JSON.parse(content, asWritten) as Json;
  } catch (error) {
    throw error instanceof SyntaxError ? extractionFailures.damaged(error) : error;
  }
}

/** Numbers are texts as they stand in the file: those of orders, say, have more digits than a number has here. */
const asWritten = (_name: string, value: unknown, context?: { readonly source?: string }): unknown =>
  typeof value === 'number' ? (context?.source ?? value) : value;

function shown(values: readonly Json[]): DocumentText {
  const text = new TextPieces();
  for (const value of values) {
    write(text, value, [], 0);
    text.add('\n');
  }
  return { pages: [text.toString()], hasPages: false };
}

function write(text: TextPieces, value: Json, path: readonly string[], depth: number): void {
  if (depth > limits.depth) throw extractionFailures.tooDeep();
  if (isList(value)) {
    // Short ones are told in one go: tags, say.
    if (value.every((entry) => typeof entry !== 'object' || entry === null))
      line(text, path, value.map(String).join(', '));
    else
      for (const entry of value) {
        write(text, entry, path, depth + 1);
        if (path.length === 0) text.add('\n');
      }
  } else if (typeof value === 'object' && value !== null)
    for (const [name, inner] of Object.entries(value)) write(text, inner, [...path.slice(-20), name], depth + 1);
  else line(text, path, value === null ? '' : String(value));
}

const isList = (value: Json): value is readonly Json[] => Array.isArray(value);

function line(text: TextPieces, path: readonly string[], value: string): void {
  if (value === '') return;
  text.add(path.length > 0 ? `${path.join('.')}: ${value}\n` : `${value}\n`);
}
