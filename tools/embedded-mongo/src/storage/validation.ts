import { compileMatch } from '../aggregation/document-stages.ts';
import { isDocument, toDocument, type Document, type Value } from '../bson/values.ts';
import { badValue, ServerError, typeMismatch } from '../errors.ts';
import { compileJsonSchema, explained } from '../query/json-schema.ts';

/** What documents of a collection have to be. */
export interface Validation {
  /** Undefined: it is as it has to be. Else why not, as MongoDB explains it. */
  readonly refusalOf: (document: Document) => Document | undefined;
  /** `moderate`: what was not as it has to be before a change need not be so after it. */
  readonly level: string;
}

/** Options of a collection that say what its documents have to be; kept and listed as they came. */
export const VALIDATION_OPTIONS = ['validator', 'validationLevel', 'validationAction'];

const oneOf = (options: Document, name: string, known: readonly string[]): string => {
  const value = options.get(name) ?? known[0];
  if (typeof value !== 'string') throw typeMismatch(`${name} has to be a string`);
  if (!known.includes(value)) throw badValue(`Enumeration value '${value}' for field '${name}' is not a valid value.`);
  return value;
};

export function validationOf(options: Document): Validation | undefined {
  const validator = options.get('validator');
  const level = oneOf(options, 'validationLevel', ['strict', 'moderate', 'off']);
  const action = oneOf(options, 'validationAction', ['error', 'warn']);
  if (validator === undefined) return undefined;
  if (!isDocument(validator)) throw typeMismatch('validator has to be an object');
  const given = validator.get('$jsonSchema');
  const schema = given === undefined ? undefined : compileJsonSchema(given);
  const others = new Map([...validator].filter(([name]) => name !== '$jsonSchema'));
  const matcher = compileMatch(others);
  if (level === 'off' || action === 'warn' || validator.size === 0) return undefined;
  return {
    level,
    refusalOf(document) {
      const failures = schema?.(document);
      if (failures) return explained(failures);
      return matcher.test(document) ? undefined : toDocument({ operatorName: '$and', specifiedAs: others });
    },
  };
}

/** @throws ServerError 121 with `errInfo` when the document is not as it has to be; `before` is what it was. */
export function validate(validation: Validation | undefined, document: Document, before?: Document): void {
  const details = validation?.refusalOf(document);
  if (!validation || !details) return;
  if (before && validation.level === 'moderate' && validation.refusalOf(before)) return;
  const failingDocumentId: Value = document.get('_id') ?? null;
  throw new ServerError(121, 'Document failed validation', {
    details: { errInfo: toDocument({ failingDocumentId, details }) },
  });
}
