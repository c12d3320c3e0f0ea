import type { Fields } from '@platform-backend/core';
import { Ajv2020 } from 'ajv/dist/2020.js';

export interface SchemaTask {
  readonly schema: Fields;
  /** Absent: only the schema is looked at. */
  readonly json?: string;
}

export interface SchemaResult {
  readonly problem?: string;
  readonly errors?: readonly string[];
}

/** Told of one answer, each up to so many characters. */
const MAX_ERRORS = 10;
const MAX_LENGTH = 300;

const shortened = (text: string): string => (text.length <= MAX_LENGTH ? text : `${text.slice(0, MAX_LENGTH - 1)}…`);

/** @public Loaded by its URL. */
export default function checkAgainst({ schema, json }: SchemaTask): SchemaResult {
  // Whatever draft it names: what it refers to has to be in it, and nothing is fetched. `$async` is ajv's own, and would have it answer later.
  const { $schema: _draft, $id: _id, $async: _later, ...own } = schema;
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true, logger: false, messages: true });
  let validate;
  try {
    validate = ajv.compile(own);
  } catch (error) {
    return { problem: shortened(error instanceof Error ? error.message : 'It cannot be read') };
  }
  if (json === undefined || validate(JSON.parse(json))) return { errors: [] };
  const errors = (validate.errors ?? []).slice(0, MAX_ERRORS);
  return {
    errors: errors.map(({ instancePath, message = 'is wrong' }) => shortened(`${instancePath || '/'} ${message}`)),
  };
}
